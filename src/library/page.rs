//! The reference page, and looking things up in it.

use std::fmt::Write;

use super::row::RowKind;
use super::{MODULES, Module, RENAMED, Row};

/// The whole library as a Markdown page.
pub fn reference_page() -> String {
    let mut page = String::from(
        "# The standard library\n\nMade from the library's own rows: do not edit (a test compares them).\n\
         A parameter is `name type`, with `?` when it may be left out and `...` when it may be repeated; \
         `num` is any number, capital letters stand for any type.\n",
    );
    for module in MODULES {
        // Writing to a string cannot fail.
        let _ = write!(page, "\n## @{}\n\n{}\n", module.name, module.doc);
        for row in module.rows.iter().filter(|row| row.kind == RowKind::Function) {
            let _ = write!(
                page,
                "\n### `{}`\n\n{}\n\n```ez\n{}\n```\n",
                title(module, row),
                row.doc,
                row.example
            );
            if let Some(output) = row.output.filter(|output| !output.is_empty()) {
                let _ = write!(page, "```text\n{}\n```\n", output.trim_end_matches('\n'));
            }
        }
        let constants: Vec<&Row> = module.rows.iter().filter(|row| row.kind == RowKind::Constant).collect();
        if !constants.is_empty() {
            page.push_str("\n| constant | value | |\n|---|---|---|\n");
        }
        for row in constants {
            let value = row.output.unwrap_or("").trim_end().escape_debug();
            let _ = writeln!(page, "| `{}.{}` | {value} | {} |", module.name, row.name, row.doc);
        }
    }
    page
}

fn title(module: &Module, row: &Row) -> String {
    let signature = match row.kind {
        RowKind::Function => row.signature,
        RowKind::Constant => row.signature.strip_prefix("()").unwrap_or(row.signature),
    };
    // What the rows say of types that are made from others, as a reader would.
    let inner =
        if signature.contains("[elem T]") { signature.replace("a [T]", "a [[T]]") } else { signature.into() };
    let signature = inner.replace("[elem T]", "[T]").replace("wide T", "num");
    format!("{}.{}{signature}", module.name, row.name)
}

fn entry(module: &Module, row: &Row) -> String {
    let mut text = format!("{}\n    {}\n\nexample:\n", title(module, row), row.doc);
    row.example.lines().for_each(|line| text.push_str(&format!("    {line}\n")));
    if let Some(output) = row.output.filter(|output| !output.is_empty()) {
        text.push_str("prints:\n");
        output.lines().for_each(|line| text.push_str(&format!("    {line}\n")));
    }
    text
}

fn overview(module: &Module) -> String {
    let mut text = format!("@{}: {}\n\n", module.name, module.doc);
    for row in module.rows {
        text.push_str(&format!("{}\n    {}\n", title(module, row), row.doc));
    }
    text
}

/// What the library says about a module (`math`, `@math`), a function or constant (`math.abs`), or a
/// name that any modules have (`index`).
///
/// # Errors
/// That there is nothing, with names like it.
pub fn man(query: &str) -> Result<String, String> {
    let query = query.trim().trim_start_matches('@').trim_end_matches("()");
    if let Some(module) = super::module(query) {
        return Ok(overview(module));
    }
    let (front, name) = query.split_once('.').map_or((None, query), |(front, name)| (Some(front), name));
    let fits = |module: &&&Module| front.is_none_or(|front| front == module.name);
    let found: Vec<String> = MODULES
        .iter()
        .filter(fits)
        .filter_map(|module| module.row(name).map(|row| entry(module, row)))
        .collect();
    if !found.is_empty() {
        return Ok(found.join("\n"));
    }
    let renamed = RENAMED.iter().find(|old| old.1 == name && front.is_none_or(|front| front == old.0));
    if let Some((_, _, module, new)) = renamed {
        return man(&format!("{module}.{new}"))
            .map(|text| format!("{query} is now called {module}.{new}:\n\n{text}"));
    }
    Err(match near(query, front.is_some()).as_slice() {
        [] => format!("there is no '{query}' in the library"),
        names => format!("there is no '{query}' in the library; did you mean {}?", names.join(", ")),
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
    known.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    known.into_iter().take(3).map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `UPDATE_EXPECTATIONS=1` writes the page anew.
    #[test]
    fn the_page_is_not_stale() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/library.md");
        let page = reference_page();
        if std::env::var_os("UPDATE_EXPECTATIONS").is_some() {
            std::fs::write(path, &page).expect("writes the page");
        }
        let kept = std::fs::read_to_string(path).unwrap_or_default();
        assert!(kept == page, "docs/library.md is stale: run this test with UPDATE_EXPECTATIONS=1");
    }

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
}
