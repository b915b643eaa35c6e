//! The words of the language itself (keywords, builtin functions, types), as `ez man` explains them.
//!
//! The texts are in `words.md`. A heading names one word, or several that belong together. Below it
//! stand a line of forms, a text, an example program and its output.

use std::sync::OnceLock;

/// The manual entry of one word, or of several that belong together.
#[derive(Clone, Copy, Debug)]
pub struct Word {
    /// The words, with blanks between them: `when is default`.
    pub names: &'static str,
    /// How it is written, in Markdown.
    pub forms: &'static str,
    /// What it means, in a few sentences of Markdown.
    pub text: &'static str,
    /// A program that shows it, or statements of one that uses `@std`.
    pub example: &'static str,
    /// What the example prints.
    pub output: &'static str,
}

impl Word {
    /// Whether `name` is one of the words.
    pub fn has(&self, name: &str) -> bool {
        self.names.split(' ').any(|n| n == name)
    }

    /// The example as a whole program.
    pub fn program(&self) -> String {
        let main = self.example.contains("do main()");
        let imports = if self.example.contains("import ") { "" } else { "import @std\nusing std\n\n" };
        if main {
            return format!("{imports}{}", self.example);
        }
        let body: String = self.example.lines().map(|line| format!("    {line}\n")).collect();
        format!("{imports}do main() {{\n{body}}}\n")
    }
}

/// All words, in the order of the text.
pub fn words() -> &'static [Word] {
    static WORDS: OnceLock<Vec<Word>> = OnceLock::new();
    WORDS.get_or_init(|| {
        let text = include_str!("words.md");
        let sections = text.strip_prefix("# ").unwrap_or(text).split("\n# ");
        sections.filter_map(parse).collect()
    })
}

/// The entry of `name`.
pub fn word(name: &str) -> Option<&'static Word> {
    words().iter().find(|word| word.has(name))
}

fn parse(section: &'static str) -> Option<Word> {
    let (names, rest) = section.split_once("\n\n")?;
    let (forms, rest) = rest.split_once("\n\n")?;
    let (text, rest) = rest.split_once("\n\n```ez\n")?;
    let (example, rest) = rest.split_once("```\n\n```output\n")?;
    let (output, _) = rest.split_once("```")?;
    Some(Word { names, forms, text, example, output })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_section_is_well_formed() {
        let headings = include_str!("words.md").lines().filter(|line| line.starts_with("# ")).count();
        assert_eq!(words().len(), headings);
        for word in words() {
            let Word { names, forms, text, .. } = word;
            assert!(forms.starts_with('`') && forms.ends_with('`') && text.ends_with('.'), "{names}");
        }
    }
}
