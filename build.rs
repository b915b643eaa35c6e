//! How the binary is linked.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = |name: &str| std::env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    if target("OS") == "linux" && target("ENV") == "gnu" {
        // At a fixed address nothing has to be relocated when it starts, which takes longer than a small
        // program runs.
        println!("cargo::rustc-link-arg-bins=-no-pie");
        // Nor does the C compiler's library of unwinding have to be looked for and loaded, where it can be linked.
        if has_static_unwinding() {
            println!("cargo::rustc-link-lib=static:-bundle=gcc_eh");
        }
    }
}

/// Whether the linker finds the C compiler's library of unwinding as one to be linked statically.
fn has_static_unwinding() -> bool {
    let linker = std::env::var_os("RUSTC_LINKER").unwrap_or_else(|| "cc".into());
    let Ok(answer) = Command::new(linker).arg("-print-file-name=libgcc_eh.a").output() else { return false };
    // If it does not find it, it answers with the name.
    let path = String::from_utf8_lossy(&answer.stdout);
    Path::new(path.trim()).is_absolute()
}
