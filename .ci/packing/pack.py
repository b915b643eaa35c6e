#!/usr/bin/env python3
"""The parts of a release that are made of a built `ez`: the same bytes for the same input and SOURCE_DATE_EPOCH.

    pack.py texts EZ FOLDER                     man page and completions, written by EZ
    pack.py archive TARGET EZ TEXTS OUT         ez-VERSION-TARGET.tar.gz, or .zip for Windows
    pack.py page FOLDER OUT                     the page that .ci/web has built, ez-web-VERSION.zip
    pack.py sbom OUT                            the bill of materials, ez-VERSION.cdx.json
    pack.py manifests OUT                       Homebrew and winget, for the archives in OUT
    pack.py sums OUT                            SHA256SUMS

VERSION is that of Cargo.toml. Run in the folder of the sources.
"""

import gzip
import hashlib
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import textwrap
import time
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TEMPLATES = ROOT / ".ci" / "packing" / "templates"
#: All that there are programs for.
TARGETS = ("x86_64-unknown-linux-musl", "aarch64-unknown-linux-musl", "x86_64-pc-windows-gnu", "x86_64-apple-darwin",
           "aarch64-apple-darwin")
COMPLETIONS = {"bash": "ez.bash", "zsh": "_ez", "fish": "ez.fish", "powershell": "ez.ps1", "elvish": "ez.elv"}


def field(name):
    """A field of the package in Cargo.toml."""
    text = (ROOT / "Cargo.toml").read_text(encoding="utf-8")
    return re.search(rf'^{name} = "(.*)"$', text, re.MULTILINE).group(1)


def epoch():
    return int(os.environ["SOURCE_DATE_EPOCH"])


def output(*command, **options):
    """What a command prints; `environment` is added to the one here."""
    environment = {**os.environ, **options.pop("environment", {})}
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, timeout=120, env=environment, **options)
    return done.stdout.decode("utf-8")


# ---- man page and completions


