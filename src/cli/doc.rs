//! `ez doc PATH…`: writes `DOCS.md` from the `#doc` attributes of programs.

use std::collections::HashSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use crate::clients::overwrite::{is_not_regular, written_before};
use crate::clients::show::{Style, absolute, print, report, unreadable};
use ez_language::modules::{DiskLoader, SourceLoader};
use ez_language::syntax::ast::{EnumDecl, FuncDecl, Stmt, StmtKind, StructDecl};
use ez_language::syntax::parse_file;
use ez_runtime::diagnostics::has_errors;
use ez_runtime::platform::{path_of, reason};
use ez_runtime::source::{SourceFile, SourceMap};

const PAGE: &str = "DOCS.md";

/// How it begins.
const HEAD: &str = "# Documentation";

/// The documented declarations, by kind.
#[derive(Default)]
struct DocItems {
    functions: Vec<DocItem>,
    structs: Vec<DocItem>,
    enums: Vec<DocItem>,
}

struct DocItem {
    name: String,
    signature: String,
    text: String,
}

pub(super) fn doc(paths: &[String], style: Style) -> u8 {
    let mut items = DocItems::default();
    let mut failed = false;
    for path in paths {
        let files = match files(path) {
            Ok(files) => files,
            Err(error) => {
                eprintln!("{}", unreadable(path, &reason(&error)));
                failed = true;
                continue;
            }
        };
        for file in files {
            let name = file.to_string_lossy();
            match DiskLoader.read(&absolute(&name)) {
                Ok(text) => failed |= !items.collect(&name, &text, style),
                Err(error) => {
                    eprintln!("{}", unreadable(&name, &reason(&error)));
                    failed = true;
                }
            }
        }
    }
    u8::from(failed).max(write(&mut items, failed))
}

/// Writes the page. `is_part`: there are files of which nothing is known.
fn write(items: &mut DocItems, is_part: bool) -> u8 {
    let count = items.functions.len() + items.structs.len() + items.enums.len();
    if count == 0 {
        if !is_part {
            print("No documented items found.\n");
        }
        return 0;
    }
    if is_not_regular(Path::new(PAGE)) {
        eprintln!("Error writing {PAGE}: it is not a regular file");
        return 1;
    }
    if let Err(why) = written_before(PAGE, &[HEAD]) {
        eprintln!("Error writing {PAGE}: {why}: rename it first");
        return 1;
    }
    if let Err(error) = std::fs::write(PAGE, items.page()) {
        eprintln!("Error writing {PAGE}: {}", reason(&error));
        return 1;
    }
    let without = if is_part { ", without those of files with errors" } else { "" };
    print(&format!("Generated {PAGE} with {count} documented item(s){without}\n"));
    0
}

/// The programs that an argument stands for: a file, the files of a directory, or (`DIR/...`) all below it.
fn files(path: &str) -> std::io::Result<Vec<PathBuf>> {
    if let Some(root) = path.strip_suffix("...") {
        let root = if root.is_empty() { "." } else { root };
        let mut found = Vec::new();
        below(&path_of(root), true, &mut HashSet::new(), &mut found)?;
        return Ok(found);
    }
    if path_of(path).is_dir() {
        let mut found = Vec::new();
        below(&path_of(path), false, &mut HashSet::new(), &mut found)?;
        return Ok(found);
    }
    Ok(vec![path.into()])
}

/// The programs in a directory, sorted by name, then those of its subdirectories; no pipes and devices, which one may wait
/// for. `seen`: the directories visited so far, since links can form cycles.
pub(super) fn below(
    directory: &Path,
    deep: bool,
    seen: &mut HashSet<PathBuf>,
    found: &mut Vec<PathBuf>,
) -> std::io::Result<()> {
    if !seen.insert(dunce::canonicalize(directory)?) {
        return Ok(());
    }
    let mut inner = Vec::new();
    for name in DiskLoader.list(directory)? {
        let path = directory.join(&name);
        if path.is_dir() {
            inner.push(path);
        } else if name.ends_with(".ez") && !is_not_regular(&path) {
            found.push(path);
        }
    }
    for path in inner.iter().filter(|_| deep) {
        // Unreadable directories are left out.
        let _ = below(path, deep, seen, found);
    }
    Ok(())
}

