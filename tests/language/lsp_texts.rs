//! `ez lsp` answers from exactly the text that its client has, or not at all.

use ez_language::check::check_source;
use ez_language::format::format;
use ez_runtime::source::SourceMap;
use serde_json::{Value, json};

use crate::lsp::{Editor, codes, range};
use crate::lsp_faults::{requests, said};

const NOT_KNOWN: i64 = -32801;

/// A document as its client has it, in units of UTF-16.
struct Client {
    units: Vec<u16>,
    version: i64,
}

const FEED: u16 = 10;
const RETURN: u16 = 13;

impl Client {
    fn text(&self) -> Option<String> {
        String::from_utf16(&self.units).ok()
    }

    /// The position of a unit, which is not in the middle of a line end.
    fn position(&self, at: usize) -> Value {
        let (mut line, mut start) = (0, 0);
        for (number, unit) in self.units[..at].iter().enumerate() {
            let is_lone = *unit == RETURN && self.units.get(number + 1) != Some(&FEED);
            if *unit == FEED || is_lone {
                (line, start) = (line + 1, number + 1);
            }
        }
        json!({"line": line, "character": at - start})
    }

    /// The unit at a position.
    fn unit(&self, position: &Value) -> usize {
        (0..=self.units.len()).find(|at| self.position(*at) == *position).expect("a position in the text")
    }

    /// Applies the edits of an answer, none of which overlap.
    fn apply(&mut self, edits: &Value) {
        let mut edits: Vec<(usize, usize, String)> = edits
            .as_array()
            .unwrap()
            .iter()
            .map(|edit| {
                let end = |name: &str| self.unit(&edit["range"][name]);
                (end("start"), end("end"), edit["newText"].as_str().unwrap().to_string())
            })
            .collect();
        edits.sort();
        for (start, end, text) in edits.into_iter().rev() {
            self.units.splice(start..end, text.encode_utf16());
        }
    }
}

/// A text in JSON, which may have half a character in it.
fn quoted(units: &[u16]) -> String {
    let escapes: String = units.iter().map(|unit| format!("\\u{unit:04x}")).collect();
    format!("\"{escapes}\"")
}

fn framed(body: &[u8]) -> Vec<u8> {
    [format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes(), body].concat()
}

fn did_change(uri: &str, version: i64, changes: &str) -> String {
    let document = json!({"uri": uri, "version": version});
    format!(
        r#"{{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {{"textDocument": {document}, "contentChanges": {changes}}}}}"#
    )
}

/// A message with this item of `contentChanges` as something on the way, or a mistake in the client, has made it.
fn damaged(uri: &str, version: i64, item: &str, random: &mut fastrand::Rng) -> Vec<u8> {
    let whole = did_change(uri, version, &format!("[{item}]"));
    match random.u8(0..10) {
        0 => framed(&whole.as_bytes()[..whole.len() - 1]),
        1 => framed(did_change(uri, version, &format!("[{item}, {{}}]")).as_bytes()),
        2 => framed(did_change(uri, version, "[{\"text\": 3}]").as_bytes()),
        3 => framed(did_change(uri, version, "null").as_bytes()),
        4 => framed(whole.replace("\"uri\"", "\"url\"").as_bytes()),
        5 => framed(whole.replace("\"method\"", "\"methods\"").as_bytes()),
        6 => framed(format!("[{whole}]").as_bytes()),
        7 => [b"Content-Length: 99999999999\r\n\r\n", whole.as_bytes(), b"\r\n\r\n"].concat(),
        8 => [b"Content-Lenght: 20\r\n\r\n", whole.as_bytes(), b"\r\n\r\n"].concat(),
        _ => {
            let mut bytes = did_change(uri, version, "[{\"text\": \"?\"}]").into_bytes();
            let at = bytes.iter().rposition(|byte| *byte == b'?').unwrap();
            bytes[at] = 0xff;
            framed(&bytes)
        }
    }
}

