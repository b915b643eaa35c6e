//! Diagnostics as text for people and as JSON for programs.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use anstyle::{AnsiColor, Style};
use serde_json::{Value, json};

use super::{Diagnostic, Edit, Fix, Severity};
use crate::source::{Position, SourceFile, SourceMap, Span};
use crate::text::{slice, start_of};
use crate::visible::{visible_line, visible_text};

/// Whether reports are written with colours (ANSI sequences).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// For terminals.
    On,
    /// For everything else: not a single escape sequence.
    Off,
}

/// Columns of a report; longer source lines are cut around the place.
const WIDTH: usize = 140;

/// Stands for the name of the file in what is rendered. Nothing that is shown has this character.
const PLACE: &str = "\u{fdd0}";

/// Bytes of a source line before and behind the place that the renderer gets: more than it shows, in any characters.
const AROUND: usize = 8 * WIDTH;

/// One report as text, without an empty line after it:
///
/// ```text
/// error[E4002]: undefined function 'prinln'
///  --> main.ez:9:5
///   |
/// 9 |     prinln("x")
///   |     ^^^^^^ function not defined
///   |
///   = help: did you mean 'println'?
/// ```
pub fn render(diagnostic: &Diagnostic, sources: &SourceMap, colour: Colour) -> String {
    render_with_notes(diagnostic, &[], sources, colour)
}

/// Like [`render`], with notes (such as the call stack) under the source line.
pub fn render_with_notes(
    diagnostic: &Diagnostic,
    notes: &[String],
    sources: &SourceMap,
    colour: Colour,
) -> String {
    let level = match diagnostic.severity() {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level.primary_title(shown(&diagnostic.message)).id(diagnostic.code.as_str());
    let place = diagnostic.span.and_then(|span| Excerpt::find(span, sources));
    let mut group = Group::with_title(title);
    if let Some(place) = &place {
        let annotation = AnnotationKind::Primary.span(place.range.clone()).label(diagnostic.code.label());
        let snippet = Snippet::source(&*place.text)
            .path(PLACE)
            .line_start(place.start.line as usize)
            .annotation(annotation);
        group = group.element(snippet);
    }
    for note in notes {
        group = group.element(Level::NOTE.message(shown(note)));
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(shown(help)));
    }
    let renderer = match colour {
        Colour::On => Renderer::styled(),
        Colour::Off => Renderer::plain(),
    };
    let text = renderer.term_width(WIDTH).render(&[group]);
    match &place {
        // The renderer counts the column in what it gets of the line.
        Some(Excerpt { file, start: Position { line, column }, counted, .. }) => {
            text.replacen(&format!("{PLACE}:{line}:{counted}"), &format!("{file}:{line}:{column}"), 1)
        }
        None => text,
    }
}

/// The text as it is shown: with blanks for tabs, which the renderer would show as a symbol, and without anything that a
/// terminal would interpret.
fn shown(text: &str) -> String {
    visible_text(text.trim_end_matches('\n')).replace('\t', "    ")
}

/// A place as it is shown: a line of a file, or what is around the place in a long one, and the part of it that is
/// underlined.
struct Excerpt {
    file: String,
    start: Position,
    text: String,
    range: std::ops::Range<usize>,
    /// The column of the place in the text, from 1.
    counted: usize,
}

impl Excerpt {
    fn find(span: Span, sources: &SourceMap) -> Option<Excerpt> {
        let file = sources.get(span.file)?;
        let start = file.position(span.start);
        let line = file.line_text(start.line).unwrap_or("");
        let back = |at: usize| start_of(line, at).len();
        let on = |at: usize| (at..line.len()).find(|at| line.is_char_boundary(*at)).unwrap_or(line.len());
        let from = back(span.start.saturating_sub(file.line_start(start.line)) as usize);
        let length = (span.end.saturating_sub(span.start) as usize).min(AROUND);
        let to = on(from + length);
        let first = back(from.saturating_sub(AROUND));
        let text = slice(line, first..on(to + AROUND));
        // Offsets change where other characters stand for hidden ones.
        let offset = |end: usize| visible_text(slice(text, ..end - first)).len();
        let range = offset(from)..offset(to);
        let counted = slice(text, ..from - first).chars().count() + 1;
        let file = visible_line(&file.name).into_owned();
        Some(Excerpt { file, start, range, text: visible_text(text).into_owned(), counted })
    }
}

/// One report as one line of JSON: `severity`, `code`, `message`, `file`, `line`, `column`,
/// `endLine`, `endColumn`, `help`, `fix`; unknown ones are `null`. Lines and columns count from 1, and the end
/// is exclusive. A `fix` has `certain` and `edits`, each with a place in `file` and the `text` to write there.
pub fn render_json(diagnostic: &Diagnostic, sources: &SourceMap) -> String {
    json_report(diagnostic, sources).to_string()
}

