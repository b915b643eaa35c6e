//! `ez explain CODE`.

use crate::diagnostics::{self, Code};

use super::show::print;

pub(super) fn explain(code: &str) -> u8 {
    match text(code) {
        Ok(text) => {
            print(&text);
            0
        }
        Err((message, help)) => {
            eprintln!("Error: {message}\n  = help: {help}");
            1
        }
    }
}

/// The explanation of a code; or what is wrong with it, and advice.
pub(super) fn text(code: &str) -> Result<String, (String, String)> {
    let unknown = || (format!("unknown code: {code}"), near(&code.to_uppercase()));
    let code = Code::parse(&code.to_uppercase()).ok_or_else(unknown)?;
    let severity = code.severity().as_str();
    let name = code.as_str();
    Ok(match diagnostics::explain(code) {
        Some(text) => format!(
            "{severity} {name}: {}\n\n{}\n\nWrong:\n\n{}\nRight:\n\n{}",
            code.label(),
            text.text,
            indented(text.wrong),
            indented(text.right)
        ),
        None => format!("{severity} {name}: {}\n\nNothing reports this code.\n", code.label()),
    })
}

/// Suggestions for an unknown code.
fn near(wanted: &str) -> String {
    let names = || Code::ALL.iter().map(|code| code.as_str());
    let near: Vec<&str> = names().filter(|name| strsim::osa_distance(name, wanted) == 1).take(5).collect();
    let group = wanted.get(..2).unwrap_or(wanted);
    let mut kind = names().filter(|name| name.len() == 5 && wanted.len() > 2 && name.starts_with(group));
    match (near.as_slice(), kind.next()) {
        ([rest @ .., last], _) if !rest.is_empty() => format!("did you mean {} or {last}?", rest.join(", ")),
        ([one], _) => format!("did you mean {one}?"),
        (_, Some(first)) => {
            format!("codes of that kind go from {first} to {}", kind.next_back().unwrap_or(first))
        }
        _ => "codes look like E3001 or W2001; reports show theirs in brackets".into(),
    }
}

fn indented(program: &str) -> String {
    program.lines().map(|line| if line.is_empty() { "\n".into() } else { format!("    {line}\n") }).collect()
}
