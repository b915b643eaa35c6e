//! Real clients are answered as when they were recorded: `testdata/lsp` has a program, and what each of them sent while
//! somebody worked on it: a hover, a definition, a renaming, a fix, a completion, the format. They were Visual Studio
//! Code 1.100 (its web build), Neovim 0.12, Emacs 30.2 with eglot, and Helix 25.07.

use serde_json::{Value, json};
use support::testdata;

use super::lsp::Editor;

/// The folder of the program in the recordings.
const FOLDER: &str = "file:///program/";

/// What is shown of an answer: of completions the names, of which there are many.
fn shown(method: &str, answer: Value) -> Value {
    let Some(items) = answer["items"].as_array().filter(|_| method == "textDocument/completion") else {
        return answer;
    };
    json!({"count": items.len(), "first": items.iter().take(8).map(|item| &item["label"]).collect::<Vec<_>>()})
}

/// The version of a document that a message sets.
fn version_of(message: &Value, uri: &str) -> Option<i64> {
    let document = &message["params"]["textDocument"];
    let is_edit =
        message["method"] == "textDocument/didOpen" || message["method"] == "textDocument/didChange";
    document["version"].as_i64().filter(|_| is_edit && document["uri"] == uri)
}

/// Sends what a client has sent, and shows what it is answered, and the reports at the end.
fn replay(client: &str) -> String {
    let mut editor = Editor::new();
    for name in ["main.ez", "shapes.ez"] {
        editor.write(name, &std::fs::read_to_string(testdata("lsp/program").join(name)).unwrap());
    }
    let (uri, main) = (editor.uri(""), editor.uri("main.ez"));
    let recorded = std::fs::read_to_string(testdata("lsp").join(client).join("client.jsonl")).unwrap();
    let (mut said, mut version, mut reported) = (String::new(), None, None);
    for line in recorded.lines() {
        let message: Value = serde_json::from_str(&line.replace(FOLDER, &uri)).unwrap();
        let method = message["method"].as_str().unwrap_or_default();
        version = version_of(&message, &main).or(version);
        while method == "shutdown" && reported != version {
            reported = reported_version(&editor.read(), &main).or(reported);
        }
        editor.send(message.clone());
        while !message["id"].is_null() && !method.is_empty() {
            let answer = editor.read();
            reported = reported_version(&answer, &main).or(reported);
            if answer["id"] == message["id"] {
                let answer = shown(method, answer.get("result").unwrap_or(&answer["error"]).clone());
                said += &format!("{method}\n{}\n", answer.to_string().replace(&uri, FOLDER));
                break;
            }
        }
    }
    said + &format!("reports\n{}\n", json!(editor.reports).to_string().replace(&uri, FOLDER))
}

/// The version of a document whose reports a message has.
fn reported_version(message: &Value, uri: &str) -> Option<i64> {
    let params = &message["params"];
    params["version"].as_i64().filter(|_| params["uri"] == uri && !params["diagnostics"].is_null())
}

#[test]
fn visual_studio_code() {
    insta::assert_snapshot!(replay("vscode"));
}

#[test]
fn neovim() {
    insta::assert_snapshot!(replay("neovim"));
}

#[test]
fn emacs() {
    insta::assert_snapshot!(replay("emacs"));
}

#[test]
fn helix() {
    insta::assert_snapshot!(replay("helix"));
}
