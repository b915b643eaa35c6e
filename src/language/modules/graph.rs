//! Loading: from the main file along the imports, breadth first.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::syntax::ast::{self, ImportTarget};
use crate::syntax::parse_file;
use ez_runtime::diagnostics::{Code, Diagnostic};
use ez_runtime::library;
use ez_runtime::platform::{reason, slashed};
use ez_runtime::source::{SourceFile, SourceMap, Span};

use super::loader::SourceLoader;
use super::paths::{internal_owner, normalize, relative};

/// All files of a program and how they import each other.
#[derive(Debug)]
pub struct Graph {
    /// Their texts.
    pub sources: Rc<SourceMap>,
    /// Modules in load order, breadth first; the first is the main one.
    pub modules: Vec<ModuleUnit>,
    /// Reports of the parser about files in the main file's directory that do not belong to the program. They end a run,
    /// and are nothing to a check.
    pub sibling_diagnostics: Vec<Vec<Diagnostic>>,
    /// W4001: modules whose declared name is not that of their file or directory.
    pub misnamed: Vec<Diagnostic>,
}

/// A module: one file, or the files of a directory.
#[derive(Debug)]
pub struct ModuleUnit {
    /// Its name in stack traces.
    pub name: Rc<str>,
    /// Its absolute path: the file or the directory.
    pub path: PathBuf,
    /// Its files; of the main module the main file first, else in order of their names.
    pub files: Vec<FileUnit>,
}

/// A parsed file.
#[derive(Debug)]
pub struct FileUnit {
    /// The text.
    pub source: Rc<SourceFile>,
    /// The tree.
    pub ast: ast::File,
    /// The reports of the parser.
    pub diagnostics: Vec<Diagnostic>,
    /// Its imports, one entry an item, in source order.
    pub imports: Vec<ImportUnit>,
}

/// One imported module.
#[derive(Clone, Debug)]
pub struct ImportUnit {
    /// The name it has in the file.
    pub alias: Rc<str>,
    /// The `import` keyword.
    pub keyword: Span,
    /// Its alias, or what is imported.
    pub name: Span,
    /// Whether it has an alias.
    pub has_alias: bool,
    /// Where errors about it point, see `place`.
    pub at: Span,
    /// `import & use`.
    pub auto_use: bool,
    /// The module it refers to.
    pub target: ResolvedImport,
}

/// What an import means.
#[derive(Clone, Debug)]
pub enum ResolvedImport {
    Library(&'static library::Module),
    /// A module of the program, by its number in the graph.
    Module(usize),
    /// None: importing it is an error at run time.
    Failed(Rc<ImportFailure>),
}

/// Why an import fails.
#[derive(Clone, Debug)]
pub struct ImportFailure {
    pub code: Code,
    pub message: String,
    /// Whether the import names a library module (`@name`).
    pub library: bool,
}

/// The main file could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot read {path}: {reason}")]
pub struct LoadError {
    /// The path that was given.
    pub path: String,
    /// The system's message: `No such file or directory`.
    pub reason: String,
}

/// Loads the program whose main file is `path`; reports call that file `name`.
///
/// # Errors
/// When the main file cannot be read. All other errors become part of the graph.
pub fn load(loader: &dyn SourceLoader, path: &Path, name: &str) -> Result<Graph, LoadError> {
    let absolute = loader.absolute(path);
    let text = loader
        .read(&absolute)
        .map_err(|error| LoadError { path: name.to_string(), reason: reason(&error) })?;
    Ok(Loading::new(Some(loader), &absolute, name).run(&absolute, name, &text))
}

/// The program that consists of `text` alone; only library modules can be imported.
pub fn load_text(text: &str, name: &str) -> Graph {
    let path = Path::new("/").join(name);
    Loading::new(None, &path, name).run(&path, name, text)
}

struct Loading<'a> {
    loader: Option<&'a dyn SourceLoader>,
    graph: Graph,
    /// Directory of the main file, absolute and as it was written.
    root: PathBuf,
    root_name: PathBuf,
    by_path: HashMap<PathBuf, Result<usize, Rc<ImportFailure>>>,
}