/// The report that [`render_json`] writes, to which fields can be added.
pub fn json_report(diagnostic: &Diagnostic, sources: &SourceMap) -> Value {
    let place = diagnostic.span.and_then(|span| Some((span, sources.get(span.file)?)));
    let (mut file, mut start, mut end) = (Value::Null, None, None);
    if let Some((span, source)) = &place {
        file = Value::from(source.name.as_str());
        start = Some(source.position(span.start));
        end = Some(source.position(span.end));
    }
    json!({
        "severity": diagnostic.severity().as_str(),
        "code": diagnostic.code.as_str(),
        "message": diagnostic.message,
        "file": file,
        "line": start.map(|p| p.line),
        "column": start.map(|p| p.column),
        "endLine": end.map(|p| p.line),
        "endColumn": end.map(|p| p.column),
        "help": diagnostic.help,
        "fix": diagnostic.fix.as_ref().zip(place).map(|(fix, (_, source))| json_fix(fix, &source)),
    })
}

fn json_fix(fix: &Fix, source: &SourceFile) -> Value {
    let edit = |Edit { span, text }: &Edit| {
        let (start, end) = (source.position(span.start), source.position(span.end));
        json!({
            "line": start.line,
            "column": start.column,
            "endLine": end.line,
            "endColumn": end.column,
            "text": text,
        })
    };
    let edits: Vec<Value> = fix.edits.iter().map(edit).collect();
    json!({"certain": fix.certain, "edits": edits})
}

/// An error that has no code and no place in a text, in the form of [`json_report`]; `file` is what it is about.
pub fn json_problem(message: &str, file: Option<&str>, help: Option<&str>) -> Value {
    json!({
        "severity": Severity::Error.as_str(),
        "code": null,
        "message": message,
        "file": file,
        "line": null,
        "column": null,
        "endLine": null,
        "endColumn": null,
        "help": help,
        "fix": null,
    })
}

/// All reports as text: each with an empty line after it, then the summary. Empty for none.
pub fn render_all(diagnostics: &[Diagnostic], sources: &SourceMap, colour: Colour) -> String {
    if diagnostics.is_empty() {
        return String::new();
    }
    let mut text = String::new();
    for diagnostic in diagnostics {
        text.push_str(&render(diagnostic, sources, colour));
        text.push_str("\n\n");
    }
    text.push_str(&summary(diagnostics, colour));
    text.push('\n');
    text
}

/// How many errors and warnings there are: `summary: generated 3 errors, 1 warning`.
pub fn summary(diagnostics: &[Diagnostic], colour: Colour) -> String {
    let errors = diagnostics.iter().filter(|d| d.severity() == Severity::Error).count();
    let parts: Vec<String> =
        [(errors, "error", AnsiColor::Red), (diagnostics.len() - errors, "warning", AnsiColor::Yellow)]
            .into_iter()
            .filter(|(count, ..)| *count > 0)
            .map(|(count, what, in_colour)| {
                let plural = if count == 1 { "" } else { "s" };
                painted(&format!("{count} {what}{plural}"), in_colour.on_default().bold(), colour)
            })
            .collect();
    let parts = if parts.is_empty() { "nothing".to_string() } else { parts.join(", ") };
    format!("{}: generated {parts}", painted("summary", Style::new().bold(), colour))
}

