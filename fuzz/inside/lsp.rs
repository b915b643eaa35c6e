//! Fuzzing of the language server: a document, behind a line `%%%%` edits of it and requests, five bytes each.
//!
//! Each request is answered once, and none by an internal error; all places in answers are in the text; edits do not
//! overlap, those of a rename make no errors, and those of formatting are done after once; and after all edits the
//! server knows what a new one knows that is given the text at once.

#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::string_slice)]

use serde_json::{Value, json};

use super::server::Server;

const URI: &str = "file:///nowhere/program.ez";

/// What divides the document from the steps.
const PART: &[u8] = b"\n%%%%\n";

/// A step is that many bytes.
const STEP: usize = 5;

/// Most steps of an input, and bytes of a document.
const STEPS: usize = 40;
const LONGEST: usize = 8000;

const METHODS: [&str; 16] = [
    "textDocument/formatting",
    "textDocument/documentSymbol",
    "textDocument/foldingRange",
    "textDocument/selectionRange",
    "textDocument/inlayHint",
    "textDocument/semanticTokens/full",
    "textDocument/semanticTokens/range",
    "textDocument/hover",
    "textDocument/definition",
    "textDocument/typeDefinition",
    "textDocument/references",
    "textDocument/documentHighlight",
    "textDocument/prepareRename",
    "textDocument/rename",
    "textDocument/completion",
    "textDocument/signatureHelp",
];
const ACTIONS: &str = "textDocument/codeAction";

/// What is typed.
const TYPED: [&str; 32] = [
    "",
    "",
    "",
    "",
    " ",
    "\n",
    ".",
    "(",
    ")",
    "{",
    "}",
    "\"",
    "'",
    "`",
    "//",
    "/*",
    "*/",
    "é",
    "😀",
    "${",
    "x",
    "1",
    "= ",
    ", ",
    "temp y int = 1\n",
    "import @math\n",
    "do g() {}\n",
    "return ",
    "if x > 1 {\n",
    "[",
    "]",
    "int x = 5\n",
];

/// Opens, edits and asks what the bytes describe.
///
/// # Panics
/// If something is not as it is to be.
pub fn target(data: &[u8]) {
    let Some(at) = data.windows(PART.len()).position(|it| it == PART) else { return };
    let text = String::from_utf8_lossy(&data[..at]).into_owned();
    if text.len() > LONGEST {
        return;
    }
    let mut editor = Editor::new(text);
    for step in data[at + PART.len()..].chunks_exact(STEP).take(STEPS) {
        editor.step(step[0], u16::from_be_bytes([step[1], step[2]]), step[3], step[4]);
    }
    let mut other = Editor::new(editor.text.clone());
    let (one, two) = (editor.reports(), other.reports());
    assert_eq!(sorted(&one), sorted(&two), "reports differ for\n{}", editor.text);
    for method in
        ["textDocument/documentSymbol", "textDocument/semanticTokens/full", "textDocument/foldingRange"]
    {
        let (one, two) = (editor.request(method, 0, 0), other.request(method, 0, 0));
        assert_eq!(one, two, "{method} differs for\n{}", editor.text);
    }
}

/// An editor with one document.
struct Editor {
    server: Server,
    text: String,
    id: u64,
    version: i64,
}

impl Editor {
    fn new(text: String) -> Editor {
        let mut editor = Editor { server: Server::default(), text, id: 0, version: 1 };
        let item = json!({"completionItem": {"snippetSupport": true}});
        editor.ask("initialize", json!({"capabilities": {"textDocument": {"completion": item}}}));
        editor.tell("initialized", json!({}));
        let document = json!({"uri": URI, "languageId": "ez", "version": 1, "text": editor.text});
        editor.tell("textDocument/didOpen", json!({"textDocument": document}));
        editor
    }

    fn tell(&mut self, method: &str, params: Value) {
        self.server.receive(json!({"method": method, "params": params}).to_string().as_bytes());
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.id += 1;
        let message = json!({"id": self.id, "method": method, "params": params});
        let answers = self.server.receive(message.to_string().as_bytes());
        let [answer] = &answers[..] else { panic!("{} answers to {method}", answers.len()) };
        assert_eq!(answer["id"], self.id);
        assert!(answer["error"].is_null() || answer["error"]["code"] == -32803, "{method}: {answer}");
        answer["result"].clone()
    }

    fn reports(&mut self) -> Value {
        let published = self.server.reports();
        let own = published.into_iter().find(|it| it["params"]["uri"] == URI);
        let reports = own.map_or(Value::Null, |mut it| it["params"]["diagnostics"].take());
        self.look_at(&reports);
        reports
    }

    fn step(&mut self, what: u8, place: u16, more: u8, which: u8) {
        let at = boundary(&self.text, usize::from(place) % (self.text.len() + 1));
        match usize::from(what) % 32 {
            0..8 => {
                let to = boundary(&self.text, (at + usize::from(more % 16)).min(self.text.len()));
                self.edit(at, to.max(at), TYPED[usize::from(which) % TYPED.len()]);
            }
            8 => drop(self.reports()),
            9 => self.actions(at),
            what => {
                let to = usize::from(u16::from_be_bytes([more, which])) % (self.text.len() + 1);
                self.check(METHODS[what % METHODS.len()], at, boundary(&self.text, to));
            }
        }
    }

    fn edit(&mut self, at: usize, to: usize, with: &str) {
        if self.text.len() > LONGEST {
            return;
        }
        self.version += 1;
        let range = json!({"start": position(&self.text, at), "end": position(&self.text, to)});
        let document = json!({"uri": URI, "version": self.version});
        let changes = json!([{"range": range, "text": with}]);
        self.tell("textDocument/didChange", json!({"textDocument": document, "contentChanges": changes}));
        self.text.replace_range(at..to, with);
    }