impl<'a> Loading<'a> {
    fn new(loader: Option<&'a dyn SourceLoader>, path: &Path, name: &str) -> Loading<'a> {
        let graph = Graph {
            sources: Rc::new(SourceMap::new()),
            modules: Vec::new(),
            sibling_diagnostics: Vec::new(),
            misnamed: Vec::new(),
        };
        let root = path.parent().map(Path::to_path_buf).unwrap_or_default();
        let root_name = Path::new(name).parent().map(Path::to_path_buf).unwrap_or_default();
        Loading { loader, graph, root, root_name, by_path: HashMap::new() }
    }

    fn run(mut self, path: &Path, name: &str, text: &str) -> Graph {
        let main = self.parse(path, name, text);
        let title = main.ast.module.as_ref().map_or_else(|| "main".into(), |m| m.text.clone());
        let siblings = self.siblings(path, &main);
        let mut files = vec![main];
        files.extend(siblings);
        self.graph.modules.push(ModuleUnit { name: title, path: path.to_path_buf(), files });
        let mut next = 0;
        while next < self.graph.modules.len() {
            self.resolve_imports(next);
            next += 1;
        }
        self.graph
    }

    fn parse(&mut self, path: &Path, name: &str, text: &str) -> FileUnit {
        let real = self.loader.map_or_else(|| path.to_path_buf(), |loader| loader.real(path));
        let source = self.graph.sources.add_real(name, path, &real, text);
        let parsed = parse_file(&source);
        FileUnit { source, ast: parsed.file, diagnostics: parsed.diagnostics, imports: Vec::new() }
    }

    /// The name of a file other than the main one in reports.
    fn display_name(&self, path: &Path) -> String {
        slashed(&self.root_name.join(relative(&self.root, path)))
    }

    /// The other files of a main module that is spread over its directory: those that declare its name.
    fn siblings(&mut self, main: &Path, file: &FileUnit) -> Vec<FileUnit> {
        let (Some(loader), Some(module)) = (self.loader, &file.ast.module) else { return Vec::new() };
        let mut found = Vec::new();
        for entry in loader.list(&self.root).unwrap_or_default() {
            let path = self.root.join(&entry);
            if !entry.ends_with(".ez") || path == main || loader.is_dir(&path) {
                continue;
            }
            let Ok(text) = loader.read(&path) else { continue };
            let unit = self.parse(&path, &self.display_name(&path), &text);
            if unit.ast.module.as_ref().is_some_and(|m| m.text == module.text) {
                found.push(unit);
            } else {
                self.graph.sibling_diagnostics.push(unit.diagnostics);
            }
        }
        found
    }

    fn resolve_imports(&mut self, module: usize) {
        let Some(unit) = self.graph.modules.get(module) else { return };
        let files: Vec<(Rc<SourceFile>, Vec<ast::Import>)> =
            unit.files.iter().map(|f| (f.source.clone(), f.ast.imports.clone())).collect();
        for (index, (source, imports)) in files.into_iter().enumerate() {
            let mut resolved = Vec::new();
            for import in &imports {
                for item in &import.items {
                    let target = match &item.target {
                        ImportTarget::Library(name) => library_module(&name.text),
                        ImportTarget::Path(target) => self.user_module(&source.path, target),
                    };
                    resolved.push(ImportUnit {
                        alias: item.local_name(),
                        keyword: import.keyword,
                        name: item.name_span(),
                        has_alias: item.alias.is_some(),
                        at: place(&source, import, item),
                        auto_use: import.auto_use,
                        target,
                    });
                }
            }
            let file = self.graph.modules.get_mut(module).and_then(|m| m.files.get_mut(index));
            if let Some(file) = file {
                file.imports = resolved;
            }
        }
    }

    fn user_module(&mut self, importer: &Path, target: &str) -> ResolvedImport {
        let dir = importer.parent().unwrap_or(&self.root);
        let base = if target.starts_with("./") || target.starts_with("../") { dir } else { &self.root };
        let wanted = normalize(&base.join(target));
        if let Some(owner) = internal_owner(&wanted)
            && !dir.starts_with(&owner)
        {
            let message = format!(
                "cannot import from internal/ directory: {} is not accessible from {}",
                slashed(&relative(&self.root, &wanted)),
                slashed(&relative(&self.root, importer)),
            );
            return failed(Code::E6007, message);
        }
        let Some(loader) = self.loader else { return not_found(target) };
        let mut path = wanted.clone();
        if !loader.exists(&path) {
            path.as_mut_os_string().push(".ez");
            if !loader.exists(&path) {
                return not_found(target);
            }
        }
        let known = self.by_path.get(&path).cloned();
        let outcome = known.unwrap_or_else(|| {
            let outcome = self.load_module(loader, &path, target);
            self.by_path.insert(path.clone(), outcome.clone());
            outcome
        });
        outcome.map_or_else(ResolvedImport::Failed, ResolvedImport::Module)
    }

    fn load_module(
        &mut self,
        loader: &dyn SourceLoader,
        path: &Path,
        written: &str,
    ) -> Result<usize, Rc<ImportFailure>> {
        let mut paths = vec![path.to_path_buf()];
        if loader.is_dir(path) {
            let names = loader.list(path).map_err(|e| unreadable(&e))?;
            let inside = names.iter().filter(|n| n.ends_with(".ez")).map(|n| path.join(n));
            paths = inside.filter(|p| !loader.is_dir(p)).collect();
            if paths.is_empty() {
                return Err(failure(Code::E6001, "no .ez files found in module directory"));
            }
        }
        let mut files = Vec::new();
        for file in &paths {
            let text = loader.read(file).map_err(|e| unreadable(&e))?;
            files.push(self.parse(file, &self.display_name(file), &text));
        }
        self.check_names(path, loader.is_dir(path), &files)?;
        let declared = files.iter().find_map(|f| f.ast.module.as_ref()).map(|m| m.text.clone());
        let last = written.rsplit('/').next().unwrap_or(written);
        let name = declared.unwrap_or_else(|| last.strip_suffix(".ez").unwrap_or(last).into());
        self.graph.modules.push(ModuleUnit { name, path: path.to_path_buf(), files });
        Ok(self.graph.modules.len() - 1)
    }

    /// Files of one directory must agree in their `module` name (E6006), which should be that of the
    /// file or directory (W4001).
    fn check_names(
        &mut self,
        path: &Path,
        is_dir: bool,
        files: &[FileUnit],
    ) -> Result<(), Rc<ImportFailure>> {
        let mut declared = files.iter().filter_map(|f| Some((f, f.ast.module.as_ref()?)));
        let Some((first_file, first)) = declared.next() else { return Ok(()) };
        for (file, name) in declared {
            if name.text != first.text {
                let file = slashed(&relative(&self.root, &file.source.path));
                let (got, want) = (&name.text, &first.text);
                let message = format!(
                    "module name mismatch in directory: {file} declares '{got}' but expected '{want}'"
                );
                return Err(failure(Code::E6006, message));
            }
        }
        let stem = |p: &Path| p.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
        let text = &first.text;
        if is_dir {
            let dir = path.file_name().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
            if dir != **text {
                let file = self.graph.sources.add(&self.display_name(path), path, "");
                let message = format!("module declares name '{text}' but directory is named '{dir}'");
                self.graph.misnamed.push(Diagnostic::new(Code::W4001, Span::new(file.id, 0, 0), message));
            }
            return Ok(());
        }
        let (file, parent) = (stem(path), path.parent().map(stem).unwrap_or_default());
        if file != **text && parent != **text {
            let message = format!("module declares name '{text}' but file is named '{file}.ez'");
            let span = Span::new(first_file.source.id, 0, 0);
            self.graph.misnamed.push(Diagnostic::new(Code::W4001, span, message));
        }
        Ok(())
    }
}

/// The place of errors about an imported module: the module in the import, or the `import` keyword if
/// that is on another line.
pub fn place(source: &SourceFile, import: &ast::Import, item: &ast::ImportItem) -> Span {
    let together = source.line(import.keyword.start) == source.line(item.span.start);
    if together { item.span } else { import.keyword }
}

fn failure(code: Code, message: impl Into<String>) -> Rc<ImportFailure> {
    Rc::new(ImportFailure { code, message: message.into(), library: false })
}

fn unknown_library(message: String) -> ResolvedImport {
    ResolvedImport::Failed(Rc::new(ImportFailure { code: Code::E6002, message, library: true }))
}

fn failed(code: Code, message: String) -> ResolvedImport {
    ResolvedImport::Failed(failure(code, message))
}

fn not_found(target: &str) -> ResolvedImport {
    let hint =
        if library::module(target).is_some() { format!("; did you mean @{target}?") } else { String::new() };
    failed(Code::E6001, format!("module not found: {target}{hint}"))
}

fn unreadable(error: &std::io::Error) -> Rc<ImportFailure> {
    failure(Code::E6002, format!("failed to read module file: {}", reason(error)))
}

/// Resolves `import @name`.
pub fn library_module(name: &str) -> ResolvedImport {
    if let Some(module) = library::module(name) {
        return ResolvedImport::Library(module);
    }
    let close = || {
        let mut names = library::MODULES.iter().map(|module| module.name);
        names.find(|module| {
            (name.len() >= 3 && module.starts_with(name)) || (module.len() >= 3 && name.starts_with(module))
        })
    };
    match library::mistaken_module(name).or_else(close) {
        Some(right) => unknown_library(format!("module '{name}' not found; did you mean @{right}?")),
        None => unknown_library(format!("module '{name}' not found")),
    }
}
