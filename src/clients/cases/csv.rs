//! Tables that spreadsheets read.

use ez_runtime::visible::visible_line;

/// A row of a table.
pub fn row<const N: usize>(fields: [&str; N]) -> String {
    fields.map(field).join(",") + "\n"
}

/// A field of a table: as a spreadsheet reads it, and not as a formula.
fn field(text: &str) -> String {
    let text = visible_line(text);
    let guard = if text.starts_with(['=', '+', '-', '@']) { "'" } else { "" };
    match text.contains([',', '"', ';']) {
        true => format!("\"{guard}{}\"", text.replace('"', "\"\"")),
        false => format!("{guard}{text}"),
    }
}
