//! What may go wrong with `ez lsp`: each request is answered once, and what it knows is what the last texts say.

use std::process::Stdio;

use serde_json::{Value, json};

use crate::lsp::{Editor, codes, programs, range};

/// Every method that is about a document, with parameters for it.
pub fn requests(uri: &str, line: u64, character: u64) -> Vec<(&'static str, Value)> {
    let document = json!({"uri": uri});
    let position = json!({"line": line, "character": character});
    let at = json!({"textDocument": document, "position": position});
    let with = |name: &str, value: Value| {
        let mut at = at.clone();
        at[name] = value;
        at
    };
    let whole = json!({"start": position, "end": {"line": line + 3, "character": 0}});
    vec![
        ("textDocument/hover", at.clone()),
        ("textDocument/definition", at.clone()),
        ("textDocument/typeDefinition", at.clone()),
        ("textDocument/references", with("context", json!({"includeDeclaration": true}))),
        ("textDocument/documentHighlight", at.clone()),
        ("textDocument/prepareRename", at.clone()),
        ("textDocument/rename", with("newName", json!("other"))),
        ("textDocument/completion", at.clone()),
        ("textDocument/signatureHelp", at.clone()),
        ("textDocument/documentSymbol", json!({"textDocument": document})),
        ("textDocument/foldingRange", json!({"textDocument": document})),
        ("textDocument/selectionRange", json!({"textDocument": document, "positions": [position, position]})),
        ("textDocument/inlayHint", json!({"textDocument": document, "range": whole})),
        ("textDocument/semanticTokens/full", json!({"textDocument": document})),
        ("textDocument/semanticTokens/range", json!({"textDocument": document, "range": whole})),
        (
            "textDocument/codeAction",
            json!({"textDocument": document, "range": whole, "context": {"diagnostics": []}}),
        ),
        (
            "textDocument/formatting",
            json!({"textDocument": document, "options": {"tabSize": 4, "insertSpaces": true}}),
        ),
    ]
}

/// What a server says of a text at some places.
pub fn said(editor: &mut Editor, places: &[(u64, u64)]) -> Vec<Value> {
    let uri = editor.uri("main.ez");
    let mut all = Vec::new();
    for (line, character) in places {
        for (method, params) in requests(&uri, *line, *character) {
            let mut answer = editor.request(method, params);
            // The folders of the two are different.
            let text = answer.to_string().replace(&uri, "main.ez");
            answer = serde_json::from_str(&text).unwrap();
            all.push(json!([method, line, character, answer]));
        }
    }
    all
}

#[test]
fn after_any_edits_it_says_what_a_new_server_says() {
    let mut random = fastrand::Rng::with_seed(3);
    let texts = programs("");
    let utf8 = json!({"general": {"positionEncodings": ["utf-8"]}});
    for round in 0..12 {
        let capabilities = if round % 2 == 0 { json!({}) } else { utf8.clone() };
        let mut editor = Editor::with(capabilities.clone());
        let mut text = random.choice(&texts).unwrap().replace('\u{feff}', "");
        editor.open("main.ez", &text);
        for version in 2..12 {
            let lines: Vec<&str> = text.split('\n').collect();
            let line = random.usize(0..lines.len());
            let own = lines[line].trim_end_matches('\r');
            let cuts: Vec<usize> = own.char_indices().map(|(at, _)| at).chain([own.len()]).collect();
            let (mut from, mut to) = (*random.choice(&cuts).unwrap(), *random.choice(&cuts).unwrap());
            if from > to {
                std::mem::swap(&mut from, &mut to);
            }
            let units = |part: &str| if round % 2 == 0 { part.encode_utf16().count() } else { part.len() };
            let new =
                random.choice(["", "x", ".", "é😀", "{", "}", "\n", "\"${", "temp y = ", "\r\n"]).unwrap();
            let place = |at: usize| json!({"line": line, "character": units(&own[..at])});
            let change = json!([{"range": {"start": place(from), "end": place(to)}, "text": new}]);
            editor.change("main.ez", version, change);
            let start: usize = lines[..line].iter().map(|line| line.len() + 1).sum();
            text.replace_range(start + from..start + to, new);
            if random.bool() {
                // What was said meanwhile has no influence.
                said(&mut editor, &[(line as u64, from as u64)]);
            }
        }
        let places: Vec<(u64, u64)> = (0..3).map(|_| (random.u64(0..40), random.u64(0..30))).collect();
        // What was known before a syntax error may be used, which a new server does not have.
        let has_names = ez_language::check::check_source(&text, "a.ez").is_parsed;
        let mut fresh = Editor::with(capabilities);
        fresh.open("main.ez", &text);
        let (got, wanted) = (editor.reports_of("main.ez", 11), fresh.reports_of("main.ez", 1));
        let shown = |reports: &[Value]| -> Vec<String> {
            reports.iter().map(|it| format!("{} {} {}", it["code"], it["range"], it["message"])).collect()
        };
        assert_eq!(shown(&got), shown(&wanted), "{text}");
        if has_names {
            for (got, wanted) in said(&mut editor, &places).iter().zip(said(&mut fresh, &places)) {
                assert_eq!(*got, wanted, "{text}");
            }
        }
        assert_eq!(editor.end(), 0);
    }
}

