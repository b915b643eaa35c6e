//! `ez lsp`, as an editor uses it.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use ez_language::check::check_all;
use ez_language::modules::DiskLoader;
use serde_json::{Value, json};
use support::{ez, testdata};

/// A server with the documents that a test opens.
pub struct Editor {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    folder: tempfile::TempDir,
    requests: i64,
    is_utf8: bool,
    /// The last published reports, by file name.
    pub reports: BTreeMap<String, Vec<Value>>,
    /// The versions that they are of, since the documents were changed.
    versions: BTreeMap<String, Value>,
    /// What the editor was asked to show.
    pub shown: Vec<String>,
    /// What it was asked to log.
    pub logged: Vec<String>,
}

impl Editor {
    pub fn new() -> Editor {
        let folder = tempfile::tempdir().unwrap();
        let mut child = ez();
        let child = child.arg("lsp").current_dir(&folder).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = child.stderr(Stdio::null()).spawn().unwrap();
        let (stdin, stdout) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        Editor {
            child,
            stdin,
            stdout,
            folder,
            requests: 0,
            is_utf8: false,
            reports: BTreeMap::new(),
            versions: BTreeMap::new(),
            shown: Vec::new(),
            logged: Vec::new(),
        }
    }

    pub fn initialized() -> Editor {
        Editor::with(json!({}))
    }

    /// One in whose client the folder of the test is open.
    pub fn in_folder() -> Editor {
        let mut editor = Editor::new();
        let folder = json!([{"uri": editor.uri(""), "name": "folder"}]);
        editor.request("initialize", json!({"capabilities": {}, "workspaceFolders": folder}));
        editor.notify("initialized", json!({}));
        editor
    }

    /// One whose client has these capabilities.
    pub fn with(capabilities: Value) -> Editor {
        let mut editor = Editor::new();
        let answer = editor.request("initialize", json!({"capabilities": capabilities}));
        editor.is_utf8 = answer["capabilities"]["positionEncoding"] == "utf-8";
        editor.notify("initialized", json!({}));
        editor
    }

    /// Opens documents, each a name and a text; the place of the one `|` in them, as parameters of a request.
    pub fn open_all(&mut self, files: &[(&str, &str)]) -> Value {
        let mut found = Value::Null;
        for (name, text) in files {
            self.write(name, &text.replacen('|', "", 1));
            self.open(name, &text.replacen('|', "", 1));
            if let Some((before, _)) = text.split_once('|') {
                let last = before.rsplit('\n').next().unwrap();
                let character = if self.is_utf8 { last.len() } else { last.encode_utf16().count() };
                let position = json!({"line": before.matches('\n').count(), "character": character});
                found = json!({"textDocument": {"uri": self.uri(name)}, "position": position});
            }
        }
        found
    }

    /// Places as `file:line:column text`, with columns counted in characters from 1.
    pub fn shown(&self, answer: &Value, files: &[(&str, &str)]) -> Vec<String> {
        let show = |place: &Value| {
            let uri = place["uri"].as_str().map_or(files[0].0, |uri| uri.rsplit('/').next().unwrap());
            let text = files.iter().find(|(name, _)| *name == uri).unwrap().1.replacen('|', "", 1);
            let range = &place["range"];
            let line = range["start"]["line"].as_u64().unwrap() as usize;
            let units = |end: &str| range[end]["character"].as_u64().unwrap() as usize;
            let whole = text.split('\n').nth(line).unwrap();
            let offset = |units: usize| {
                let mut count = 0;
                let width = |c: char| if self.is_utf8 { c.len_utf8() } else { c.len_utf16() };
                whole
                    .char_indices()
                    .find(|(_, c)| {
                        count += width(*c);
                        count > units
                    })
                    .map_or(whole.len(), |(at, _)| at)
            };
            let (start, end) = (offset(units("start")), offset(units("end")));
            format!("{uri}:{}:{} {}", line + 1, whole[..start].chars().count() + 1, &whole[start..end])
        };
        answer.as_array().unwrap_or(&vec![answer.clone()]).iter().map(show).collect()
    }