fn painted(text: &str, style: Style, colour: Colour) -> String {
    match colour {
        Colour::On => format!("{style}{text}{style:#}"),
        Colour::Off => text.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::diagnostics::{Code, Help};
    use crate::source::FileId;

    const TEXT: &str = "do main() {\n\tprinln(\"é\", x)\n}\n";

    fn sources() -> SourceMap {
        let map = SourceMap::new();
        map.add("b.ez", Path::new("/b.ez"), TEXT);
        map.add("a.ez", Path::new("/a.ez"), "\u{feff}long\n");
        map
    }

    fn at(code: Code, file: u32, start: usize, end: usize) -> Diagnostic {
        Diagnostic::new(code, Span::new(FileId(file), start, end), "no 'x'")
    }

    #[test]
    fn header_place_line_label_help() {
        let report = at(Code::E4001, 0, 26, 27).help("did you mean 'y'?\nor 'z'?");
        let text = render(&report, &sources(), Colour::Off);
        let expected = "\
error[E4001]: no 'x'
 --> b.ez:2:14
  |
2 |     prinln(\"é\", x)
  |                 ^ variable not found in scope
  |
  = help: did you mean 'y'?
          or 'z'?";
        assert_eq!(text, expected);
        assert!(render(&report, &sources(), Colour::On).contains("\x1b["));
    }

    #[test]
    fn nothing_reaches_the_terminal_but_text() {
        let map = SourceMap::new();
        let text = "\u{1b}[2J\u{202e}x = \"\u{9b}\u{7}\" y";
        map.add("a\u{1b}]0;T\u{7}\nb.ez: ok", Path::new("/b.ez"), text);
        let start = text.find('y').unwrap();
        let report = Diagnostic::new(Code::E4001, Span::new(FileId(0), start, start + 1), "no\r\u{1b}[A 'x'");
        let notes = ["called from \u{1b}[8m".to_string()];
        let shown = render_with_notes(&report.help("h\u{200b}"), &notes, &map, Colour::Off);
        assert!(!shown.contains(|c: char| c.is_control() && c != '\n'), "{shown:?}");
        assert!(!shown.contains('\u{202e}') && shown.contains("--> a␛]0;T␇␊b.ez: ok:1:"), "{shown}");
        let column = |line: Option<&str>, what: char| {
            let before =
                line.and_then(|line| line.split_once(what)).map(|(before, _)| before.chars().count());
            before.unwrap()
        };
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(column(lines.get(3).copied(), 'y'), column(lines.get(4).copied(), '^'), "{shown}");
    }

    #[test]
    fn odd_places() {
        let map = sources();
        let end = render(&at(Code::E2003, 0, TEXT.len(), TEXT.len()), &map, Colour::Off);
        let expected = "error[E2003]: no 'x'\n --> b.ez:4:1\n  |\n4 |\n  | ^ expected an expression";
        assert_eq!(end, expected);
        let long = render(&at(Code::W1002, 0, 0, TEXT.len()), &map, Colour::Off);
        assert!(long.contains("1 | do main() {\n  | ^^^^^^^^^^^ module imported but not used"), "{long}");
        let unknown = render(&at(Code::E4001, 9, 0, 1), &map, Colour::Off);
        assert_eq!(unknown, "error[E4001]: no 'x'");
        let nowhere = Diagnostic { span: None, ..at(Code::E5021, 0, 0, 0) };
        assert_eq!(render(&nowhere, &map, Colour::Off), "error[PANIC]: no 'x'");
        let middle = render(&at(Code::E4001, 0, 21, 22), &map, Colour::Off);
        assert!(middle.starts_with("error[E4001]: no 'x'\n --> b.ez:2:10\n"), "{middle}");
    }

    #[test]
    fn a_long_line_is_cut_around_the_place() {
        let map = SourceMap::new();
        let line = |length: usize| format!("{}x = y{}", "é ".repeat(length), " 😀z".repeat(length));
        // Short enough to be laid out as a whole.
        let text = line(180);
        map.add("a.ez", Path::new("/a.ez"), &text);
        map.add("b.ez", Path::new("/b.ez"), &line(40_000));
        let at = |file: u32, text: &str| {
            let start = text.find('y').unwrap();
            let span = Span::new(FileId(file), start, start + 1);
            render(&Diagnostic::new(Code::E4001, span, "no 'y'"), &map, Colour::Off)
        };
        let (short, long) = (at(0, &text), at(1, &line(40_000)));
        assert!(long.contains(" --> b.ez:1:80005\n"), "{long}");
        let shown = |report: &str| report.lines().skip(2).map(String::from).collect::<Vec<_>>();
        assert_eq!(shown(&short), shown(&long));
        assert!(short.lines().all(|line| line.chars().count() <= WIDTH + 10), "{short}");
    }

    #[test]
    fn messages_of_several_lines_and_notes() {
        let report = Diagnostic { message: "one\n\ttwo\x1b[1m\n".into(), ..at(Code::E5021, 0, 0, 2) };
        let text = render_with_notes(&report, &["called from f".into()], &sources(), Colour::Off);
        assert!(text.starts_with("error[PANIC]: one\n"), "{text}");
        assert!(text.contains(" --> b.ez:1:1\n") && text.contains("= note: called from f"), "{text}");
        assert!(!text.contains('\x1b'));
    }

    #[test]
    fn json_line() {
        let text = render_json(&at(Code::E4001, 0, 26, 27), &sources());
        assert_eq!(
            text,
            "{\"severity\":\"error\",\"code\":\"E4001\",\"message\":\"no 'x'\",\"file\":\"b.ez\",\"line\":2,\
             \"column\":14,\"endLine\":2,\"endColumn\":15,\"help\":null,\"fix\":null}"
        );
        let span = Span::new(FileId(0), 26, 27);
        let fixed =
            at(Code::E4001, 0, 26, 27).help(Help::from("did you mean 'y'?").fix(Fix::certain(span, "y")));
        let text = render_json(&fixed, &sources());
        let fix = "\"fix\":{\"certain\":true,\"edits\":[{\"line\":2,\"column\":14,\"endLine\":2,\"endColumn\":15,\
                   \"text\":\"y\"}]}}";
        assert!(text.ends_with(fix), "{text}");
    }

    #[test]
    fn reports_are_counted() {
        let list = [at(Code::E4001, 0, 9, 10), at(Code::E4002, 0, 3, 4), at(Code::W1002, 1, 0, 1)];
        assert_eq!(summary(&list, Colour::Off), "summary: generated 2 errors, 1 warning");
        assert!(render_all(&[], &sources(), Colour::Off).is_empty());
    }
}
