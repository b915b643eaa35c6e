//! Programs elsewhere in the workspace that have a file in them: what is declared there cannot be renamed without them.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use serde_json::Value;

use ez_language::analysis::Analysis;
use ez_language::modules::SourceLoader;
use ez_language::syntax::ast::ImportTarget;
use ez_language::syntax::parse_file;
use ez_runtime::source::{SourceFile, SourceMap};

use super::documents::{Documents, part, path};
use super::loader::ClientLoader;
use super::programs::Programs;

/// How many entries of folders are looked at, and how many files with programs.
const MOST_ENTRIES: usize = 100_000;
const MOST_FILES: usize = 5_000;

/// The folders that are open in the editor.
#[derive(Debug, Default)]
pub struct Workspace {
    folders: BTreeSet<PathBuf>,
}

/// A program with its main file.
pub type Program = (PathBuf, Analysis);

/// What is asked of a file to know which others it is in one program with.
struct Candidate {
    path: PathBuf,
    real: PathBuf,
    has_main: bool,
    module: Option<String>,
    /// The last parts of what it imports, without `.ez`.
    imports: Vec<String>,
}

impl Workspace {
    /// The folders in the parameters of `initialize`.
    pub fn new(params: &Value) -> Workspace {
        let mut found = Workspace::default();
        found.add(part(params, "/workspaceFolders"));
        if let Some(uri) = part(params, "/rootUri").as_str().filter(|_| found.folders.is_empty()) {
            found.folders.insert(path(uri));
        }
        found
    }

    /// Takes the parameters of `workspace/didChangeWorkspaceFolders`.
    pub fn change(&mut self, params: &Value) {
        for folder in uris(part(params, "/event/removed")) {
            self.folders.remove(&folder);
        }
        self.add(part(params, "/event/added"));
    }

    fn add(&mut self, folders: &Value) {
        self.folders.extend(uris(folders));
    }

    /// The programs that have the file `declaring` in them, without those that are analysed anyway.
    ///
    /// # Errors
    /// If not everything could be looked at, with the reason.
    pub fn programs(
        &self,
        documents: &Documents,
        known: &Programs,
        declaring: &SourceFile,
    ) -> Result<Vec<Program>, String> {
        let loader = ClientLoader::new(documents);
        let files = self.files(documents, &loader, &declaring.path)?;
        let candidates =
            loader.whole(|loader| files.iter().filter_map(|path| candidate(loader, path)).collect());
        let candidates: Vec<Candidate> = candidates?;
        let mut found: Vec<Program> = Vec::new();
        for Candidate { path: main, real, .. } in together(&candidates, &declaring.real) {
            let is_known = known.analyses().any(|analysis| analysis.has(real));
            if is_known || found.iter().any(|(_, analysis)| analysis.has(real)) {
                continue;
            }
            let analysis = loader.whole(|loader| Analysis::new(loader, main, None).ok());
            let analysis = analysis?.filter(|it| it.has(&declaring.real));
            found.extend(analysis.map(|it| (main.clone(), it)));
        }
        Ok(found)
    }

    /// The files of the workspace, those beside a file, and the `main.ez` of the two folders above it.
    fn files(
        &self,
        documents: &Documents,
        loader: &dyn SourceLoader,
        declaring: &Path,
    ) -> Result<BTreeSet<PathBuf>, String> {
        let mut found: BTreeSet<PathBuf> = documents.paths().map(Path::to_path_buf).collect();
        let folder = declaring.parent().unwrap_or(declaring);
        found.extend(loader.list(folder).unwrap_or_default().into_iter().map(|name| folder.join(name)));
        found.retain(|path| is_program(path));
        found.extend(folder.ancestors().skip(1).take(2).map(|folder| folder.join("main.ez")));
        let mut folders: Vec<PathBuf> = self.folders.iter().cloned().collect();
        let mut entries = 0;
        while let Some(folder) = folders.pop() {
            // A folder that cannot be read has no program that could be run.
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                entries += 1;
                let (path, name) = (entry.path(), entry.file_name());
                let is_hidden = name.as_encoded_bytes().starts_with(b".") || name == "node_modules";
                // Links to folders may lead in circles.
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) && !is_hidden {
                    folders.push(path);
                } else if is_program(&path) {
                    found.insert(path);
                }
            }
            if entries > MOST_ENTRIES || found.len() > MOST_FILES {
                return Err(format!(
                    "there may be programs that import {}, and not all of the workspace could be looked at (more than {MOST_FILES} programs or {MOST_ENTRIES} files): open a smaller folder",
                    declaring.file_name().unwrap_or_default().to_string_lossy()
                ));
            }
        }
        Ok(found)
    }
}

fn uris(folders: &Value) -> impl Iterator<Item = PathBuf> {
    folders.as_array().into_iter().flatten().filter_map(|folder| Some(path(folder.get("uri")?.as_str()?)))
}

fn is_program(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "ez")
}

fn candidate(loader: &dyn SourceLoader, path: &Path) -> Option<Candidate> {
    let text = loader.read(path).ok()?;
    let tree = parse_file(&SourceMap::new().add("", path, &text)).file;
    let items = tree.imports.iter().flat_map(|import| &import.items);
    let imports = items.filter_map(|item| match &item.target {
        ImportTarget::Path(target) => {
            let last = target.trim_end_matches('/').rsplit('/').next()?;
            Some(last.strip_suffix(".ez").unwrap_or(last).to_string())
        }
        ImportTarget::Library(_) => None,
    });
    Some(Candidate {
        path: path.to_path_buf(),
        real: loader.real(path),
        has_main: tree.has_main(),
        imports: imports.collect(),
        module: tree.module.as_ref().map(|module| module.text.to_string()),
    })
}

/// The files that may be the main file of a program with a file in it, those with a `main` first: what imports something
/// of its name, its folder's or that of a link to it, what imports these, and files of the same module. `declaring` is
/// its real path.
fn together<'c>(candidates: &'c [Candidate], declaring: &Path) -> Vec<&'c Candidate> {
    let text = |part: Option<&std::ffi::OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
    let names = |path: &Path| [text(path.file_stem()), text(path.parent().and_then(Path::file_name))];
    let module = |it: &Candidate| Some((it.path.parent()?.to_path_buf(), it.module.clone()?));
    let (own, mut rest): (Vec<&Candidate>, Vec<&Candidate>) =
        candidates.iter().partition(|it| it.real == declaring);
    let paths = own.iter().map(|it| it.path.as_path()).chain([declaring]);
    let mut wanted: HashSet<String> = paths.flat_map(names).collect();
    let mut of_modules: HashSet<(PathBuf, String)> = own.into_iter().filter_map(module).collect();
    let mut found: Vec<&Candidate> = Vec::new();
    loop {
        let (more, others): (Vec<&Candidate>, Vec<&Candidate>) = rest.into_iter().partition(|it| {
            it.imports.iter().any(|name| wanted.contains(name))
                || module(it).is_some_and(|module| of_modules.contains(&module))
        });
        if more.is_empty() {
            break;
        }
        wanted.extend(more.iter().flat_map(|it| names(&it.path)));
        of_modules.extend(more.iter().filter_map(|it| module(it)));
        found.extend(more);
        rest = others;
    }
    found.sort_by_key(|it| !it.has_main);
    found
}
