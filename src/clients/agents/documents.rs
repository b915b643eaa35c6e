//! The texts about the language that the server has: chapters of the reference, the library, the protocol.

use ez_runtime::library;

/// A text.
pub struct Document {
    /// The end of its URI: `language/types`.
    pub path: &'static str,
    /// What it is about.
    pub title: &'static str,
    /// What it contains.
    pub description: &'static str,
    text: Source,
}

enum Source {
    /// Markdown.
    File(&'static str),
    /// All modules of the library, written anew from their rows.
    Library,
}

/// The start of the URIs.
pub const SCHEME: &str = "ez://";

/// A row of the table, for a chapter of the language reference.
macro_rules! chapter {
    ($name:literal, $title:literal, $description:literal) => {
        Document {
            path: concat!("language/", $name),
            title: $title,
            description: $description,
            text: Source::File(include_str!(concat!("../../../docs/language/", $name, ".md"))),
        }
    };
}

/// All texts.
pub const DOCUMENTS: &[Document] = &[
    chapter!("source-text", "Source text", "Files, comments, names, literals, string interpolation"),
    chapter!("types", "Types", "Types, declarations, conversions, what fits where"),
    chapter!("names", "Names", "Scopes, constants, modules' names, suppressed warnings"),
    chapter!("containers", "Containers", "Arrays, maps, structs, enums"),
    chapter!("expressions", "Expressions", "Operators, their order, comparisons, conversions"),
    chapter!("statements", "Statements", "Assignments, if, when, loops, ensure"),
    chapter!("functions", "Functions", "Parameters, results, several results, errors as values"),
    chapter!("modules", "Modules", "Programs of several files, imports"),
    chapter!("builtins", "Builtins", "Functions that need no import"),
    chapter!("library", "The standard library, in general", "How modules are imported and used"),
    chapter!("running", "Running", "How a program begins, ends and fails"),
    chapter!("reports", "Reports", "All codes of errors and warnings"),
    chapter!("grammar", "Grammar", "The grammar"),
    Document {
        path: "library",
        title: "The standard library",
        description: "Every function of every module, with an example",
        text: Source::Library,
    },
    Document {
        path: "spec",
        title: "The debug protocol",
        description: "The commands of debug_do, their parameters and results",
        text: Source::File(include_str!("../../../SPEC.md")),
    },
];

impl Document {
    pub fn uri(&self) -> String {
        format!("{SCHEME}{}", self.path)
    }

    /// The text, in Markdown.
    pub fn text(&self) -> String {
        match self.text {
            Source::File(text) => text.into(),
            Source::Library => library::reference_page(),
        }
    }
}

/// A section of a chapter of the language reference.
pub struct Section {
    /// Its headings, from the chapter's on.
    pub title: String,
    /// The URI of the chapter.
    pub uri: String,
    /// The text below the heading, up to the next one.
    pub text: String,
}

/// The sections of the language reference.
pub fn sections() -> Vec<Section> {
    let mut found = Vec::new();
    for document in DOCUMENTS {
        let Source::File(text) = document.text else { continue };
        if document.path.starts_with("language/") {
            found.extend(sections_of(document, text));
        }
    }
    found
}

fn sections_of(document: &Document, text: &str) -> Vec<Section> {
    let mut found: Vec<Section> = Vec::new();
    let mut is_code = false;
    for line in text.lines() {
        is_code ^= line.starts_with("```");
        if line.starts_with('#') && !is_code {
            let heading = line.trim_start_matches('#').trim();
            let title = if line.starts_with("# ") {
                heading.into()
            } else {
                format!("{}: {heading}", document.title)
            };
            found.push(Section { title, uri: document.uri(), text: String::new() });
        } else if let Some(section) = found.last_mut() {
            section.text.push_str(line);
            section.text.push('\n');
        }
    }
    found.retain(|section| !section.text.trim().is_empty());
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_chapters_are_there() {
        let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/language");
        let mut files: Vec<String> = std::fs::read_dir(directory)
            .expect("the chapters")
            .filter_map(|entry| Some(entry.ok()?.path().file_stem()?.to_string_lossy().into_owned()))
            .filter(|name| name != "README")
            .collect();
        files.sort();
        let paths = DOCUMENTS.iter().filter_map(|document| document.path.strip_prefix("language/"));
        let mut known: Vec<&str> = paths.collect();
        known.sort_unstable();
        assert_eq!(known, files);
        assert!(DOCUMENTS.iter().all(|document| document.text().starts_with('#')));
        assert!(sections().len() > 50);
    }
}