def roff(text):
    """A text as it is, for the formatter of man pages, in lines that are not long."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    lines = textwrap.wrap(escaped, 78, break_long_words=False, break_on_hyphens=False)
    return "\n".join("\\&" + line if line[:1] in (".", "'") else line for line in lines)


def entry(name, *lines):
    return [".TP", f".B {roff(name)}", *lines]


def prose(text):
    """Paragraphs, with examples that are indented: what is typed, and what it does behind some blanks."""
    made = []
    for line in filter(None, text.splitlines()):
        if line.startswith("  "):
            typed, *what = re.split(r" {2,}", line.strip(), maxsplit=1)
            made += entry(typed, *map(roff, what))
        else:
            made += [".PP", roff(line)]
    return made[1:]


def help_of(ez, *command):
    """What `--help` prints: what the command does, its usages, its parts by their headings (lists of names with lines of
    text), and what follows them."""
    text = output(ez, *command, "--help", environment={"COLUMNS": "100000"})
    about, rest = text.split("\n\nUsage: ", 1)
    usages, rest = rest.split("\n\n", 1) if "\n\n" in rest else (rest, "")
    parts, after, items = {}, [], None
    for line in rest.splitlines():
        heading = re.fullmatch(r"(Commands|Arguments|Options):", line)
        item = re.fullmatch(r" {2,6}(\S.*?)(?: {2,}(\S.*))?", line)
        if heading:
            items = parts.setdefault(heading[1], [])
        elif after or line[:1] not in ("", " "):
            after.append(line)
        elif item and items is not None:
            items.append((item[1], [item[2]] if item[2] else []))
        elif line.strip() and items:
            items[-1][1].append(line.strip())
    return about, [usage.strip() for usage in usages.splitlines()], parts, "\n".join(after)


def listed(items):
    """Entries with their texts, each line of which stays one: values and defaults."""
    return [line for name, lines in items for line in entry(name, *"\n.br\n".join(map(roff, lines)).splitlines())]


def man_page(ez):
    about, usages, parts, after = help_of(ez)
    shared = {name for name, _ in parts["Options"]}
    day = time.strftime("%Y-%m-%d", time.gmtime(epoch()))
    page = [f'.TH EZ 1 "{day}" "ez-debugger {field("version")}" "User Commands"', ".SH NAME",
            "ez \\- " + roff(field("description")[0].lower() + field("description")[1:]), ".SH SYNOPSIS"]
    page += "\n.br\n".join(f".B {roff(usage)}" for usage in usages).splitlines()
    page += [".SH DESCRIPTION", *prose(about), ".PP", *prose(after), ".SH COMMANDS"]

    def command(*names):
        about, usages, parts, after = help_of(ez, *names)
        own = [(name, lines) for name, lines in parts.get("Options", []) if name not in shared]
        nested = [name for name, _ in parts.get("Commands", []) if name != "help"]
        page.extend([".SS " + roff(" ".join(["ez", *names])), *prose(about)])
        for usage in usages:
            page.extend([".PP", roff(usage)])
        page.extend(listed(parts.get("Arguments", []) + own))
        if after:
            page.extend([".PP", *prose(after)])
        for name in nested:
            command(*names, name)

    for name, _ in parts["Commands"]:
        if name != "help":
            command(name)
    page += [".SH OPTIONS", "Those of all commands:", *listed(parts["Options"]),
             (TEMPLATES / "man-end.txt").read_text(encoding="utf-8").rstrip().replace("@REPOSITORY@", field("repository"))]
    return "\n".join(page) + "\n"


def texts(ez, folder):
    folder = Path(folder)
    (folder / "man").mkdir(parents=True, exist_ok=True)
    (folder / "completions").mkdir(exist_ok=True)
    (folder / "man" / "ez.1").write_text(man_page(ez), encoding="utf-8", newline="\n")
    for shell, name in COMPLETIONS.items():
        script = output(ez, "completion", shell)
        (folder / "completions" / name).write_text(script, encoding="utf-8", newline="\n")


# ---- archives


def archive(target, ez, folder, out):
    version, windows = field("version"), "windows" in target
    top = f"ez-{version}-{target}"
    program = "ez.exe" if windows else "ez"
    readme = (TEMPLATES / "archive-readme.txt").read_text(encoding="utf-8")
    readme = readme.replace("@VERSION@", version).replace("@TARGET@", target).replace("@EZ@", program)
    files = {f"{top}/{program}": (Path(ez).read_bytes(), 0o755), f"{top}/README.txt": (readme.encode(), 0o644)}
    for name in ("LICENSE", "THIRD-PARTY.txt"):
        files[f"{top}/{name}"] = ((ROOT / name).read_bytes(), 0o644)
    for path in sorted(Path(folder).glob("*/*")):
        if not windows or path.suffix == ".ps1":
            files[f"{top}/{path.parent.name}/{path.name}"] = (path.read_bytes(), 0o644)
    for path in sorted([*(ROOT / "examples").glob("*.ez"), *(ROOT / "editors").rglob("*")]):
        # The extension for Visual Studio Code is a file of its own.
        if path.is_file() and "vscode" not in path.parts:
            files[f"{top}/{path.relative_to(ROOT).as_posix()}"] = (path.read_bytes(), 0o644)
    name = Path(out) / f"{top}.{'zip' if windows else 'tar.gz'}"
    (write_zip if windows else write_tar)(name, files)
    print(name.name)


def page(folder, out):
    """The page in a folder of its own, with what has to be passed on with it."""
    top = f"ez-web-{field('version')}"
    readme = (TEMPLATES / "page-readme.txt").read_text(encoding="utf-8").replace("@TOP@", top)
    files = {f"{top}/README.txt": (readme.encode(), 0o644)}
    for name in ("LICENSE", "THIRD-PARTY.txt"):
        files[f"{top}/{name}"] = ((ROOT / name).read_bytes(), 0o644)
    for path in sorted(Path(folder).rglob("*")):
        if path.is_file():
            files[f"{top}/{path.relative_to(folder).as_posix()}"] = (path.read_bytes(), 0o644)
    name = Path(out) / f"{top}.zip"
    write_zip(name, files)
    print(name.name)


def write_tar(name, files):
    inner = io.BytesIO()
    with tarfile.open(fileobj=inner, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for path in sorted(files):
            data, mode = files[path]
            entry = tarfile.TarInfo(path)
            entry.size, entry.mode, entry.mtime = len(data), mode, epoch()
            tar.addfile(entry, io.BytesIO(data))
    with open(name, "wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=epoch()) as packed:
        packed.write(inner.getvalue())


def write_zip(name, files):
    with zipfile.ZipFile(name, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in sorted(files):
            data, mode = files[path]
            entry = zipfile.ZipInfo(path, time.gmtime(epoch())[:6])
            entry.compress_type, entry.create_system, entry.external_attr = zipfile.ZIP_DEFLATED, 3, mode << 16
            archive.writestr(entry, data)


# ---- bill of materials, manifests of package managers, sums


def linked_crates():
    """Names and versions of the crates that are linked into the programs: those of some features are in tests only, and
    those of macros run while others are compiled."""
    found = set()
    for target in TARGETS:
        tree = output("cargo", "tree", "--locked", "--edges=normal,no-proc-macro", "--prefix=none", "--format={p}",
                      "--package=ez-debugger", f"--target={target}")
        found.update(re.findall(r"^(\S+) v(\S+)", tree, re.MULTILINE))
    return found


def other_libraries():
    """What is linked besides crates (see .ci/notices): names, versions and licences. A version is None where the tool
    that brings the library is not there."""
    def found(pattern, *command):
        try:
            return re.search(pattern, output(*command, stderr=subprocess.DEVNULL)).group(1)
        except (OSError, subprocess.CalledProcessError, AttributeError):
            return None

    numbers = [found(rf"__MINGW64_VERSION_{part} (\d+)", "x86_64-w64-mingw32-gcc", "-E", "-dM", "-include", "_mingw.h",
                     "-xc", os.devnull) for part in ("MAJOR", "MINOR", "BUGFIX")]
    zig = "import pathlib, ziglang as z; print(pathlib.Path(z.__file__).with_name('lib')" \
        ".joinpath('libc/musl/src/internal/version.h').read_text())"
    return [("rust-std", found(r"rustc (\S+)", "rustc", "--version"), "MIT OR Apache-2.0"),
            ("musl", found(r'VERSION "(.*)"', sys.executable, "-c", zig), "MIT"),
            ("mingw-w64", ".".join(numbers) if all(numbers) else None, "ZPL-2.1")]


def sbom(out):
    """What is linked into the programs, in CycloneDX; for all targets together."""
    platforms = [f"--filter-platform={target}" for target in TARGETS]
    metadata = json.loads(output("cargo", "metadata", "--locked", "--format-version", "1", *platforms))
    crates = linked_crates()
    packages = {package["id"]: package for package in metadata["packages"]
                if (package["name"], package["version"]) in crates}
    uses = {node["id"]: [one["pkg"] for one in node["deps"] if one["pkg"] in packages
                         and any(kind["kind"] is None for kind in one["dep_kinds"])]
            for node in metadata["resolve"]["nodes"] if node["id"] in packages}
    lock = (ROOT / "Cargo.lock").read_text(encoding="utf-8")
    sums = {(name, version): digest for name, version, digest in
            re.findall(r'name = "(.*)"\nversion = "(.*)"\nsource = ".*"\nchecksum = "(.*)"', lock)}

    def purl(package):
        return f"pkg:cargo/{packages[package]['name']}@{packages[package]['version']}"

    def component(package):
        found = packages[package]
        made = {"type": "library", "bom-ref": purl(package), "name": found["name"], "version": found["version"],
                "purl": purl(package)}
        if found["license"]:
            made["licenses"] = [{"expression": found["license"].replace("/", " OR ")}]
        if (found["name"], found["version"]) in sums:
            made["hashes"] = [{"alg": "SHA-256", "content": sums[found["name"], found["version"]]}]
        return made

    root = metadata["resolve"]["root"]
    others = sorted(set(packages) - {root}, key=purl)
    besides = [{"type": "library", "bom-ref": name, "name": name, **({"version": number} if number else {}),
                "licenses": [{"expression": licence}]} for name, number, licence in other_libraries()]
    document = {
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "metadata": {"timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(epoch())),
                     "component": {**component(root), "type": "application"}},
        "components": [component(package) for package in others] + besides,
        "dependencies": [{"ref": purl(package), "dependsOn": sorted({purl(used) for used in uses[package]})}
                         for package in [root, *others]],
    }
    file = Path(out) / f"ez-{field('version')}.cdx.json"
    file.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8", newline="\n")
    print(file.name)


def sum_of(file):
    return hashlib.sha256(file.read_bytes()).hexdigest()


def manifests(out):
    """Fills in the templates. What names an archive that is not there is left out."""
    out, version = Path(out), field("version")
    base = f"{field('repository')}/releases/download/v{version}"
    left_out = []

    def block(found):
        name = re.search(r"@SHA256 ([^@]*)@", found.group(0)).group(1)
        if (out / name).exists():
            return found.group(0)
        left_out.append(name)
        return ""

    for template in sorted(TEMPLATES.glob("*.*")):
        if template.suffix == ".txt":
            continue
        text = template.read_text(encoding="utf-8").replace("@VERSION@", version).replace("@BASE@", base)
        text = re.sub(r"    on_\w+ do\n      url .*\n      sha256 .*\n    end\n", block, text)
        text = re.sub(r"  on_\w+ do\n  end\n\n", "", text)
        if "winget" in template.name and not (out / f"ez-{version}-x86_64-pc-windows-gnu.zip").exists():
            left_out.append(template.name)
            continue
        text = re.sub(r"@SHA256 ([^@]*)@", lambda found: sum_of(out / found.group(1)), text)
        name = template.name.replace("winget.", "EzDebugger.EzDebugger.") if "winget" in template.name else template.name
        (out / name).write_text(text, encoding="utf-8", newline="\n")
        print(name)
    for name in left_out:
        print(f"pack: left out: {name}", file=sys.stderr)


def sums(out):
    out = Path(out)
    files = sorted(file for file in out.iterdir() if file.is_file() and file.name not in ("SHA256SUMS", "LISTING.txt"))
    text = "".join(f"{sum_of(file)}  {file.name}\n" for file in files)
    (out / "SHA256SUMS").write_text(text, encoding="utf-8", newline="\n")


COMMANDS = {"texts": texts, "archive": archive, "page": page, "sbom": sbom, "manifests": manifests, "sums": sums}

if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in COMMANDS:
        sys.exit(__doc__)
    COMMANDS[sys.argv[1]](*sys.argv[2:])
