//! The reference page `docs/library.md`, made from the rows.

use std::fmt::Write;

use super::row::RowKind;
use super::{MODULES, Module, Row};

/// The whole library as a Markdown page.
pub fn reference_page() -> String {
    let mut page = String::from(
        "# The standard library\n\nMade from the library's own rows: do not edit (a test compares them).\n\
         A parameter is `name type`, with `?` when it may be left out and `...` when it may be repeated; \
         `num` is any number, a capital letter is any type.\n",
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

/// Name and signature of a row, as a reader would write them.
pub(super) fn title(module: &Module, row: &Row) -> String {
    let signature = match row.kind {
        RowKind::Function => row.signature,
        RowKind::Constant => row.signature.strip_prefix("()").unwrap_or(row.signature),
    };
    // `elem T` and `wide T` are shown as the types they stand for.
    let inner =
        if signature.contains("[elem T]") { signature.replace("a [T]", "a [[T]]") } else { signature.into() };
    let signature = inner.replace("[elem T]", "[T]").replace("wide T", "num");
    format!("{}.{}{signature}", module.name, row.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_not_stale() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/library.md");
        let page = reference_page();
        if std::env::var_os("EZ_MAKE").is_some() {
            std::fs::write(path, &page).expect("writes the page");
        }
        let kept = std::fs::read_to_string(path).unwrap_or_default();
        assert!(kept == page, "docs/library.md is stale: run .ci/make");
    }
}