/// For every program, cut anywhere, at any place: an answer that is none about a mistake in the server.
#[test]
fn every_request_is_answered_for_every_program() {
    let mut random = fastrand::Rng::with_seed(5);
    let mut editor = Editor::initialized();
    let uri = editor.uri("main.ez");
    for text in programs("").iter().step_by(7) {
        let cut = text.char_indices().map(|(at, _)| at).nth(random.usize(0..=text.chars().count()));
        for text in [text.as_str(), &text[..cut.unwrap_or(text.len())]] {
            editor.open("main.ez", text);
            let line = random.u64(0..=text.matches('\n').count() as u64);
            for (method, params) in requests(&uri, line, random.u64(0..60)) {
                let answer = editor.request(method, params);
                assert!(answer["code"].is_null() || answer["code"] == -32803, "{method}: {answer}\n{text}");
            }
        }
    }
    assert_eq!(editor.end(), 0);
}

#[test]
fn wrong_parameters_are_refused() {
    let mut editor = Editor::new();
    for (method, params) in requests("file:///a.ez", 0, 0) {
        assert_eq!(editor.request(method, params)["code"], -32002, "{method}");
    }
    editor.notify("textDocument/didOpen", json!({"textDocument": {"uri": "file:///a.ez", "text": ""}}));
    editor.request("initialize", json!({"capabilities": 3, "processId": "x"}));
    for (method, params) in requests("file:///a.ez", 0, 0) {
        // What came before `initialize` was dropped.
        assert_eq!(editor.request(method, params)["code"], -32602, "{method}");
    }
    editor.open("main.ez", "do main() { temp a = 1 }\n");
    let uri = editor.uri("main.ez");
    let far = u64::from(u32::MAX);
    for (method, params) in requests(&uri, far, far) {
        let answer = editor.request(method, params);
        assert!(answer["code"].is_null() || answer["code"] == -32803, "{method}: {answer}");
    }
    for (method, params) in requests(&uri, 0, 0) {
        for name in ["position", "range", "positions"] {
            if params.get(name).is_none() {
                continue;
            }
            for wrong in [
                json!(null),
                json!(3),
                json!([{}]),
                json!({"line": -1, "character": 0}),
                json!({"line": 0.5}),
            ] {
                let mut params = params.clone();
                params[name] = wrong;
                assert_eq!(editor.request(method, params)["code"], -32602, "{method} {name}");
            }
        }
    }
    assert_eq!(editor.request("workspace/symbol", json!({"query": 3}))["code"], -32602);
    assert_eq!(editor.end(), 0);
}