    pub fn raw(&mut self, bytes: &[u8]) {
        self.stdin.as_mut().unwrap().write_all(bytes).unwrap();
    }

    pub fn send(&mut self, message: Value) {
        let body = message.to_string();
        self.raw(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
    }

    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    pub fn read(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert!(self.stdout.read_line(&mut line).unwrap() > 0, "the server has ended");
            match line.trim().strip_prefix("Content-Length: ") {
                Some(said) => length = said.parse().unwrap(),
                None if line.trim().is_empty() => break,
                None => panic!("{line}"),
            }
        }
        let mut body = vec![0; length];
        self.stdout.read_exact(&mut body).unwrap();
        let message: Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(message["jsonrpc"], "2.0");
        if message["method"] == "window/showMessage" {
            self.shown.push(message["params"]["message"].as_str().unwrap().to_string());
        }
        if message["method"] == "window/logMessage" {
            self.logged.push(message["params"]["message"].as_str().unwrap().to_string());
        }
        if message["method"] == "textDocument/publishDiagnostics" {
            let params = &message["params"];
            let name = params["uri"].as_str().unwrap().rsplit('/').next().unwrap().to_string();
            self.versions.insert(name.clone(), params["version"].clone());
            self.reports.insert(name, params["diagnostics"].as_array().unwrap().clone());
        }
        message
    }

    /// The answer to a request: its result, or its error.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        self.requests += 1;
        let id = self.requests;
        self.send(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let message = self.read();
            if message["id"] == id {
                return message.get("result").unwrap_or(&message["error"]).clone();
            }
            assert!(message["id"].is_null(), "{message}");
        }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn uri(&self, name: &str) -> String {
        let path = self.path(name).to_string_lossy().replace('\\', "/");
        format!("file:///{}", path.trim_start_matches('/'))
    }

    pub fn write(&self, name: &str, text: &str) {
        std::fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        std::fs::write(self.path(name), text).unwrap();
    }

    pub fn open(&mut self, name: &str, text: &str) {
        self.versions.remove(name);
        let document = json!({"uri": self.uri(name), "languageId": "ez", "version": 1, "text": text});
        self.notify("textDocument/didOpen", json!({"textDocument": document}));
    }

    pub fn change(&mut self, name: &str, version: i64, changes: Value) {
        self.versions.remove(name);
        let document = json!({"uri": self.uri(name), "version": version});
        self.notify("textDocument/didChange", json!({"textDocument": document, "contentChanges": changes}));
    }

    /// The reports of a file when they have been published for this version.
    pub fn reports_of(&mut self, name: &str, version: i64) -> Vec<Value> {
        // They may have come before the answer to a request.
        while self.versions.get(name).is_none_or(|last| *last != version) {
            self.read();
        }
        self.reports[name].clone()
    }

    /// The next reports of a file.
    pub fn next_reports(&mut self, name: &str) -> Vec<Value> {
        self.reports.remove(name);
        while !self.reports.contains_key(name) {
            self.read();
        }
        self.reports[name].clone()
    }

    /// The same for a version that comes once only, after what has been sent.
    pub fn new_reports_of(&mut self, name: &str, version: i64) -> Vec<Value> {
        self.versions.remove(name);
        self.reports_of(name, version)
    }

    /// A request at the `|` in a text, which is opened without it.
    pub fn at(&mut self, method: &str, text: &str) -> Value {
        let (before, _) = text.split_once('|').expect("a cursor");
        self.open("main.ez", &text.replace('|', ""));
        let line = before.matches('\n').count();
        let character = before.rsplit('\n').next().unwrap().encode_utf16().count();
        let position = json!({"line": line, "character": character});
        self.request(method, json!({"textDocument": {"uri": self.uri("main.ez")}, "position": position}))
    }

