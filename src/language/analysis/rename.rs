//! Another name for what a name means, everywhere in a program, or the reason why not.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use crate::modules::{SourceLoader, TextLoader};
use crate::syntax::token::is_reserved;
use crate::syntax::{TokenKind, lex_deeply};
use ez_runtime::diagnostics::Edit;
use ez_runtime::source::{SourceFile, Span};
use ez_runtime::text::slice;

use super::index::{Referent, Symbol};
use super::names::is_name;
use super::outline::ItemKind;
use super::{Analysis, Occurrence};

/// The edits of files by [`SourceFile::real`].
pub type Edits = BTreeMap<PathBuf, Vec<Edit>>;

impl Analysis {
    /// The name at an offset of a file, if its declaration can have another name.
    ///
    /// # Errors
    /// Why it cannot.
    pub fn renamable(&self, file: &SourceFile, offset: u32) -> Result<(&Occurrence, &Symbol), String> {
        let occurrence = self.now.index.at(file.id, offset).ok_or("here is no name that is known")?;
        let name = file.slice(occurrence.at);
        match occurrence.to {
            Referent::Row(module, _) => return Err(format!("'{name}' belongs to the library (@{module})")),
            Referent::Library(_) => return Err(format!("'{name}' is a module of the library")),
            Referent::Source(..) => {}
        }
        let symbol = self.now.index.symbol(occurrence.to);
        // With another name in its import, that is meant.
        let is_module = |symbol: &&Symbol| symbol.kind == ItemKind::Module && symbol.whole == symbol.at;
        let symbol = symbol.filter(|symbol| !is_module(symbol));
        let symbol = symbol.ok_or_else(|| format!("'{name}' is a module, which has the name of its file"))?;
        if name == "main" && self.begins_program(symbol) {
            return Err("'main' is the function with which a program begins".into());
        }
        Ok((occurrence, symbol))
    }

    /// Whether a symbol is a function of the main module.
    fn begins_program(&self, symbol: &Symbol) -> bool {
        let mut main = self.now.graph.modules.first().into_iter().flat_map(|module| &module.files);
        symbol.kind == ItemKind::Function && main.any(|file| file.source.id == symbol.at.file)
    }

    /// The edits that give what the name at an offset means another name. Everything means the same afterwards: the
    /// program is analysed with the new name, and what it reports and what its names refer to is compared.
    ///
    /// # Errors
    /// Why that is not possible.
    pub fn rename(
        &self,
        loader: &dyn SourceLoader,
        main: &Path,
        (file, offset): (&SourceFile, u32),
        new: &str,
    ) -> Result<Edits, String> {
        let (occurrence, symbol) = self.renamable(file, offset)?;
        let old = file.slice(occurrence.at);
        if old == new {
            return Ok(Edits::new());
        }
        check_name(new)?;
        if !self.now.checked.is_parsed {
            return Err("names can be changed when there are no syntax errors".into());
        }
        self.check_twice()?;
        self.check_unknown(old, new, symbol.kind)?;
        let mut edits = Edits::new();
        for occurrence in self.now.index.all(occurrence.to) {
            let source = self.source(occurrence.at.file).ok_or("a file has gone")?;
            if source.slice(occurrence.at) != old {
                let line = source.line(occurrence.at.start);
                return Err(format!("it has another name in line {line} of {}", file_name(&source)));
            }
            let edit = Edit { span: occurrence.at, text: new.to_string() };
            edits.entry(source.real.clone()).or_default().push(edit);
        }
        let texts: Vec<(PathBuf, String)> = edits
            .iter()
            .filter_map(|(real, edits)| {
                let file = self.file(real)?;
                Some((file.path.clone(), edited(&file, edits)))
            })
            .collect();
        let texts = texts.iter().map(|(path, text)| (path.as_path(), text.as_str()));
        let after = Analysis::new(&TextLoader::of(loader, texts), main, None).map_err(|it| it.to_string())?;
        self.compare(&after, &edits, new)?;
        Ok(edits)
    }

    /// Refuses if a file is in the program by two paths: an edit of one of them changes both.
    fn check_twice(&self) -> Result<(), String> {
        let mut known: HashMap<&Path, &Path> = HashMap::new();
        match self.parts().find(|file| *known.entry(&file.real).or_insert(&file.path) != file.path) {
            Some(file) => Err(format!("{} is in the program twice, by two paths", file_name(file))),
            None => Ok(()),
        }
    }