#[test]
fn edits_in_any_order_leave_the_text_that_they_say() {
    let mut editor = Editor::initialized();
    editor.open("main.ez", "do main() {\n    temp a = 1\n}\n");
    // Twice the same version, an earlier one, none: the order in which they come counts.
    let whole = |text: &str| json!([{"text": text}]);
    editor.change("main.ez", 5, whole("do main() {\n    x = 1\n}\n"));
    editor.change(
        "main.ez",
        5,
        json!([{"range": range((1, 4), (1, 5)), "text": "yy"}, {"range": range((1, 4), (1, 5)), "text": ""}]),
    );
    editor.change("main.ez", 3, json!([{"range": range((1, 99), (1, 99)), "text": ""}]));
    let reports = editor.reports_of("main.ez", 3);
    assert_eq!(codes(&reports), ["E4001"]);
    assert!(reports[0]["message"].as_str().unwrap().contains("'y'"), "{reports:?}");
    assert_eq!(editor.end(), 0);
}

#[test]
fn cancelled_requests_are_answered_once() {
    let mut editor = Editor::initialized();
    editor.open("main.ez", "do main() { temp a = 1 }\n");
    let params =
        json!({"textDocument": {"uri": editor.uri("main.ez")}, "position": {"line": 0, "character": 17}});
    for id in 100..120 {
        editor.send(json!({"jsonrpc": "2.0", "id": id, "method": "textDocument/hover", "params": params}));
        editor.notify("$/cancelRequest", json!({"id": id}));
    }
    editor.notify("$/cancelRequest", json!({"id": "nosuch"}));
    let mut answered = Vec::new();
    while answered.len() < 20 {
        let message = editor.read();
        answered.extend(message["id"].as_i64());
    }
    assert_eq!(answered, (100..120).collect::<Vec<i64>>());
    // While the first one is carried out, the others wait, and come to nothing.
    let lines: String =
        (0..3000).map(|number| format!("    temp a{number} = {number}\n    a{number}++\n")).collect();
    let text = format!("do main() {{\n{lines}}}\n");
    editor.open("long.ez", &text);
    let mut rename =
        json!({"textDocument": {"uri": editor.uri("long.ez")}, "position": {"line": 1, "character": 9}});
    rename["newName"] = json!("other");
    for id in 200..210 {
        editor.send(json!({"jsonrpc": "2.0", "id": id, "method": "textDocument/rename", "params": rename}));
    }
    for id in 201..210 {
        editor.notify("$/cancelRequest", json!({"id": id}));
    }
    let mut codes = Vec::new();
    while codes.len() < 10 {
        let message = editor.read();
        if message["id"].is_i64() {
            codes.push(message["error"]["code"].as_i64());
        }
    }
    assert_eq!(codes[9], Some(-32800), "{codes:?}");
    assert!(codes.iter().all(|code| code.is_none_or(|code| code == -32800)), "{codes:?}");
    // The number can be used again.
    editor.send(json!({"jsonrpc": "2.0", "id": 205, "method": "textDocument/hover", "params": params}));
    let answer = loop {
        let message = editor.read();
        if message["id"] == 205 {
            break message;
        }
    };
    assert!(answer["result"]["contents"].is_object(), "{answer}");
    assert!(editor.request("textDocument/hover", params)["contents"].is_object());
    assert_eq!(editor.end(), 0);
}