    /// The status of the process, which ends by itself.
    pub fn waited(mut self) -> i32 {
        self.child.wait().unwrap().code().unwrap()
    }

    /// Ends the session; the status of the process.
    pub fn end(mut self) -> i32 {
        assert_eq!(self.request("shutdown", Value::Null), Value::Null);
        assert_eq!(self.request("shutdown", Value::Null)["code"], -32600);
        self.notify("exit", Value::Null);
        self.child.wait().unwrap().code().unwrap()
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        drop(self.stdin.take());
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn codes(reports: &[Value]) -> Vec<String> {
    reports.iter().map(|report| report["code"].as_str().unwrap().to_string()).collect()
}

pub fn range(start: (u32, u32), end: (u32, u32)) -> Value {
    let place = |(line, character)| json!({"line": line, "character": character});
    json!({"start": place(start), "end": place(end)})
}

/// The texts of the recorded programs in a folder of `testdata/programs`.
pub fn programs(folder: &str) -> Vec<String> {
    let mut texts = Vec::new();
    let mut folders = vec![testdata("programs").join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "ez") {
                texts.extend(std::fs::read_to_string(path).ok());
            }
        }
    }
    texts.sort();
    texts
}

#[test]
fn a_text_is_explained_as_the_client_can_show_it() {
    let text = "#doc(\"# c, 1. `a` <b> x-1.5\")\ndo f() {}\ndo main() {\n    f|()\n}\n";
    let hover = |formats: Value| {
        let mut editor = Editor::with(json!({"textDocument": {"hover": {"contentFormat": formats}}}));
        editor.at("textDocument/hover", text)["contents"].clone()
    };
    let markdown = "```ez\ndo f()\n```\n\n\\# c, 1. \\`a\\` \\<b\\> x-1.5";
    assert_eq!(hover(json!(["plaintext", "markdown"])), json!({"kind": "markdown", "value": markdown}));
    let plain = "do f()\n\n# c, 1. `a` <b> x-1.5";
    assert_eq!(hover(json!(["plaintext"])), json!({"kind": "plaintext", "value": plain}));
}

#[test]
fn escapes_in_a_description_are_what_they_stand_for() {
    let text = "#doc(\"Says \\\"hi\\\".\\nTwice ${n}.\")\ndo f(n int) {}\ndo main() {\n    f|(1)\n}\n";
    let mut editor = Editor::with(json!({"textDocument": {"hover": {"contentFormat": ["plaintext"]}}}));
    let hover = editor.at("textDocument/hover", text)["contents"].clone();
    assert_eq!(hover["value"], "do f(n int)\n\nSays \"hi\".\nTwice ${n}.");
    let help = editor.at("textDocument/signatureHelp", &text.replace("f|(", "f(|"));
    assert_eq!(help["signatures"][0]["documentation"]["value"], "Says \"hi\".\nTwice ${n}.");
}

#[test]
fn a_part_of_a_module_needs_no_main() {
    for head in [
        "module tools\n",
        "// Helpers for the class.\nmodule tools\n",
        "module\ttools\n",
        "#!/usr/bin/env ez\n\nmodule tools\n",
    ] {
        let mut editor = Editor::initialized();
        editor.open("tools.ez", &format!("{head}do twice(n int) -> int {{ return n * 2 }}\n"));
        assert_eq!(editor.reports_of("tools.ez", 1), Vec::<Value>::new(), "{head:?}");
    }
    let mut editor = Editor::initialized();
    editor.open("tools.ez", "// module tools\ndo twice(n int) -> int { return n * 2 }\n");
    assert_eq!(codes(&editor.reports_of("tools.ez", 1)), ["E4009"]);
}