    /// Refuses if it is not known what the old or the new name means somewhere.
    fn check_unknown(&self, old: &str, new: &str, kind: ItemKind) -> Result<(), String> {
        // Other files that were looked at are no part of the program.
        for file in self.parts() {
            let mut before = TokenKind::Eof;
            for (kind_of, at) in lex_deeply(file) {
                let text = file.slice(at);
                let is_part = before == TokenKind::Dot;
                before = kind_of;
                if !is_name(kind_of) || text != old && text != new || self.now.index.exactly(at).is_some() {
                    continue;
                }
                // Another thing of that name is found by the comparison, but not what a part of `any` is.
                if text == old || kind == ItemKind::Field && is_part {
                    let (line, name) = (file.line(at.start), file_name(file));
                    return Err(format!("it is not known what '{text}' means in line {line} of {name}"));
                }
            }
        }
        Ok(())
    }

    /// Refuses if something more is reported, or means something else, after the edits. What is reported of a name may
    /// have been the reason for another one.
    fn compare(&self, after: &Analysis, edits: &Edits, new: &str) -> Result<(), String> {
        let moved = |at: Span| {
            let real = self.source(at.file).map(|file| file.real.clone());
            let before = real.and_then(|real| edits.get(&real)).into_iter().flatten();
            let before = before.filter(|edit| edit.span.start < at.start);
            let growth: i64 =
                before.map(|edit| edit.text.len() as i64 - i64::from(edit.span.end - edit.span.start)).sum();
            (at.file, (i64::from(at.start) + growth) as u32)
        };
        let reports = self.now.checked.diagnostics.iter().map(|it| (it.code, it.span.map(moved)));
        let reports: Vec<_> = reports.collect();
        let place_of = |at: Span| (at.file, at.start);
        for report in &after.now.checked.diagnostics {
            if !reports.contains(&(report.code, report.span.map(place_of))) {
                let line = report.span.map(|at| (after.now.graph.sources.line(at), after.source(at.file)));
                let place = line.map(|(line, file)| {
                    format!(", in line {line} of {}", file.map_or_else(String::new, |it| file_name(&it)))
                });
                return Err(format!("{}{}", report.message, place.unwrap_or_default()));
            }
        }
        let meant = |to: Referent| match to {
            Referent::Source(file, start) => {
                let (file, start) = moved(Span { file, start, end: start });
                Referent::Source(file, start)
            }
            other @ (Referent::Row(..) | Referent::Library(_)) => other,
        };
        for file in self.files() {
            let (was, is) = (self.now.index.in_file(file.id), after.now.index.in_file(file.id));
            let same = |(was, is): &(&Occurrence, &Occurrence)| {
                moved(was.at) == place_of(is.at) && meant(was.to) == is.to
            };
            let number = was.iter().zip(is).take_while(same).count();
            if number < was.len() || number < is.len() {
                let line = was.get(number).map_or(1, |occurrence| file.line(occurrence.at.start));
                return Err(format!("'{new}' has another meaning in line {line} of {}", file_name(&file)));
            }
        }
        Ok(())
    }
}

fn file_name(file: &SourceFile) -> String {
    file.path.file_name().map_or_else(|| file.name.clone(), |name| name.to_string_lossy().into_owned())
}

fn check_name(new: &str) -> Result<(), String> {
    let mut tokens = TokenKind::all_in(new);
    match (tokens.next(), tokens.next()) {
        (Some((kind, place)), None) if place == (0..new.len()) && is_name(kind) => {
            if kind.is_keyword() || is_reserved(new) {
                return Err(format!("'{new}' is a word of the language"));
            }
            Ok(())
        }
        _ => Err(format!(
            "'{new}' is no name: names consist of the letters a-z and A-Z, digits and '_', and do not begin with a digit"
        )),
    }
}

/// The text of a file after edits that do not overlap.
pub fn edited(file: &SourceFile, edits: &[Edit]) -> String {
    let (mut text, mut from) = (String::with_capacity(file.text.len()), 0);
    for edit in edits {
        text += slice(&file.text, from as usize..edit.span.start as usize);
        text += &edit.text;
        from = edit.span.end;
    }
    text + slice(&file.text, from as usize..)
}