#[test]
fn documents_need_no_file_and_folders_may_go() {
    let mut editor = Editor::initialized();
    let text = "import \"./lib\"\ndo main() { lib.f() }\n";
    let document = json!({"uri": "untitled:Untitled-1", "languageId": "ez", "version": 1, "text": text});
    editor.notify("textDocument/didOpen", json!({"textDocument": document}));
    while !editor.reports.contains_key("untitled:Untitled-1") {
        editor.read();
    }
    assert!(codes(&editor.reports["untitled:Untitled-1"]).contains(&"E6001".to_string()));
    for (method, params) in requests("untitled:Untitled-1", 1, 4) {
        let answer = editor.request(method, params);
        assert!(answer["code"].is_null() || answer["code"] == -32803, "{method}: {answer}");
    }
    editor.write("lib.ez", "module lib\ndo f() {}\n");
    editor.open("main.ez", text);
    assert_eq!(editor.reports_of("main.ez", 1), Vec::<Value>::new());
    std::fs::remove_file(editor.path("lib.ez")).unwrap();
    let folder = editor.path("");
    std::fs::remove_dir_all(&folder).unwrap();
    editor.notify("workspace/didChangeWatchedFiles", json!({"changes": []}));
    editor.change("main.ez", 2, json!([{"text": text}]));
    assert!(codes(&editor.reports_of("main.ez", 2)).contains(&"E6001".to_string()));
    std::fs::create_dir_all(&folder).unwrap();
    assert_eq!(editor.end(), 0);
}

#[test]
fn random_bytes_never_end_it() {
    let mut random = fastrand::Rng::with_seed(11);
    let mut editor = Editor::initialized();
    editor.open("main.ez", "do main() { temp a = 1 }\n");
    let params =
        json!({"textDocument": {"uri": editor.uri("main.ez")}, "position": {"line": 0, "character": 17}});
    for _ in 0..200 {
        let length = random.usize(0..60);
        let mut bytes: Vec<u8> = (0..length).map(|_| random.u8(..)).collect();
        match random.u8(0..3) {
            0 => {
                let mut whole = format!("Content-Length: {length}\r\n\r\n").into_bytes();
                whole.append(&mut bytes);
                editor.raw(&whole);
            }
            1 => {
                // A message in which some bytes are others.
                let mut body = json!({"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {
                    "textDocument": {"uri": editor.uri("main.ez"), "version": 1},
                    "contentChanges": [{"range": range((0, 1), (0, 2)), "text": "o"}],
                }})
                .to_string()
                .into_bytes();
                let at = random.usize(0..body.len());
                body[at] = random.u8(b' '..b'~');
                editor.raw(format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes());
                editor.raw(&body);
            }
            _ => {
                bytes.retain(|byte| *byte != b'C' && *byte != b'c');
                bytes.extend(b"\r\n");
                editor.raw(&bytes);
            }
        }
    }
    editor.raw(b"\r\n\r\n");
    let id = 4711;
    editor.send(json!({"jsonrpc": "2.0", "id": id, "method": "textDocument/hover", "params": params}));
    while editor.read()["id"] != id {}
}

#[test]
fn a_program_of_a_thousand_files() {
    let mut editor = Editor::initialized();
    let mut imports = String::new();
    for number in 0..1000 {
        editor.write(
            &format!("m{number}.ez"),
            &format!("module m{number}\ndo f() -> int {{ return {number} }}\n"),
        );
        imports += &format!("import \"./m{number}\"\n");
    }
    let calls: String =
        (0..1000).map(|number| format!("    temp a{number} = m{number}.f()\n    a{number}++\n")).collect();
    let text = format!("{imports}do main() {{\n{calls}}}\n");
    editor.open("main.ez", &text);
    assert_eq!(editor.reports_of("main.ez", 1), Vec::<Value>::new());
    editor.open("m999.ez", "module m999\ndo f() -> int { return g() }\n");
    assert_eq!(codes(&editor.reports_of("m999.ez", 1)), ["E4002"]);
    let at = json!({"textDocument": {"uri": editor.uri("m999.ez")}, "position": {"line": 1, "character": 4}, "context": {"includeDeclaration": false}});
    assert_eq!(editor.request("textDocument/references", at).as_array().unwrap().len(), 1);
    assert_eq!(editor.end(), 0);
}