const PIECES: [&str; 14] = [
    "",
    "x",
    "é😀",
    "\n",
    "\r\n",
    "\r",
    "{",
    "}",
    "  ",
    "\u{feff}",
    "// 😀\r",
    "temp y = 1\n",
    "\"",
    "do f(){}\n",
];

/// The item of `contentChanges` for a random edit, which is carried out.
fn edit(client: &mut Client, random: &mut fastrand::Rng) -> String {
    let units = &client.units;
    let between = |at: usize| at > 0 && units[at - 1] == RETURN && units.get(at) == Some(&FEED);
    let mut ends = [random.usize(0..=units.len()), random.usize(0..=units.len())];
    ends[1] = ends[1].min(ends[0] + 6);
    ends.sort_unstable();
    let [start, end] = ends.map(|at| at - usize::from(between(at)));
    let mut new: Vec<u16> = random.choice(PIECES).unwrap().encode_utf16().collect();
    match random.u8(0..8) {
        0 => new.push(0xd83d),
        1 => new.insert(0, 0xde00),
        _ => {}
    }
    let (from, to) = (client.position(start), client.position(end));
    let item = format!(r#"{{"range": {{"start": {from}, "end": {to}}}, "text": {}}}"#, quoted(&new));
    client.units.splice(start..end, new);
    item
}

fn shown(reports: &[Value]) -> Vec<String> {
    reports.iter().map(|it| format!("{} {} {}", it["code"], it["range"], it["message"])).collect()
}

/// Opens the document anew, or sends it as a whole.
fn send_whole(editor: &mut Editor, uri: &str, client: &mut Client, random: &mut fastrand::Rng) {
    if random.bool() {
        let item = format!("[{{\"text\": {}}}]", quoted(&client.units));
        editor.raw(&framed(did_change(uri, client.version, &item).as_bytes()));
        return;
    }
    editor.notify("textDocument/didClose", json!({"textDocument": {"uri": uri}}));
    let text = quoted(&client.units);
    let document =
        format!(r#"{{"uri": "{uri}", "version": {}, "languageId": "ez", "text": {text}}}"#, client.version);
    let open = format!(
        r#"{{"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {{"textDocument": {document}}}}}"#
    );
    editor.raw(&framed(open.as_bytes()));
}

/// Asks for the layout and compares; whether the server knows the text.
fn compare_layout(editor: &mut Editor, uri: &str, client: &Client) -> bool {
    let params = json!({"textDocument": {"uri": uri}, "options": {"tabSize": 4, "insertSpaces": true}});
    let answer = editor.request("textDocument/formatting", params);
    if answer["code"] == NOT_KNOWN {
        return false;
    }
    let text = client.text().expect("an answer about half a character");
    let mut after = Client { units: client.units.clone(), version: 0 };
    let file = SourceMap::new().add("a.ez", "/a.ez".as_ref(), &text);
    match format(&file) {
        Err(_) => assert!(answer.is_null(), "{answer}"),
        Ok(formatted) => {
            after.apply(&answer);
            let mark = if file.has_mark { "\u{feff}" } else { "" };
            assert_eq!(after.text().unwrap(), format!("{mark}{formatted}"), "{text:?} {answer}");
        }
    }
    true
}

#[test]
fn whatever_is_lost_answers_are_about_the_text_of_the_client() {
    let mut random = fastrand::Rng::with_seed(29);
    let mut editor = Editor::initialized();
    let uri = editor.uri("main.ez");
    let start = "import @std\r\ndo main() {\n    temp a int = 1\n  std.println(\"😀 ${a}\")\n}\n";
    let (mut losses, mut waited) = (0, 0);
    for round in 0..60 {
        let mark = if round % 4 == 0 { "\u{feff}" } else { "" };
        let units = format!("{mark}{start}").encode_utf16().collect();
        let mut client = Client { units, version: 1 };
        editor.open("main.ez", &client.text().unwrap());
        let mut is_known = true;
        for _ in 0..12 {
            client.version += 1;
            let item = edit(&mut client, &mut random);
            if random.u8(0..6) == 0 {
                editor.raw(&damaged(&uri, client.version, &item, &mut random));
                losses += usize::from(is_known);
                is_known = false;
            } else {
                editor.raw(&framed(did_change(&uri, client.version, &format!("[{item}]")).as_bytes()));
            }
            if !is_known && random.u8(0..3) == 0 {
                send_whole(&mut editor, &uri, &mut client, &mut random);
                is_known = true;
            }
            let is_text = is_known && client.text().is_some();
            assert_eq!(compare_layout(&mut editor, &uri, &client), is_text);
            for (method, params) in requests(&uri, random.u64(0..8), random.u64(0..20)) {
                let answer = editor.request(method, params);
                assert_eq!(answer["code"] == NOT_KNOWN, !is_text, "{method}: {answer}");
            }
            if !is_known && waited < 10 {
                waited += 1;
                assert_eq!(editor.next_reports("main.ez"), Vec::<Value>::new());
            }
        }
        client.version += 1;
        client.units.retain(|unit| !(0xd800..0xe000).contains(unit));
        send_whole(&mut editor, &uri, &mut client, &mut random);
        let text = client.text().unwrap();
        assert!(compare_layout(&mut editor, &uri, &client), "{text}");
        let reports = editor.new_reports_of("main.ez", client.version);
        if round % 5 == 0 {
            let mut fresh = Editor::initialized();
            fresh.open("main.ez", &text);
            assert_eq!(shown(&reports), shown(&fresh.reports_of("main.ez", 1)), "{text:?}");
            // What was known before a syntax error may be used, which a new server does not have.
            if check_source(&text, "main.ez").is_parsed {
                let places = [(1, 5), (2, 10), (3, 8)];
                assert_eq!(said(&mut editor, &places), said(&mut fresh, &places), "{text:?}");
            }
            assert_eq!(fresh.end(), 0);
        }
    }
    // Once for each loss; and what is told of half a character is no loss.
    let told = editor.shown.iter().filter(|sentence| sentence.contains("could not read")).count();
    assert_eq!(told, losses, "{:?}", editor.shown);
    assert!(editor.shown.iter().all(|it| it.contains("open it again")
        || it.contains("open them again")
        || it.contains("delete that")));
    assert_eq!(editor.end(), 0);
}

/// A request for the layout of a document of a test.
fn layout(editor: &mut Editor, name: &str) -> Value {
    let uri = editor.uri(name);
    editor.request("textDocument/formatting", json!({"textDocument": {"uri": uri}, "options": {}}))
}

#[test]
fn a_large_paste_is_a_change_as_any_other() {
    let mut editor = Editor::initialized();
    editor.open("main.ez", "do main() {\n}\n");
    let paste = format!("    // {}\n", "x".repeat(9_000_000));
    editor.change("main.ez", 2, json!([{"range": range((1, 0), (1, 0)), "text": paste}]));
    editor.change("main.ez", 3, json!([{"range": range((1, 0), (2, 0)), "text": ""}]));
    editor.change("main.ez", 4, json!([{"range": range((1, 0), (1, 0)), "text": "  x = 1\n"}]));
    assert_eq!(codes(&editor.reports_of("main.ez", 4)), ["E4001"]);
    assert_eq!(layout(&mut editor, "main.ez")[0]["newText"], "    x = 1\n");
    assert_eq!(editor.shown, Vec::<String>::new());
    assert_eq!(editor.end(), 0);
}

#[test]
fn a_character_in_two_halves_is_one() {
    let mut editor = Editor::initialized();
    editor.open("main.ez", "do main() {\n    temp a = \"\" + b\n}\n");
    let uri = editor.uri("main.ez");
    for (version, at, half) in [(2, 14, "\\ud83d"), (3, 15, "\\ude00")] {
        let range = range((1, at), (1, at));
        let body = did_change(&uri, version, &format!(r#"[{{"range": {range}, "text": "{half}"}}]"#));
        editor.raw(&framed(body.as_bytes()));
    }
    let reports = editor.reports_of("main.ez", 3);
    assert_eq!(reports[0]["range"], range((1, 20), (1, 21)));
    assert_eq!(editor.shown, Vec::<String>::new());
    // A half that stays is told.
    let half = range((1, 14), (1, 15));
    editor.change("main.ez", 4, json!([{"range": half, "text": ""}]));
    assert_eq!(editor.reports_of("main.ez", 4), Vec::<Value>::new());
    assert_eq!(editor.shown.len(), 1);
    assert!(editor.shown[0].contains("half a character in main.ez"), "{:?}", editor.shown);
    assert_eq!(layout(&mut editor, "main.ez")["code"], NOT_KNOWN);
    assert_eq!(editor.end(), 0);
}

#[test]
fn a_program_with_a_text_that_is_not_known_is_not_known() {
    let mut editor = Editor::initialized();
    editor.write("lib.ez", "module lib\ndo f() {}\n");
    let main = "import \"./lib\"\ndo main() {\n    lib.f()\n    nosuch()\n}\n";
    editor.open("main.ez", main);
    assert_eq!(codes(&editor.reports_of("main.ez", 1)), ["E4002"]);
    // Not as it is on the disk.
    let uri = editor.uri("lib.ez");
    editor.notify("textDocument/didOpen", json!({"textDocument": {"uri": uri, "version": 1, "text": 7}}));
    assert_eq!(editor.next_reports("main.ez"), Vec::<Value>::new());
    let params = json!({"textDocument": {"uri": editor.uri("main.ez")}, "position": {"line": 2, "character": 8}, "newName": "g"});
    assert_eq!(editor.request("textDocument/rename", params.clone())["code"], -32803);
    assert_eq!(editor.request("textDocument/hover", params.clone()), Value::Null);
    assert!(layout(&mut editor, "main.ez").is_array());
    assert_eq!(layout(&mut editor, "lib.ez")["code"], NOT_KNOWN);
    assert!(editor.shown[0].contains("of lib.ez"), "{:?}", editor.shown);
    editor.change("lib.ez", 2, json!([{"text": "module lib\ndo f() {}\n"}]));
    assert_eq!(codes(&editor.next_reports("main.ez")), ["E4002"]);
    assert_eq!(editor.request("textDocument/rename", params)["changes"].as_object().unwrap().len(), 2);
    assert_eq!(editor.shown.len(), 1);
    assert_eq!(editor.end(), 0);
}

#[test]
fn a_document_is_opened_by_nothing_but_its_opening() {
    let mut editor = Editor::initialized();
    editor.write("lib.ez", "module lib\ndo f() {}\n");
    editor.open("main.ez", "import \"./lib\"\ndo main() {\n    lib.f()\n}\n");
    let whole = json!([{"text": "module lib\n"}]);
    let edit = json!([{"range": range((0, 0), (0, 0)), "text": "x"}]);
    editor.open("lib.ez", "module lib\ndo f() {}\n");
    let uri = editor.uri("lib.ez");
    let document = json!({"textDocument": {"uri": uri}});
    editor.notify("textDocument/didClose", document.clone());
    // Late messages: changes that can be carried out or not, and those that cannot be read.
    for changes in [edit, whole.clone(), json!(3), json!([{"text": 3}])] {
        editor.change("lib.ez", 2, changes);
        assert_eq!(layout(&mut editor, "lib.ez")["code"], -32602);
    }
    editor.notify("textDocument/didSave", document.clone());
    editor.notify("textDocument/didClose", document.clone());
    assert_eq!(layout(&mut editor, "lib.ez")["code"], -32602);
    // What is on the disk counts.
    assert_eq!(editor.next_reports("main.ez"), Vec::<Value>::new());
    let at = json!({"textDocument": {"uri": editor.uri("main.ez")}, "position": {"line": 2, "character": 8}, "newName": "g"});
    assert_eq!(editor.request("textDocument/rename", at)["changes"].as_object().unwrap().len(), 2);
    // It is said once of each document, until it is opened.
    assert_eq!(editor.logged.len(), 1, "{:?}", editor.logged);
    assert!(editor.logged[0].contains("lib.ez is not open"), "{:?}", editor.logged);
    assert_eq!(editor.shown, Vec::<String>::new());
    editor.open("lib.ez", "module lib\ndo f() {}\n");
    editor.notify("textDocument/didClose", document);
    editor.change("lib.ez", 3, whole);
    assert!(layout(&mut editor, "main.ez").is_array());
    assert_eq!(editor.logged.len(), 2, "{:?}", editor.logged);
    assert_eq!(editor.end(), 0);
}

/// The message that has opened a document may be one that was lost.
#[test]
fn a_document_whose_opening_was_lost_is_not_known() {
    let edit = json!([{"range": range((0, 0), (0, 0)), "text": "x"}]);
    let whole = json!([{"text": "do main() {}\n"}]);
    let mut editor = Editor::initialized();
    editor.notify("textDocument/didOpen", json!({"textDocument": {"uri": editor.uri("main.ez"), "text": 3}}));
    editor.change("main.ez", 2, edit.clone());
    assert_eq!(layout(&mut editor, "main.ez")["code"], NOT_KNOWN);
    editor.change("main.ez", 3, whole.clone());
    assert_eq!(layout(&mut editor, "main.ez"), json!([]));
    editor.raw(&framed(b"{"));
    editor.change("other.ez", 2, edit);
    assert_eq!(layout(&mut editor, "other.ez")["code"], NOT_KNOWN);
    editor.change("other.ez", 3, whole.clone());
    assert_eq!(layout(&mut editor, "other.ez"), json!([]));
    // That which is closed since then is not open.
    editor.notify("textDocument/didClose", json!({"textDocument": {"uri": editor.uri("other.ez")}}));
    editor.change("other.ez", 4, whole);
    assert_eq!(layout(&mut editor, "other.ez")["code"], -32602);
    assert_eq!((editor.shown.len(), editor.logged.len()), (3, 1));
    assert_eq!(editor.end(), 0);
}

#[test]
fn a_line_ends_where_the_protocol_says() {
    let mut editor = Editor::initialized();
    editor.open("main.ez", "\u{feff}import @std\r\rdo main() {\r}\r// x\nzz()\n");
    let reports = editor.reports_of("main.ez", 1);
    assert_eq!(reports[0]["range"]["start"]["line"], 5, "{reports:?}");
    // The client has the mark in its text.
    let uri = editor.uri("main.ez");
    editor.change("main.ez", 2, json!([{"range": range((0, 7), (0, 8)), "text": " "}]));
    let params = json!({"textDocument": {"uri": uri}});
    let tokens = editor.request("textDocument/semanticTokens/full", params);
    let starts: Vec<[u64; 3]> = tokens["data"]
        .as_array()
        .unwrap()
        .chunks(5)
        .map(|token| [0, 1, 2].map(|part| token[part].as_u64().unwrap()))
        .collect();
    assert_eq!(starts[0], [0, 1, 6], "{starts:?}");
    let lines: u64 = starts.iter().map(|start| start[0]).sum();
    assert_eq!(lines, 4, "{starts:?}");
    assert_eq!(editor.end(), 0);
}

#[test]
fn an_id_that_is_none_loses_no_text() {
    let mut editor = Editor::initialized();
    let at = editor.open_all(&[("main.ez", "do main() { temp a| = 1 a++ }\n")]);
    let uri = editor.uri("main.ez");
    let not_text = json!({"textDocument": {"uri": uri}});
    for message in [
        json!({"id": null, "method": "textDocument/hover", "params": at}),
        json!({"id": {"a": 1}, "method": "textDocument/formatting", "params": not_text}),
        json!({"id": true, "method": "shutdown"}),
        json!({"id": 1.5, "method": "shutdown"}),
    ] {
        editor.send(message.clone());
        let answer = editor.read();
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&Value::Null, &json!(-32600)), "{message}");
    }
    // One that could not be repeated as it is.
    editor.raw(&framed(br#"{"id": 1180591620717411303424, "method": "shutdown"}"#));
    let answer = editor.read();
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&Value::Null, &json!(-32600)));
    for id in [json!(u64::MAX), json!(i64::MIN), json!("1180591620717411303424")] {
        editor.send(json!({"id": id, "method": "textDocument/formatting", "params": not_text}));
        let answer = editor.read();
        assert!(answer["id"] == id && answer["result"].is_array(), "{answer}");
    }
    // A change with an id is one all the same, since the client has made it.
    for (version, id) in [(2, json!(null)), (3, json!(77)), (4, json!({}))] {
        let params = json!({
            "textDocument": {"uri": uri, "version": version},
            "contentChanges": [{"range": range((0, 0), (0, 0)), "text": "\n"}],
        });
        editor.send(json!({"id": id, "method": "textDocument/didChange", "params": params}));
        let answer = editor.read();
        assert_eq!(answer["error"]["code"], -32600, "{answer}");
        assert_eq!(editor.reports_of("main.ez", version), Vec::<Value>::new());
        let hover = json!({"textDocument": {"uri": uri}, "position": {"line": version - 1, "character": 17}});
        assert!(editor.request("textDocument/hover", hover)["contents"].is_object());
    }
    assert_eq!(editor.shown, Vec::<String>::new());
    assert_eq!(editor.end(), 0);
}

#[test]
fn two_uris_of_one_file_have_texts_of_their_own() {
    let mut editor = Editor::initialized();
    let one = editor.uri("main.ez");
    let two = one.replace("file:///", "file://localhost/");
    let open = |editor: &mut Editor, uri: &str, text: &str| {
        let document = json!({"uri": uri, "languageId": "ez", "version": 1, "text": text});
        editor.notify("textDocument/didOpen", json!({"textDocument": document}));
    };
    let change = |editor: &mut Editor, uri: &str, version: i64, range: Value, text: &str| {
        let change = json!([{"range": range, "text": text}]);
        let document = json!({"uri": uri, "version": version});
        editor.notify("textDocument/didChange", json!({"textDocument": document, "contentChanges": change}));
    };
    // The reports of both, by URI, for a version of one of them.
    let published = |editor: &mut Editor, uri: &str, version: i64| {
        let mut found = std::collections::BTreeMap::new();
        while found.len() < 2 || found[uri] != version {
            let message = editor.read();
            let params = &message["params"];
            if message["method"] == "textDocument/publishDiagnostics" {
                found
                    .insert(params["uri"].as_str().unwrap().to_string(), params["version"].as_i64().unwrap());
                editor.reports.insert(
                    params["uri"].as_str().unwrap().into(),
                    params["diagnostics"].as_array().unwrap().clone(),
                );
            }
        }
        [one.as_str(), two.as_str()].map(|uri| codes(&editor.reports[uri]).join(" "))
    };
    let layout = |editor: &mut Editor, uri: &str| {
        editor.request("textDocument/formatting", json!({"textDocument": {"uri": uri}}))
    };
    let text = "do main() { x }\n";
    open(&mut editor, &one, text);
    open(&mut editor, &two, text);
    assert_eq!(published(&mut editor, &two, 1), ["E4001", "E4001"]);
    assert_eq!(layout(&mut editor, &one), layout(&mut editor, &two));
    // What has changed last counts; of the other text nothing is said.
    change(&mut editor, &one, 2, range((0, 12), (0, 13)), "y()");
    assert_eq!(published(&mut editor, &one, 2), ["E4002", ""]);
    assert!(layout(&mut editor, &one).is_array());
    assert_eq!(layout(&mut editor, &two)["code"], NOT_KNOWN);
    change(&mut editor, &two, 2, range((0, 12), (0, 13)), "y()");
    assert_eq!(published(&mut editor, &two, 2), ["E4002", "E4002"]);
    editor.notify("textDocument/didClose", json!({"textDocument": {"uri": two}}));
    assert!(layout(&mut editor, &one).is_array());
    editor.notify("textDocument/didClose", json!({"textDocument": {"uri": one}}));
    assert_eq!(layout(&mut editor, &one)["code"], -32602);
    assert_eq!(editor.end(), 0);
}
