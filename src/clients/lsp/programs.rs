//! The programs that the open documents are parts of.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use serde_json::Value;

use ez_language::analysis::{Analysis, fix};
use ez_language::modules::SourceLoader;
use ez_language::syntax::parse_file;
use ez_runtime::source::SourceMap;

use super::documents::{Documents, real};
use super::loader::ClientLoader;
use super::positions::offset;

/// The analyses of programs, by their main files.
#[derive(Default)]
pub struct Programs {
    analyses: BTreeMap<PathBuf, Analysis>,
    stale: Stale,
    /// Files beside the open ones with a program that imports others.
    neighbours: Vec<PathBuf>,
    /// Why there is none that begins with a file, by its real path: a text of it is not known.
    not_known: BTreeMap<PathBuf, String>,
}

/// What has changed since the programs were analysed.
#[derive(Debug, Default)]
enum Stale {
    #[default]
    All,
    /// The texts of these files, by their real paths.
    Files(BTreeSet<PathBuf>),
}

impl Stale {
    fn includes(&self, analysis: &Analysis) -> bool {
        match self {
            Stale::All => true,
            Stale::Files(changed) => changed.iter().any(|real| analysis.file(real).is_some()),
        }
    }
}

impl Programs {
    /// Why there is no program that begins with a file: a text of it is not known.
    pub fn not_known(&self, real: &Path) -> Option<&str> {
        self.not_known.get(real).map(String::as_str)
    }

    /// The text of an open document has changed.
    pub fn changed(&mut self, real: &Path) {
        if let Stale::Files(changed) = &mut self.stale {
            changed.insert(real.into());
        }
    }

    /// There may be other files.
    pub fn all_changed(&mut self) {
        self.stale = Stale::All;
    }

    /// The analyses of programs that have an open document.
    pub fn of_open(&self, documents: &Documents) -> impl Iterator<Item = &Analysis> {
        let of_open = |analysis: &&Analysis| documents.all().any(|real| analysis.has(real));
        let found: Vec<&Analysis> = self.analyses.values().filter(of_open).collect();
        found.into_iter()
    }

    /// The analysis that a document belongs to.
    pub fn of(&self, real: &Path) -> Option<&Analysis> {
        let mut all = self.analyses.values();
        let own = all.find(|analysis| analysis.begins_with(real));
        own.or_else(|| self.analyses.values().find(|analysis| analysis.has(real)))
    }

    /// The text of a document after all its certain fixes, as `ez check --fix` applies them.
    pub fn fixed(&self, documents: &Documents, real: &Path) -> Option<String> {
        let analysis = self.of(real)?;
        let (main, file) = (self.main_of(analysis)?, analysis.file(real)?);
        let loader = ClientLoader::new(documents);
        let fixed = loader.whole(|loader| fix(loader, main, &main.to_string_lossy())).ok()?.ok()??;
        fixed.get(&file.path).map(|file| file.text.clone())
    }

    /// The program of a document with its text of now, if nothing else has changed since it was analysed.
    pub fn draft(&self, documents: &Documents, real: &Path, position: &Value) -> Option<Analysis> {
        let Stale::Files(changed) = &self.stale else { return None };
        let is_only = changed.len() == 1 && changed.contains(real);
        let analysis = self.of(real).filter(|_| is_only)?;
        let source = analysis.file(real)?.with_text(documents.text(real)?);
        let at = offset(&source, position, documents.encoding);
        Some(analysis.edited(source, at))
    }

    /// All analyses.
    pub fn analyses(&self) -> impl Iterator<Item = &Analysis> {
        self.analyses.values()
    }

    /// All analyses with their main files.
    pub fn with_mains(&self) -> impl Iterator<Item = (&Path, &Analysis)> {
        self.analyses.iter().map(|(main, analysis)| (main.as_path(), analysis))
    }

    /// The main file of a program.
    pub fn main_of(&self, analysis: &Analysis) -> Option<&Path> {
        self.analyses.iter().find(|(_, one)| std::ptr::eq(*one, analysis)).map(|(main, _)| main.as_path())
    }

    /// Analyses each open document with the programs beside it that it is part of, or else by itself.
    pub fn update(&mut self, documents: &Documents) {
        let stale = std::mem::replace(&mut self.stale, Stale::Files(BTreeSet::new()));
        if matches!(&stale, Stale::Files(changed) if changed.is_empty()) {
            return;
        }
        let mut before = std::mem::take(&mut self.analyses);
        self.not_known.clear();
        let loader = ClientLoader::new(documents);
        // By their real paths.
        let mut known: HashSet<PathBuf> = HashSet::new();
        let mut mains: Vec<PathBuf> = documents.paths().map(|path| path.with_file_name("main.ez")).collect();
        mains.dedup();
        if matches!(stale, Stale::All) {
            self.neighbours = neighbours(&loader, documents);
        }
        let open = documents.paths().map(Path::to_path_buf);
        for main in mains.into_iter().chain(open).chain(self.neighbours.clone()) {
            if known.contains(&real(&main)) {
                continue;
            }
            let earlier = before.remove(&main);
            let analysis = match earlier {
                Some(earlier) if !stale.includes(&earlier) => Some(earlier),
                earlier => {
                    let made = loader.whole(|loader| Analysis::new(loader, &main, earlier.as_ref()).ok());
                    made.unwrap_or_else(|why| {
                        self.not_known.insert(real(&main), why);
                        None
                    })
                }
            };
            if let Some(analysis) = analysis {
                let parts = documents.all().filter(|real| analysis.has(real));
                let parts: Vec<PathBuf> = parts.map(Path::to_path_buf).collect();
                if parts.is_empty() && self.neighbours.contains(&main) {
                    continue;
                }
                known.extend(parts.into_iter().chain([real(&main)]));
                self.analyses.insert(main, analysis);
            }
        }
        // What they import can change only with their own texts.
        self.neighbours.retain(|main| self.analyses.contains_key(main));
        self.drop_imported();
    }

    /// Drops the analyses of files by themselves that are parts of another program.
    fn drop_imported(&mut self) {
        let mains: Vec<PathBuf> = self.analyses.keys().cloned().collect();
        for main in mains {
            let mut others = self.analyses.iter().filter(|(other, _)| **other != main);
            let real = real(&main);
            if others.any(|(_, analysis)| analysis.has(&real)) {
                self.analyses.remove(&main);
            }
        }
    }
}

/// So many files of a folder are looked at.
const MOST_NEIGHBOURS: usize = 200;

/// The programs that import files, and may import an open one: those beside it, but `main.ez`, and the `main.ez` of the
/// two folders above.
fn neighbours(loader: &dyn SourceLoader, documents: &Documents) -> Vec<PathBuf> {
    let folders: BTreeSet<&Path> = documents.paths().filter_map(Path::parent).collect();
    let mut found = Vec::new();
    for folder in folders {
        let names = loader.list(folder).unwrap_or_default();
        let files = names.iter().filter(|name| name.ends_with(".ez") && *name != "main.ez");
        let beside = files.take(MOST_NEIGHBOURS).map(|name| folder.join(name));
        let above = folder.ancestors().skip(1).take(2).map(|folder| folder.join("main.ez"));
        for path in beside.chain(above) {
            let Ok(text) = loader.read(&path) else { continue };
            let tree = parse_file(&SourceMap::new().add("", &path, &text)).file;
            let is_new = !documents.is_open(&real(&path)) && !found.contains(&path);
            if is_new && tree.has_main() && tree.imports_files() {
                found.push(path);
            }
        }
    }
    found
}
