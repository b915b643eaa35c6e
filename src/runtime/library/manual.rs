//! `ez man`: looking words and library functions up.

use std::fmt::Write;

use super::page::title;
use super::words::{Word, word, words};
use super::{MODULES, Module, RENAMED, Row};

fn example(text: &mut String, program: &str, output: Option<&str>) {
    text.push_str("\nexample:\n");
    for line in program.lines() {
        let line = format!("    {line}");
        text.push_str(line.trim_end());
        text.push('\n');
    }
    if let Some(output) = output.filter(|output| !output.is_empty()) {
        text.push_str("prints:\n");
        output.lines().for_each(|line| text.push_str(&format!("    {line}\n")));
    }
}

fn row_entry(module: &Module, row: &Row) -> String {
    let mut text = format!("{}\n    {}\n", title(module, row), row.doc);
    example(&mut text, row.example, row.output);
    text
}

fn word_entry(word: &Word) -> String {
    let forms = word.forms.trim_matches('`').replace("`, `", "\n");
    let mut text = format!("{forms}\n");
    let words: Vec<&str> = word.text.split_whitespace().collect();
    for line in lines_of(&words, 76) {
        text.push_str(&format!("    {line}\n"));
    }
    example(&mut text, word.example, Some(word.output));
    text
}

fn overview(module: &Module) -> String {
    let mut text = format!("@{}: {}\n\n", module.name, module.doc);
    for row in module.rows {
        text.push_str(&format!("{}\n    {}\n", title(module, row), row.doc));
    }
    text
}

/// The manual's text on a module (`math`, `@math`), a library function or constant (`math.abs`), a word of
/// the language (`for_each`, `map`), or a name that several modules have (`index`).
///
/// # Errors
/// A message that there is no such name, with up to three similar names.
pub fn man(query: &str) -> Result<String, String> {
    let query = query.trim().trim_start_matches('@').trim_end_matches("()");
    let query = match query {
        _ if query.starts_with('[') => "array",
        _ if query.starts_with("map[") => "map",
        _ => query,
    };
    if let Some(module) = super::module(query) {
        return Ok(overview(module));
    }
    let (front, name) = query.split_once('.').map_or((None, query), |(front, name)| (Some(front), name));
    let fits = |module: &&&Module| front.is_none_or(|front| front == module.name);
    let word = word(query).or_else(|| word(&format!("#{query}"))).map(word_entry);
    let rows = MODULES.iter().filter(fits).filter_map(|module| Some(row_entry(module, module.row(name)?)));
    let found: Vec<String> = word.into_iter().chain(rows).collect();
    if !found.is_empty() {
        return Ok(found.join("\n"));
    }
    let renamed = RENAMED.iter().find(|old| old.1 == name && front.is_none_or(|front| front == old.0));
    if let Some((_, _, module, new)) = renamed {
        return man(&format!("{module}.{new}"))
            .map(|text| format!("{query} is now called {module}.{new}:\n\n{text}"));
    }
    Err(match near(query, front.is_some()).as_slice() {
        [] => format!("there is no '{query}' in the language or its library"),
        names => format!(
            "there is no '{query}' in the language or its library; did you mean {}?",
            names.join(", ")
        ),
    })
}

/// Up to three names like the query, the nearest first.
fn near(query: &str, qualified: bool) -> Vec<String> {
    let mut known: Vec<(f64, String)> = Vec::new();
    let mut consider = |compared: &str, shown: String| {
        let likeness = strsim::jaro_winkler(query, compared);
        if likeness > 0.8 {
            known.push((likeness, shown));
        }
    };
    for name in words().iter().filter(|_| !qualified).flat_map(|word| word.names.split(' ')) {
        consider(name, name.to_string());
    }
    for module in MODULES {
        if !qualified {
            consider(module.name, format!("@{}", module.name));
        }
        for row in module.rows {
            let full = format!("{}.{}", module.name, row.name);
            let compared = if qualified { full.clone() } else { row.name.to_string() };
            consider(&compared, full);
        }
    }
    #[allow(clippy::disallowed_methods, reason = "`total_cmp` is a total order")]
    known.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    known.into_iter().take(3).map(|(_, name)| name).collect()
}

