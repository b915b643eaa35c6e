//! The explanations of codes that `ez explain CODE` shows.
//!
//! The texts are in Markdown files beside this one, a family of codes in each. A heading names
//! the code; below it are an explanation and two programs, one that raises the code and one
//! that does not. `norun` marks a wrong program that cannot raise its code by itself: it needs
//! files, a network or other circumstances, or it gets the code as an `Error` value.

use std::sync::OnceLock;

use super::Code;

/// The explanation of a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Explanation {
    pub code: Code,
    /// What it means and what to do, in a few sentences.
    pub text: &'static str,
    /// A small program with the mistake.
    pub wrong: &'static str,
    /// The program without the mistake.
    pub right: &'static str,
    /// Whether the wrong program reports the code when it is checked and run.
    pub runnable: bool,
}

const TEXTS: &[&str] = &[
    include_str!("lexical.md"),
    include_str!("syntax.md"),
    include_str!("types.md"),
    include_str!("names.md"),
    include_str!("running.md"),
    include_str!("library.md"),
    include_str!("warnings.md"),
];

/// The explanation of `code`; `None` for codes that nothing raises.
pub fn explain(code: Code) -> Option<&'static Explanation> {
    let table = table();
    let index = table.binary_search_by_key(&code.base(), |explanation| explanation.code).ok()?;
    table.get(index)
}

/// The explanation of a code; or what is wrong with it, and advice.
pub fn explanation_of(code: &str) -> Result<String, (String, String)> {
    let unknown = || (format!("unknown code: {code}"), near(&code.to_uppercase()));
    let code = Code::parse(&code.to_uppercase()).ok_or_else(unknown)?;
    let severity = code.severity().as_str();
    let name = code.as_str();
    Ok(match explain(code) {
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

/// All explanations, in order of their codes.
pub fn explanations() -> impl Iterator<Item = &'static Explanation> {
    table().iter()
}

fn table() -> &'static [Explanation] {
    static TABLE: OnceLock<Vec<Explanation>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let sections = TEXTS.iter().flat_map(|text| sections(text));
        let mut table: Vec<Explanation> = sections.filter_map(parse).collect();
        table.sort_unstable_by_key(|explanation| explanation.code);
        table
    })
}

/// The parts of a file that begin with a heading, without its `# `.
fn sections(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.strip_prefix("# ").unwrap_or(text).split("\n# ")
}

fn parse(section: &'static str) -> Option<Explanation> {
    let (code, rest) = section.split_once('\n')?;
    let (text, rest) = rest.split_once("```ez wrong")?;
    let (flags, rest) = rest.split_once('\n')?;
    let (wrong, rest) = rest.split_once("```")?;
    let (_, rest) = rest.split_once("```ez right\n")?;
    let (right, _) = rest.split_once("```")?;
    let code = Code::parse(code.trim())?;
    Some(Explanation { code, text: text.trim(), wrong, right, runnable: flags.trim() != "norun" })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Codes of EZ 2.0 that nothing raises here; some are names for `#suppress`.
    const NEVER: &[Code] = &[
        Code::E1012,
        Code::E2022,
        Code::E2027,
        Code::E2044,
        Code::E3007,
        Code::E3023,
        Code::E4005,
        Code::E6003,
        Code::E6005,
        Code::E6009,
        Code::E10002,
        Code::E14005,
        Code::E18004,
        Code::W1001,
        Code::W1003,
        Code::W1004,
        Code::W2002,
        Code::W2003,
        Code::W2006,
        Code::W2008,
        Code::W3001,
        Code::W3002,
    ];

    // invariant 22
    #[test]
    fn every_code_is_explained_once() {
        let headings: usize = TEXTS.iter().map(|text| sections(text).count()).sum();
        let mut codes: Vec<Code> = explanations().map(|explanation| explanation.code).collect();
        codes.dedup();
        assert_eq!(headings, codes.len(), "a section is malformed, or a code has two");
        for &code in Code::ALL {
            assert_eq!(explain(code).is_none(), NEVER.contains(&code), "{code:?}");
        }
    }

    #[test]
    fn texts_are_sensible() {
        for explanation in explanations() {
            let Explanation { code, text, wrong, right, .. } = explanation;
            assert!(text.len() > 40 && text.ends_with(['.', ')']), "{code:?}");
            assert!(!wrong.is_empty() && !right.is_empty() && wrong != right, "{code:?}");
            assert!(right.contains("do main()"), "{code:?}");
        }
    }
}
