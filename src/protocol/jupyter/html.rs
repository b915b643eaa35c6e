//! Values as HTML: arrays of structs or maps as a table, other nested values as a tree that opens.
//!
//! All text of the program is escaped, so nothing of it is markup. A front end that does not trust a notebook
//! removes scripts and styles, so there are none.

use std::borrow::Cow;
use std::fmt::Write;

use ez_engine::api::ValueTree;

/// How many rows of a table are shown.
const ROWS: usize = 50;

/// The value as HTML; `None` if its text says as much.
pub fn html(value: &ValueTree) -> Option<String> {
    let mut out = String::new();
    if let Some(table) = Table::of(value) {
        table.write(&mut out);
    } else if parts(value).iter().any(|(_, part)| !matches!(part, ValueTree::Text(_))) {
        write_tree(value, true, &mut out);
    } else {
        return None;
    }
    Some(out)
}

/// The parts of a value with their names; elements of an array have none.
fn parts(value: &ValueTree) -> Vec<(Option<&str>, &ValueTree)> {
    match value {
        ValueTree::Text(_) => Vec::new(),
        ValueTree::List { items, .. } => items.iter().map(|item| (None, item)).collect(),
        ValueTree::Map { entries, .. } => named(entries),
        ValueTree::Struct { fields, .. } => named(fields),
    }
}

fn named(parts: &[(String, ValueTree)]) -> Vec<(Option<&str>, &ValueTree)> {
    parts.iter().map(|(name, part)| (Some(name.as_str()), part)).collect()
}

/// How many parts a value has, shown or not.
fn total(value: &ValueTree) -> usize {
    match value {
        ValueTree::Text(_) => 0,
        ValueTree::List { total, .. } | ValueTree::Map { total, .. } => *total,
        ValueTree::Struct { fields, .. } => fields.len(),
    }
}

/// An array of structs or of maps.
struct Table<'a> {
    columns: Vec<&'a str>,
    rows: Vec<Vec<(Option<&'a str>, &'a ValueTree)>>,
    total: usize,
}

impl Table<'_> {
    fn of(value: &ValueTree) -> Option<Table<'_>> {
        let ValueTree::List { items, total, .. } = value else { return None };
        let structs = items.iter().all(|item| matches!(item, ValueTree::Struct { .. }));
        let maps = items.iter().all(|item| matches!(item, ValueTree::Map { .. }));
        if items.is_empty() || !(structs || maps) {
            return None;
        }
        let rows: Vec<_> = items.iter().take(ROWS).map(parts).collect();
        let mut columns = Vec::new();
        for (name, _) in rows.iter().flatten() {
            let name = name.unwrap_or_default();
            if !columns.contains(&name) {
                columns.push(name);
            }
        }
        Some(Table { columns, rows, total: *total })
    }

    fn write(&self, out: &mut String) {
        out.push_str("<table><thead><tr><th></th>");
        for column in &self.columns {
            let _ = write!(out, "<th>{}</th>", escaped(column));
        }
        out.push_str("</tr></thead><tbody>");
        for (number, row) in self.rows.iter().enumerate() {
            let _ = write!(out, "<tr><th>{number}</th>");
            for column in &self.columns {
                out.push_str("<td>");
                if let Some((_, value)) = row.iter().find(|(name, _)| name == &Some(*column)) {
                    write_value(value, out);
                }
                out.push_str("</td>");
            }
            out.push_str("</tr>");
        }
        out.push_str("</tbody></table>");
        if self.total > self.rows.len() {
            let _ = write!(out, "<p>{} of {} rows</p>", self.rows.len(), self.total);
        }
    }
}

fn write_value(value: &ValueTree, out: &mut String) {
    match value {
        ValueTree::Text(text) => out.push_str(&escaped(text)),
        value => write_tree(value, false, out),
    }
}

fn write_tree(value: &ValueTree, open: bool, out: &mut String) {
    out.push_str(if open { "<details open><summary>" } else { "<details><summary>" });
    let total = total(value);
    match value {
        ValueTree::Text(_) => {}
        ValueTree::List { kind, .. } | ValueTree::Map { kind, .. } => {
            let _ = write!(out, "{} ({total})", escaped(kind));
        }
        ValueTree::Struct { name, .. } => out.push_str(&escaped(name)),
    }
    out.push_str("</summary><ul>");
    let parts = parts(value);
    for (name, part) in &parts {
        out.push_str("<li>");
        if let Some(name) = name {
            let _ = write!(out, "<b>{}</b>: ", escaped(name));
        }
        write_value(part, out);
        out.push_str("</li>");
    }
    let more = total.saturating_sub(parts.len());
    if more > 0 {
        let _ = write!(out, "<li>{more} more</li>");
    }
    out.push_str("</ul></details>");
}

fn escaped(text: &str) -> Cow<'_, str> {
    if !text.contains(['&', '<', '>', '"', '\'']) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> ValueTree {
        ValueTree::Text(text.into())
    }

    fn person(name: &str, age: &str) -> ValueTree {
        let fields = vec![("name".into(), text(name)), ("age".into(), text(age))];
        ValueTree::Struct { name: "Person".into(), fields }
    }

    fn list(items: Vec<ValueTree>, total: usize) -> ValueTree {
        ValueTree::List { kind: "[Person]".into(), items, total }
    }

    #[test]
    fn arrays_of_structs_are_tables() {
        let page = html(&list(vec![person("Ann", "7"), person("<b>Bob</b>", "9")], 2)).unwrap();
        assert_eq!(
            page,
            "<table><thead><tr><th></th><th>name</th><th>age</th></tr></thead><tbody>\
             <tr><th>0</th><td>Ann</td><td>7</td></tr>\
             <tr><th>1</th><td>&lt;b&gt;Bob&lt;/b&gt;</td><td>9</td></tr></tbody></table>"
        );
        let page = html(&list((0..50).map(|_| person("x", "1")).collect(), 1_000)).unwrap();
        assert!(page.ends_with("</table><p>50 of 1000 rows</p>"), "{page}");
    }

    #[test]
    fn arrays_of_maps_have_a_column_for_each_key() {
        let map = |key: &str| ValueTree::Map {
            kind: "map".into(),
            entries: vec![(key.into(), text("1"))],
            total: 1,
        };
        let page = html(&list(vec![map("a"), map("b")], 2)).unwrap();
        assert!(page.contains("<th>a</th><th>b</th>"), "{page}");
        assert!(page.contains("<tr><th>1</th><td></td><td>1</td></tr>"), "{page}");
    }

    #[test]
    fn nested_values_are_trees() {
        assert_eq!(html(&text("<")), None);
        assert_eq!(html(&person("Ann", "7")), None);
        let pair = ValueTree::List { kind: "[int]".into(), items: vec![text("1")], total: 3 };
        assert_eq!(html(&pair), None);
        let nested = ValueTree::Struct { name: "S".into(), fields: vec![("a".into(), pair)] };
        assert_eq!(
            html(&nested).unwrap(),
            "<details open><summary>S</summary><ul><li><b>a</b>: <details><summary>[int] (3)</summary>\
             <ul><li>1</li><li>2 more</li></ul></details></li></ul></details>"
        );
    }
}