#[test]
fn reports_appear_while_you_type() {
    let mut editor = Editor::initialized();
    editor.open("main.ez", "import & use @std\ndo main() {\n    temp é = 1\n    prnitln(\"😀\", x)\n}\n");
    let reports = editor.reports_of("main.ez", 1);
    assert_eq!(codes(&reports), ["E1001"]);
    let fixed = json!([{"range": range((2, 9), (2, 10)), "text": "e"}]);
    editor.change("main.ez", 2, fixed);
    let reports = editor.reports_of("main.ez", 2);
    assert_eq!(codes(&reports), ["E4002", "E4001"]);
    assert_eq!(reports[0]["range"], range((3, 4), (3, 11)));
    assert!(reports[0]["message"].as_str().unwrap().ends_with("\nhelp: did you mean 'println'?"));
    // Behind a character of two units.
    assert_eq!(reports[1]["range"], range((3, 18), (3, 19)));
    editor.change("main.ez", 3, json!([{"text": "do main() {}\n"}]));
    assert_eq!(editor.reports_of("main.ez", 3), Vec::<Value>::new());
    assert_eq!(editor.end(), 0);
}

#[test]
fn files_of_a_program_are_checked_together() {
    let mut editor = Editor::initialized();
    editor.write("main.ez", "import \"./lib\"\ndo main() { lib.f(1) }\n");
    editor.write("lib.ez", "module lib\ndo f() {}\n");
    // The text of the editor counts, and so do the reports of files that are not open.
    editor.open("lib.ez", "module lib\ndo f(x int) { nosuch() }\n");
    assert_eq!(codes(&editor.reports_of("lib.ez", 1)), ["E4002"]);
    editor.change("lib.ez", 2, json!([{"text": "module lib\ndo g() {}\n"}]));
    assert_eq!(editor.reports_of("lib.ez", 2), Vec::<Value>::new());
    while editor.reports.get("main.ez").is_none_or(Vec::is_empty) {
        editor.read();
    }
    assert_eq!(codes(&editor.reports["main.ez"]), ["E4002"]);
    // What is gone is taken back.
    editor.change("lib.ez", 3, json!([{"text": "module lib\ndo f(x int) {}\n"}]));
    while !editor.reports["main.ez"].is_empty() {
        editor.read();
    }
    assert_eq!(editor.end(), 0);
}

#[test]
fn a_file_belongs_to_the_program_that_imports_it() {
    let mut editor = Editor::initialized();
    editor.open("a.ez", "do f() {}\n");
    assert_eq!(codes(&editor.reports_of("a.ez", 1)), ["E4009"]);
    editor.write("main.ez", "do main() { nosuch() }\n");
    editor.open("z.ez", "import \"./a\"\ndo main() { a.f() }\n");
    // Now it is a part of another program; and that beside them, of which nothing is open, is not reported.
    while !editor.reports["a.ez"].is_empty() || !editor.reports.contains_key("z.ez") {
        editor.read();
    }
    assert!(!editor.reports.contains_key("main.ez"));
    assert_eq!(editor.end(), 0);
}

