//! The HTML page of a trace.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256};

use super::data::Trace;
use crate::clients::VERSION;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = concat!(include_str!("../../../web/shared/boxes.css"), include_str!("page.css"));
const SCRIPT: &str = include_str!("page.js");
/// What the page in `web` draws boxes and arrows with, too.
const SHARED: [&str; 3] = [
    include_str!("../../../web/shared/elements.js"),
    include_str!("../../../web/shared/boxes.js"),
    include_str!("../../../web/shared/arrows.js"),
];

/// The HTML text. It loads nothing from elsewhere, and forbids that by its content security policy.
///
/// # Errors
/// If the trace cannot be serialized.
pub fn page(trace: &Trace) -> serde_json::Result<String> {
    Ok(filled(&json(trace)?, trace.program()))
}

/// The trace as JSON for a script element, which must not contain `</script`.
fn json(trace: &Trace) -> serde_json::Result<String> {
    // In JSON, `<` occurs inside strings only.
    Ok(serde_json::to_string(trace)?.replace('<', "\\u003c"))
}

/// The script of the page: the shared modules as one text, which imports and exports nothing, and its own part.
fn script() -> String {
    let mut script = "\"use strict\";\n".to_string();
    let lines = SHARED.iter().flat_map(|module| module.lines()).filter(|line| !line.starts_with("import "));
    for line in lines {
        script += line.strip_prefix("export ").unwrap_or(line);
        script.push('\n');
    }
    script + SCRIPT
}

fn filled(data: &str, program: &str) -> String {
    let script = script();
    let policy = format!(
        "default-src 'none'; script-src '{}'; style-src '{}'; base-uri 'none'; form-action 'none'",
        hash(&script),
        hash(STYLE)
    );
    let title = escaped(program);
    let generator = escaped(VERSION);
    let mut page = String::with_capacity(PAGE.len() + STYLE.len() + script.len() + data.len());
    for piece in PAGE.split("{{") {
        let (name, rest) = piece.split_once("}}").unwrap_or(("", piece));
        page.push_str(match name {
            "policy" => &policy,
            "generator" => &generator,
            "title" => &title,
            "style" => STYLE,
            "script" => &script,
            "data" => data,
            _ => "",
        });
        page.push_str(rest);
    }
    page
}

/// The source expression of an inline script or style in a content security policy.
fn hash(text: &str) -> String {
    format!("sha256-{}", BASE64_STANDARD.encode(Sha256::digest(text)))
}

/// Escapes text for HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    // invariant 26
    #[test]
    fn nothing_in_a_trace_becomes_markup() {
        let name = "</title></script><b>&\"{{script}}.ez";
        let mut trace = Trace::new(name).unwrap();
        trace.add_file(name.into(), "// </script><!-- {{data}} \u{2028} 🙂".into());
        let page = page(&trace).unwrap();
        assert_eq!(page.matches("</script>").count(), 2, "the page's own");
        assert_eq!(page.matches("</title>").count(), 1);
        assert!(!page.contains("<b>") && !page.contains("<!--"));
        let data = page.split("id=\"trace\">").nth(1).unwrap().split("</script>").next().unwrap();
        let read: serde_json::Value = serde_json::from_str(data).unwrap();
        assert_eq!(read["program"], name);
        assert_eq!(read["files"][0]["text"], "// </script><!-- {{data}} \u{2028} 🙂");
    }

    // invariant 26
    #[test]
    fn the_page_loads_nothing() {
        let page = filled("{}", "a.ez");
        for wanted in ["default-src 'none'", &hash(STYLE), &hash(&script())] {
            assert!(page.contains(wanted), "{wanted}");
        }
        for unwanted in
            ["src=", "@import", "url(http", "innerHTML", "eval(", "fetch(", "XMLHttpRequest", "{{"]
        {
            assert!(!page.contains(unwanted), "{unwanted}");
        }
        // The policy allows exactly one script and one style.
        assert_eq!((STYLE.contains("</style"), script().contains("</script")), (false, false));
    }
}