    fn request(&mut self, method: &str, at: usize, to: usize) -> Value {
        let (start, end) = (position(&self.text, at.min(to)), position(&self.text, at.max(to)));
        let params = json!({
            "textDocument": {"uri": URI}, "position": position(&self.text, at), "positions": [start, end],
            "range": {"start": start, "end": end}, "newName": "zq_9", "context": {"includeDeclaration": true},
            "options": {"tabSize": 4, "insertSpaces": true},
        });
        self.ask(method, params)
    }

    /// Makes a request, and looks at its answer.
    fn check(&mut self, method: &str, at: usize, to: usize) {
        let result = self.request(method, at, to);
        match method {
            "textDocument/rename" => {
                let edits = &result["changes"][URI];
                if edits.is_array() {
                    let new = edited(&self.text, edits);
                    let before = errors(&self.reports());
                    let after = Editor::new(new.clone()).reports();
                    assert!(before > 0 || errors(&after) == 0, "a rename makes errors: {after} in\n{new}");
                }
            }
            "textDocument/formatting" if result.is_array() => {
                let new = edited(&self.text, &result);
                let more = Editor::new(new.clone()).request(method, 0, 0);
                assert!(more.is_null() || edited(&new, &more) == new, "formatting again changes\n{new}");
            }
            "textDocument/semanticTokens/full" => tokens(&self.text, &result["data"]),
            // Its edits are relative to what is typed.
            "textDocument/completion" => {}
            _ => self.look_at(&result),
        }
    }

    fn actions(&mut self, at: usize) {
        let reports = self.reports();
        let place = position(&self.text, at);
        let range = reports.as_array().and_then(|all| all.get(at % all.len().max(1))?.get("range").cloned());
        let range = range.unwrap_or_else(|| json!({"start": place, "end": place}));
        let context = json!({"diagnostics": reports});
        let params = json!({"textDocument": {"uri": URI}, "range": range, "context": context});
        for action in self.ask(ACTIONS, params).as_array().into_iter().flatten() {
            let edits = &action["edit"]["changes"][URI];
            if edits.is_array() {
                edited(&self.text, edits);
            }
        }
    }

    /// All places in an answer are in the text.
    fn look_at(&self, value: &Value) {
        match value {
            Value::Object(fields) => {
                if fields.contains_key("line") && fields.contains_key("character") {
                    offset(&self.text, value);
                }
                fields.values().for_each(|it| self.look_at(it));
            }
            Value::Array(items) => items.iter().for_each(|it| self.look_at(it)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
}

/// The last place up to this one that is no part of a character or of a line end.
fn boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) || text[..at].ends_with('\r') && text[at..].starts_with('\n') {
        at -= 1;
    }
    at
}

/// The lines of a text as the protocol has them, each with its offset, without its end.
fn lines(text: &str) -> Vec<(usize, &str)> {
    let (mut found, mut start) = (Vec::new(), 0);
    while let Some(length) = text[start..].find(['\n', '\r']) {
        let at = start + length;
        found.push((start, &text[start..at]));
        start = at + if text[at..].starts_with("\r\n") { 2 } else { 1 };
    }
    found.push((start, &text[start..]));
    found
}

fn position(text: &str, at: usize) -> Value {
    let lines = lines(text);
    let line = lines.iter().rposition(|(start, _)| *start <= at).unwrap_or(0);
    json!({"line": line, "character": text[lines[line].0..at].encode_utf16().count()})
}

/// The offset of a position, which has to be in the text.
fn offset(text: &str, position: &Value) -> usize {
    let number = |name: &str| position[name].as_u64().expect("a number") as usize;
    let lines = lines(text);
    let (start, line) = lines.get(number("line")).expect("a line of the text");
    let mut units = 0;
    for (at, c) in line.char_indices() {
        if units >= number("character") {
            assert_eq!(units, number("character"), "a place within a character");
            return start + at;
        }
        units += c.len_utf16();
    }
    assert_eq!(units, number("character"), "a place behind the end of line {}", number("line"));
    start + line.len()
}

/// A text with the edits of an answer.
fn edited(text: &str, edits: &Value) -> String {
    let edit = |edit: &Value| {
        let (start, end) = (&edit["range"]["start"], &edit["range"]["end"]);
        (offset(text, start), offset(text, end), edit["newText"].as_str().expect("a text").to_string())
    };
    let mut all: Vec<(usize, usize, String)> = edits.as_array().into_iter().flatten().map(edit).collect();
    all.sort();
    let (mut new, mut from) = (String::new(), 0);
    for (start, end, with) in all {
        assert!(from <= start && start <= end, "edits overlap: {edits}");
        new += &text[from..start];
        new += &with;
        from = end;
    }
    new + &text[from..]
}

/// Tokens follow each other, and are in the text.
fn tokens(text: &str, data: &Value) {
    let numbers: Vec<u64> = data.as_array().into_iter().flatten().filter_map(Value::as_u64).collect();
    let (mut line, mut character, mut end) = (0, 0, 0);
    for token in numbers.chunks(5) {
        if token[0] > 0 {
            (line, character, end) = (line + token[0], 0, 0);
        }
        character += token[1];
        assert!(character >= end, "tokens overlap in line {line}");
        end = character + token[2];
        offset(text, &json!({"line": line, "character": end}));
    }
}

fn errors(reports: &Value) -> usize {
    reports.as_array().map_or(0, |all| all.iter().filter(|it| it["severity"] == 1).count())
}

fn sorted(reports: &Value) -> Vec<String> {
    let mut all: Vec<String> = reports.as_array().into_iter().flatten().map(Value::to_string).collect();
    all.sort();
    all
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_corpus_holds() {
        crate::replay::replay("lsp", super::target);
    }
}
