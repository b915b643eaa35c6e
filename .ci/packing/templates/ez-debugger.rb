# Homebrew: a formula for a tap.
class EzDebugger < Formula
  desc "Interpreter and debugger for the EZ teaching language"
  homepage "https://github.com/ez-debugger/ez-debugger"
  version "@VERSION@"
  license "MIT"

  on_macos do
    on_arm do
      url "@BASE@/ez-@VERSION@-aarch64-apple-darwin.tar.gz"
      sha256 "@SHA256 ez-@VERSION@-aarch64-apple-darwin.tar.gz@"
    end
    on_intel do
      url "@BASE@/ez-@VERSION@-x86_64-apple-darwin.tar.gz"
      sha256 "@SHA256 ez-@VERSION@-x86_64-apple-darwin.tar.gz@"
    end
  end

  on_linux do
    on_arm do
      url "@BASE@/ez-@VERSION@-aarch64-unknown-linux-musl.tar.gz"
      sha256 "@SHA256 ez-@VERSION@-aarch64-unknown-linux-musl.tar.gz@"
    end
    on_intel do
      url "@BASE@/ez-@VERSION@-x86_64-unknown-linux-musl.tar.gz"
      sha256 "@SHA256 ez-@VERSION@-x86_64-unknown-linux-musl.tar.gz@"
    end
  end

  def install
    bin.install "ez"
    man1.install "man/ez.1"
    bash_completion.install "completions/ez.bash" => "ez"
    zsh_completion.install "completions/_ez"
    fish_completion.install "completions/ez.fish"
    doc.install "LICENSE", "THIRD-PARTY.txt"
  end

  test do
    (testpath/"a.ez").write "import @std\nusing std\ndo main() {\n    println(6 * 7)\n}\n"
    assert_equal "42\n", shell_output("#{bin}/ez a.ez")
  end
end