/// The names that [`man`] knows, in order: the words of the language and the modules, or the functions and constants of
/// the modules.
pub fn names(qualified: bool) -> Vec<String> {
    let mut names: Vec<String> = match qualified {
        true => {
            let rows =
                MODULES.iter().flat_map(|module| module.rows.iter().map(|row| (module.name, row.name)));
            rows.map(|(module, name)| format!("{module}.{name}")).collect()
        }
        false => {
            let words = words().iter().flat_map(|word| word.names.split(' ')).map(String::from);
            words.chain(MODULES.iter().map(|module| module.name.into())).collect()
        }
    };
    names.sort();
    names.dedup();
    names
}

/// Everything that can be looked up: the words of the language and the modules of the library.
pub fn contents() -> String {
    let names: Vec<&str> = words().iter().flat_map(|word| word.names.split(' ')).collect();
    let mut text = String::from("The language:\n\n");
    for line in lines_of(&names, 76) {
        text.push_str(&format!("  {line}\n"));
    }
    text.push_str("\nThe standard library:\n\n");
    let width = MODULES.iter().map(|m| m.name.len()).max().unwrap_or(0) + 1;
    for module in MODULES {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {:width$}  {}", format!("@{}", module.name), module.doc);
    }
    text.push_str("\n`ez man WORD` explains a word, `ez man MODULE` lists a module, ");
    text.push_str("`ez man MODULE.NAME` explains its functions.\n");
    text
}

/// The names with blanks between them, in lines of at most `width` characters.
fn lines_of(names: &[&str], width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for name in names {
        match lines.last_mut() {
            Some(line) if line.len() + 1 + name.len() <= width => {
                line.push(' ');
                line.push_str(name);
            }
            _ => lines.push(name.to_string()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_or_suggested() {
        assert!(man("@math").expect("a module").contains("math.abs(x num) -> num"));
        assert!(man("math.PI").expect("a constant").starts_with("math.PI -> float"));
        assert!(man("arrays.flatten").expect("a function").starts_with("arrays.flatten(a [[T]]) -> [T]\n"));
        assert!(man("arrays.sum").expect("a function").starts_with("arrays.sum(a [T]) -> num\n"));
        let everywhere = man("index").expect("functions");
        assert!(everywhere.contains("arrays.index(") && everywhere.contains("strings.index("));
        assert!(man("maps.has").expect("an old name").contains("maps.contains("));
        assert!(man("arrays.apend").expect_err("a mistake").contains("arrays.append"));
        assert!(man("strngs").expect_err("a mistake").contains("@strings"));
    }

    #[test]
    fn words_of_the_language_are_explained() {
        for (name, wanted) in [
            ("len", "len(VALUE) -> int\n"),
            ("for_each", "for_each NAME in"),
            ("map", "map[KEY:VALUE]\n"),
            ("map[string:int]", "map[KEY:VALUE]\n"),
            ("[int]", "[TYPE]\n"),
            ("u64", "u8\nu16\n"),
            ("doc", "#doc\n"),
            ("#doc", "#doc\n"),
            ("is", "when VALUE"),
            ("len()", "len(VALUE) -> int\n"),
        ] {
            assert!(man(name).expect(name).starts_with(wanted), "{name}");
        }
        // A name of both the language and the library shows both.
        let copy = man("copy").expect("a builtin");
        assert!(copy.starts_with("copy(VALUE)\n") && copy.contains("io.copy("), "{copy}");
        for (name, near) in
            [("lenn", "len"), ("foreach", "for_each"), ("as_long", "as_long_as"), ("strin", "string")]
        {
            assert!(man(name).expect_err(name).contains(near), "{name}");
        }
    }
}