/// Hover and completion do not wait for the analysis of an edit: they say the same all the same, if it changes no meaning.
#[test]
fn answers_at_once_after_an_edit_are_those_of_an_analysis() {
    let mut random = fastrand::Rng::with_seed(17);
    let mut editor = Editor::initialized();
    let uri = editor.uri("main.ez");
    let whole = "// é😀\nimport & use @std\nconst Point struct { x int y int }\nconst Color enum { RED }\ndo add(a, b int) -> int {\n    temp sum = a + b\n    return sum\n}\ndo main() {\n    temp p = new(Point)\n    for i in range(0, 3) {\n        println(\"😀 ${p.x + i} ${add(i, 1)}\")\n    }\n    p.y = math\n    temp c Color = Color.RED\n}\n";
    editor.open("main.ez", whole);
    editor.reports_of("main.ez", 1);
    let mut text = whole.to_string();
    for version in 2..80 {
        let lines = text.matches('\n').count();
        let line = random.usize(0..lines);
        let (start, end, new) = if random.bool() || lines < 8 {
            ((line, 0), (line, 0), *random.choice(&["\n", "// é\n", "  ", "/* 😀 */ "]).unwrap())
        } else if text.split('\n').nth(line).unwrap().trim_start().is_empty() {
            ((line, 0), (line + 1, 0), "")
        } else {
            continue;
        };
        let place = |(line, character): (usize, usize)| json!({"line": line, "character": character});
        editor.change(
            "main.ez",
            version,
            json!([{"range": {"start": place(start), "end": place(end)}, "text": new}]),
        );
        let begin: usize = text.split_inclusive('\n').take(start.0).map(str::len).sum();
        let finish: usize = text.split_inclusive('\n').take(end.0).map(str::len).sum();
        text.replace_range(begin..finish, new);
        let lines: Vec<&str> = text.split('\n').collect();
        let at = random.usize(0..lines.len());
        let units: Vec<u16> = lines[at].encode_utf16().collect();
        let params = json!({
            "textDocument": {"uri": uri},
            "position": {"line": at, "character": random.usize(0..=units.len())},
        });
        let ask = |editor: &mut Editor| {
            ["textDocument/hover", "textDocument/completion"]
                .map(|method| editor.request(method, params.clone()))
        };
        let [hover, mut completion] = ask(&mut editor);
        editor.reports_of("main.ez", version);
        assert_eq!(completion["isIncomplete"], true);
        completion["isIncomplete"] = json!(false);
        assert_eq!([hover, completion], ask(&mut editor), "{params}\n{text}");
    }
    // A name that is new, and one that has become another one.
    editor.change("main.ez", 90, json!([{"text": whole.replace("temp sum = a + b\n", "temp sums = a + b\n    temp other = 1\n    \n")}]));
    let at = |line: u64, character: u64| json!({"textDocument": {"uri": uri}, "position": {"line": line, "character": character}});
    let items = editor.request("textDocument/completion", at(7, 4));
    let labels: Vec<&str> =
        items["items"].as_array().unwrap().iter().map(|it| it["label"].as_str().unwrap()).collect();
    assert_eq!(labels[..4], ["other", "sums", "b", "a"]);
    assert_eq!(editor.request("textDocument/hover", at(5, 10)), Value::Null);
    assert_eq!(editor.end(), 0);
}

#[test]
fn the_server_ends_with_the_process_that_has_started_it() {
    let mut editor = Editor::new();
    // A client that ends without closing the connection, which somebody else holds open.
    let mut client = support::ez();
    let mut client = client.arg("lsp").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    editor.request("initialize", json!({"capabilities": {}, "processId": client.id()}));
    editor.notify("initialized", json!({}));
    assert!(editor.request("textDocument/nosuch", json!({}))["code"].is_i64());
    drop(client.stdin.take());
    client.wait().unwrap();
    assert_eq!(editor.waited(), 1);
    // One that is not on this computer, and none, say nothing.
    for id in [json!(u32::MAX - 1), json!(null), json!("1"), json!(-1)] {
        let mut editor = Editor::new();
        editor.request("initialize", json!({"capabilities": {}, "processId": id}));
        assert!(editor.request("textDocument/nosuch", json!({}))["code"].is_i64());
        assert_eq!(editor.end(), 0);
    }
}