impl DocItems {
    /// Adds what a file documents. Returns whether it has no syntax errors; they are reported, and nothing of it is added.
    fn collect(&mut self, name: &str, text: &str, style: Style) -> bool {
        let sources = SourceMap::new();
        let source = sources.add(name, Path::new(name), text);
        let parsed = parse_file(&source);
        if has_errors(&parsed.diagnostics) {
            report(&parsed.diagnostics, &sources, style);
            return false;
        }
        for stmt in &parsed.file.items {
            self.add(&source, stmt);
        }
        true
    }

    fn add(&mut self, source: &SourceFile, stmt: &Stmt) {
        let Some(text) = &stmt.attrs.doc else { return };
        let text = text.as_deref().unwrap_or_default().to_string();
        let (group, name, signature) = if let StmtKind::Func(decl) = &stmt.kind {
            (&mut self.functions, &decl.name, function(source, decl))
        } else if let StmtKind::Struct(decl) = &stmt.kind {
            (&mut self.structs, &decl.name, structure(source, decl))
        } else if let StmtKind::Enum(decl) = &stmt.kind {
            (&mut self.enums, &decl.name, enumeration(source, decl))
        } else {
            return;
        };
        group.push(DocItem { name: name.text.to_string(), signature, text });
    }

    fn page(&mut self) -> String {
        let mut page = format!("{HEAD}\n\n*Generated by `ez doc`*\n\n");
        let groups =
            [("Functions", &mut self.functions), ("Structs", &mut self.structs), ("Enums", &mut self.enums)];
        for (title, items) in groups {
            if items.is_empty() {
                continue;
            }
            #[allow(clippy::disallowed_methods, reason = "texts are ordered totally")]
            items.sort_by(|a, b| a.name.cmp(&b.name));
            // Writing to a string cannot fail.
            let _ = write!(page, "## {title}\n\n");
            for item in items.iter() {
                let _ = write!(page, "### {}\n\n```ez\n{}\n```\n\n", item.name, item.signature);
                if !item.text.is_empty() {
                    let _ = write!(page, "{}\n\n", item.text);
                }
            }
        }
        page
    }
}

fn function(source: &SourceFile, decl: &FuncDecl) -> String {
    let parameters: Vec<String> = decl
        .params
        .iter()
        .map(|p| {
            let by_ref = if p.by_ref { "&" } else { "" };
            format!("{by_ref}{} {}", p.name.text, source.slice(p.ty.span))
        })
        .collect();
    let results: Vec<&str> = decl.results.iter().map(|r| source.slice(r.ty.span)).collect();
    let results = match results.as_slice() {
        [] => String::new(),
        [one] => format!(" -> {one}"),
        several => format!(" -> ({})", several.join(", ")),
    };
    format!("do {}({}){results}", decl.name.text, parameters.join(", "))
}

fn structure(source: &SourceFile, decl: &StructDecl) -> String {
    let fields = decl.fields.iter();
    let fields = fields.map(|f| format!("    {} {}\n", f.name.text, source.slice(f.ty.span)));
    format!("const {} struct {{\n{}}}", decl.name.text, fields.collect::<String>())
}

fn enumeration(source: &SourceFile, decl: &EnumDecl) -> String {
    let members = decl.members.iter().map(|(name, value)| match value {
        None => format!("    {}\n", name.text),
        Some(value) => format!("    {} = {}\n", name.text, value_text(source.slice(value.span))),
    });
    format!("const {} enum {{\n{}}}", decl.name.text, members.collect::<String>())
}

/// A value's token without the quotes of a string.
fn value_text(written: &str) -> &str {
    let quoted = written.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    quoted.unwrap_or(written)
}