#[test]
fn names_are_explained_found_and_offered() {
    let program = "import & use @std\nimport @math\n#doc(\"Adds *both*.\")\ndo add(a, b int) -> int { return a + b }\nconst Color enum { RED GREEN }\ndo main() {\n    temp sum = add(1, 2)\n    CODE\n}\n";
    let at = |method: &str, code: &str| {
        let mut editor = Editor::initialized();
        let answer = editor.at(method, &program.replace("CODE", code));
        assert_eq!(editor.end(), 0);
        answer
    };
    let hover = |code: &str| {
        at("textDocument/hover", code)["contents"]["value"].as_str().unwrap_or("none").to_string()
    };
    assert_eq!(hover("println(ad|d(1, 2))"), "```ez\ndo add(a, b int) -> int\n```\n\nAdds \\*both\\*.");
    assert_eq!(hover("println(sum|)"), "```ez\ntemp sum int = add(1, 2)\n```");
    assert!(hover("println(math.sq|rt(2.0))").starts_with("```ez\nmath.sqrt("));
    assert!(hover("pri|ntln(1)").starts_with("```ez\nstd.println"));
    assert!(hover("i|f true {}").starts_with("```ez\nif"));
    assert_eq!(hover("println(\"ad|d\")"), "none");
    let typed = "import @std, @random\nusing std, random\ndo main() { temp n in|t = 1\nprintln(n) }\n";
    let counted = "do add(&lis|t [int]) { list[0] = 1 }\n";
    let counted = Editor::initialized().at("textDocument/hover", counted);
    assert_eq!(counted["contents"]["value"], "```ez\n&list [int]\n```");
    let typed = Editor::initialized().at("textDocument/hover", typed);
    assert!(typed["contents"]["value"].as_str().unwrap().starts_with("```ez\nint"), "{typed}");
    assert_eq!(hover("println(nosuch|)"), "none");
    let place = |code: &str| at("textDocument/definition", code)["range"].clone();
    assert_eq!(place("println(add|(1, 2))"), range((3, 3), (3, 6)));
    assert_eq!(place("println(su|m)"), range((6, 9), (6, 12)));
    assert_eq!(place("println(Color.RE|D)"), range((4, 19), (4, 22)));
    assert_eq!(place("pri|ntln(1)"), Value::Null);
    let names = |code: &str| -> Vec<String> {
        let answer = at("textDocument/completion", code);
        answer["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|item| item["label"].as_str().unwrap().into())
            .collect()
    };
    let all = names("su|");
    assert_eq!(all[0], "sum");
    for name in ["add", "Color", "math", "println", "if", "int"] {
        assert!(all.iter().any(|one| one == name), "{name}");
    }
    assert_eq!(names("println(Color.|)"), ["RED", "GREEN"]);
    assert!(names("println(math.|)").iter().any(|name| name == "sqrt"));
    assert_eq!(names("println(\"su|\")"), Vec::<String>::new());
    assert_eq!(names("f() // su|"), Vec::<String>::new());
}

#[test]
fn names_are_known_while_the_text_has_errors() {
    let mut editor = Editor::initialized();
    editor.open("main.ez", "import @math\ndo main() {\n    temp x = math.pi\n}\n");
    editor.reports_of("main.ez", 1);
    editor.change("main.ez", 2, json!([{"range": range((2, 18), (2, 20)), "text": ""}]));
    let position = json!({"line": 2, "character": 18});
    let params = json!({"textDocument": {"uri": editor.uri("main.ez")}, "position": position});
    let answer = editor.request("textDocument/completion", params);
    assert!(answer["items"].as_array().unwrap().iter().any(|item| item["label"] == "sqrt"), "{answer}");
    assert_eq!(editor.end(), 0);
}

#[test]
fn texts_are_formatted_listed_and_fixed() {
    let mut editor = Editor::initialized();
    editor.open("main.ez", "const P struct { x int }\ndo main() {\ntemp x=1;\n}\n");
    let document = json!({"uri": editor.uri("main.ez")});
    let items = editor.request("textDocument/documentSymbol", json!({"textDocument": document}));
    assert_eq!((&items[0]["name"], &items[0]["children"][0]["name"]), (&json!("P"), &json!("x")));
    assert_eq!(items[1]["selectionRange"], range((1, 3), (1, 7)));
    // Not while there are syntax errors.
    assert_eq!(editor.request("textDocument/formatting", json!({"textDocument": document})), Value::Null);
    let params =
        json!({"textDocument": document, "range": range((2, 0), (2, 9)), "context": {"diagnostics": []}});
    let actions = editor.request("textDocument/codeAction", params);
    let edit = json!([{"range": range((2, 8), (2, 9)), "newText": ""}]);
    assert_eq!(actions[0]["title"], "Remove ';'");
    assert_eq!(actions[0]["edit"]["changes"][document["uri"].as_str().unwrap()], edit);
    assert_eq!(actions[1]["kind"], "source.fixAll.ez");
    // What is asked for in order to be applied does as much as `ez check --fix`.
    let several = "do main() {\n    if 1 == null { }\n    if 2 == null { }\n    if 3 == null { }\n}\n";
    editor.open("several.ez", several);
    let params = json!({
        "textDocument": {"uri": editor.uri("several.ez")}, "range": range((0, 0), (0, 0)),
        "context": {"diagnostics": [], "only": ["source.fixAll"]},
    });
    let all = editor.request("textDocument/codeAction", params);
    let new = &all[0]["edit"]["changes"][editor.uri("several.ez").as_str()][0]["newText"];
    assert_eq!(new.as_str().unwrap().matches("nil").count(), 3, "{all}");
    editor.change("main.ez", 2, edit_as_change(&edit));
    let edits = editor.request("textDocument/formatting", json!({"textDocument": document}));
    assert_eq!(edits, json!([{"range": range((2, 0), (3, 0)), "newText": "    temp x = 1\n"}]));
    assert_eq!(editor.end(), 0);
}

fn edit_as_change(edits: &Value) -> Value {
    let edit = &edits[0];
    json!([{"range": edit["range"], "text": edit["newText"]}])
}

#[test]
fn wrong_messages_are_answered_and_end_nothing() {
    let mut editor = Editor::new();
    assert_eq!(editor.request("textDocument/hover", json!({}))["code"], -32002);
    editor.request("initialize", json!({"capabilities": {"general": {"positionEncodings": ["utf-8"]}}}));
    assert_eq!(editor.request("initialize", json!({}))["code"], -32600);
    assert_eq!(editor.request("textDocument/nosuch", json!({}))["code"], -32601);
    assert_eq!(editor.request("textDocument/hover", json!({"textDocument": 3}))["code"], -32602);
    let hover =
        json!({"textDocument": {"uri": "file:///not/open.ez"}, "position": {"line": 0, "character": 0}});
    assert_eq!(editor.request("textDocument/hover", hover)["code"], -32602);
    for body in ["{", "[]", "1", "{\"id\": 1}", "{\"id\": {}, \"method\": \"x\"}"] {
        editor.raw(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
        let mut answer = editor.read();
        // Nothing is open, and it is told once.
        if answer["method"] == "window/showMessage" {
            assert_eq!(body, "[]");
            answer = editor.read();
        }
        assert!(answer["error"]["code"].as_i64().unwrap() < -32000, "{body}");
    }
    editor.raw(b"Content-Length: 99999999999999\r\n\r\n\x00\xff garbage Content-Length: x\r\n\r\n");
    for (start, end) in [((0, 99), (99, 0)), ((5, 5), (0, 0)), ((0, 1), (0, 2))] {
        editor.open("main.ez", "é😀");
        editor.change("main.ez", 0, json!([{"range": range(start, end), "text": "x"}, {"text": 3}, 4, null]));
        editor.change("other.ez", 7, json!([{"text": ""}]));
        let at = json!({"textDocument": {"uri": editor.uri("main.ez")}, "position": {"line": 9, "character": u32::MAX}});
        // What cannot be carried out leaves a text that is not known.
        assert_eq!(editor.request("textDocument/completion", at.clone())["code"], -32801);
        editor.change("main.ez", 1, json!([{"text": "é😀"}]));
        assert!(editor.request("textDocument/completion", at)["items"].is_array());
    }
    let mut random = fastrand::Rng::with_seed(3);
    for _ in 0..50 {
        let mut bytes = vec![0; random.usize(..200)];
        random.fill(&mut bytes);
        editor.raw(&bytes);
        editor.raw(b"\r\n\r\n");
        editor.open("main.ez", "");
        let document = json!({"textDocument": {"uri": editor.uri("main.ez")}});
        assert!(editor.request("textDocument/documentSymbol", document).is_array());
    }
    std::fs::remove_dir_all(editor.folder.path()).unwrap();
    editor.change("main.ez", 9, json!([{"text": "import \"./gone\"\ndo main() {}"}]));
    let document = json!({"textDocument": {"uri": editor.uri("main.ez")}});
    assert!(editor.request("textDocument/documentSymbol", document)[0]["name"] == "main");
    editor.notify("exit", Value::Null);
    assert_eq!(editor.child.wait().unwrap().code(), Some(1));
}

/// The same text, however it was made, has the same reports; and they are those of `ez check`.
#[test]
fn reports_are_those_of_the_check_after_any_edits() {
    let mut random = fastrand::Rng::with_seed(7);
    let mut editor = Editor::initialized();
    let texts = programs("own");
    editor.open("main.ez", "");
    let mut version = 1;
    for text in texts.iter().step_by(8) {
        version += 1;
        // In pieces, from the end to the beginning.
        let mut changes = vec![json!({"text": ""})];
        let mut rest: Vec<char> = text.chars().collect();
        while !rest.is_empty() {
            let piece: String =
                rest.split_off(rest.len() - random.usize(1..=rest.len())).into_iter().collect();
            changes.push(json!({"range": range((0, 0), (0, 0)), "text": piece}));
        }
        editor.change("main.ez", version, Value::Array(changes));
        let found = editor.reports_of("main.ez", version);
        editor.write("main.ez", text);
        let checked = check_all(&DiskLoader, &editor.path("main.ez"), "main.ez").unwrap();
        let of_main = checked.diagnostics.iter().filter(|report| {
            report.span.is_some_and(|span| {
                checked.sources.get(span.file).is_some_and(|f| f.path == editor.path("main.ez"))
            })
        });
        let is_part = text.trim_start().starts_with("module ");
        let wanted: Vec<String> = of_main
            .map(|report| report.code.as_str().to_string())
            .filter(|code| !(is_part && code == "E4009"))
            .collect();
        let mut got = codes(&found);
        got.dedup();
        let mut wanted = wanted;
        wanted.dedup();
        assert_eq!(got, wanted, "{text}");
    }
    assert_eq!(editor.end(), 0);
}

#[test]
fn fixes_end_lines_as_the_file_does() {
    let text = "module x\r\ndo main() {\r\n    printl|n(1)\r\n}\r\n";
    let mut editor = Editor::initialized();
    let place = editor.open_all(&[("main.ez", text)]);
    let range = json!({"start": place["position"], "end": place["position"]});
    let params =
        json!({"textDocument": place["textDocument"], "range": range, "context": {"diagnostics": []}});
    let answer = editor.request("textDocument/codeAction", params);
    let edits = answer[0]["edit"]["changes"][editor.uri("main.ez")].as_array().unwrap().clone();
    let new: Vec<&str> = edits.iter().map(|edit| edit["newText"].as_str().unwrap()).collect();
    assert!(new.iter().any(|text| text.contains("\r\n")), "{answer}");
    assert!(new.iter().all(|text| text.matches('\n').count() == text.matches("\r\n").count()), "{new:?}");
}

#[test]
fn a_client_that_watches_files_is_asked_to() {
    let watches = json!({"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": true}}});
    let mut editor = Editor::with(watches);
    let asked = editor.read();
    assert_eq!(asked["method"], "client/registerCapability");
    assert_eq!(asked["params"]["registrations"][0]["method"], "workspace/didChangeWatchedFiles");
    editor.send(json!({"jsonrpc": "2.0", "id": asked["id"], "result": null}));
    editor.write("lib.ez", "module lib\ndo one() { }\n");
    editor.open("main.ez", "import \"./lib\"\ndo main() { lib.two() }\n");
    assert_eq!(editor.reports_of("main.ez", 1).len(), 1);
    editor.write("lib.ez", "module lib\ndo two() { }\n");
    let changes = json!({"changes": [{"uri": editor.uri("lib.ez"), "type": 2}]});
    editor.notify("workspace/didChangeWatchedFiles", changes);
    while !editor.reports["main.ez"].is_empty() {
        editor.read();
    }
}
