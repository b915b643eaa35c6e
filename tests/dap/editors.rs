//! What the folder `editors` says of `ez` is true.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use support::dap::Dap;
use support::testdata;

fn editors(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("editors").join(file)
}

fn text(file: &str) -> String {
    std::fs::read_to_string(editors(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

fn read_json(file: &str) -> Value {
    serde_json::from_str(&text(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

fn manifest() -> Value {
    read_json("vscode/package.json")
}

/// The attributes with which the extension launches programs, or attaches to them.
fn attributes_of(request: &str) -> serde_json::Map<String, Value> {
    let all = &manifest()["contributes"]["debuggers"][0]["configurationAttributes"][request];
    all["properties"].as_object().unwrap().clone()
}

/// The attributes with which the extension launches programs.
fn attributes() -> serde_json::Map<String, Value> {
    attributes_of("launch")
}

#[test]
fn files_of_the_extension_are_there() {
    let contributes = &manifest()["contributes"];
    let files = [
        &contributes["languages"][0]["configuration"],
        &contributes["grammars"][0]["path"],
        &contributes["snippets"][0]["path"],
    ];
    for file in files {
        let file = file.as_str().unwrap().trim_start_matches("./");
        assert!(read_json(&format!("vscode/{file}")).is_object());
    }
    assert_eq!(manifest()["main"], "./extension.js");
}

#[test]
fn commands_and_settings_are_those_of_the_extension() {
    let (manifest, code) = (manifest(), text("vscode/extension.js") + &text("vscode/sharing.js"));
    let contributes = &manifest["contributes"];
    for command in contributes["commands"].as_array().unwrap() {
        let name = command["command"].as_str().unwrap();
        assert!(code.contains(&format!("registerCommand(\"{name}\"")), "{name}");
    }
    assert_eq!(code.matches("registerCommand(").count(), contributes["commands"].as_array().unwrap().len());
    let settings = contributes["configuration"]["properties"].as_object().unwrap();
    for name in settings.keys() {
        let name = name.strip_prefix("ez.").unwrap();
        assert!(code.contains(&format!("setting(\"{name}\")")), "{name}");
    }
    for menu in contributes["menus"].as_object().unwrap().values() {
        for item in menu.as_array().unwrap() {
            assert!(
                contributes["commands"].as_array().unwrap().iter().any(|c| c["command"] == item["command"])
            );
        }
    }
}

#[test]
fn the_adapter_knows_the_attributes_of_the_manifest() {
    let program = testdata("transcripts").join("simple_stepping.ez").display().to_string();
    let mut dap = Dap::start(&testdata("transcripts"));
    dap.request("initialize", json!({"adapterID": "ez"}));
    for name in attributes().keys() {
        let mut launch = json!({ "program": program });
        launch[name] = json!({"wrong": 1});
        let message = dap.refused("launch", launch);
        assert!(message.contains(&format!("'{name}")), "{name}: {message}");
    }
    for name in attributes_of("attach").keys() {
        let mut attach = json!({"port": 1});
        attach[name] = json!({"wrong": 1});
        let message = dap.refused("attach", attach);
        assert!(message.contains(&format!("'{name}")), "{name}: {message}");
    }
    // With what the manifest proposes, a program is launched.
    let mut launch = json!({});
    for (name, attribute) in attributes() {
        launch[name] = attribute["default"].clone();
    }
    launch["program"] = json!(program);
    launch["cwd"] = json!(testdata("transcripts").display().to_string());
    dap.request("launch", launch);
    dap.disconnect();
}

#[test]
fn attributes_are_documented() {
    let guide = std::fs::read_to_string(editors("../docs/editors.md")).unwrap();
    for name in attributes().keys().chain(attributes_of("attach").keys()) {
        assert!(guide.contains(&format!("| `{name}` |")), "docs/editors.md does not name {name}");
    }
}

#[test]
fn the_grammar_knows_every_word() {
    let grammar = text("vscode/syntaxes/ez.tmLanguage.json");
    let words = ez_language::syntax::token::words();
    let words: Vec<&str> = words.filter(|word| word.starts_with(|c: char| c.is_ascii_lowercase())).collect();
    assert!(words.len() > 30, "{words:?}");
    let lists = [text("nvim/syntax/ez.vim"), text("emacs/ez-mode.el")];
    for word in words {
        for list in &lists {
            let mut listed = list.split(|c: char| c.is_whitespace() || "\"'()".contains(c));
            assert!(listed.any(|one| one == word), "{word}");
        }
        let found = ["(?:", "|", "("]
            .iter()
            .any(|before| ["|", ")"].iter().any(|after| grammar.contains(&format!("{before}{word}{after}"))));
        assert!(found, "{word}");
    }
    // Every rule that is included is there.
    let grammar = read_json("vscode/syntaxes/ez.tmLanguage.json");
    let all = grammar.to_string();
    for part in all.split("\"include\":\"#").skip(1) {
        let name = part.split('"').next().unwrap();
        assert!(grammar["repository"][name].is_object(), "{name}");
    }
}

#[test]
fn snippets_are_programs() {
    for (name, snippet) in read_json("vscode/snippets/ez.json").as_object().unwrap() {
        assert!(snippet["prefix"].is_string() && snippet["description"].is_string(), "{name}");
    }
    let main = read_json("vscode/snippets/ez.json")["Program"]["body"].clone();
    let lines: Vec<&str> = main.as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect();
    let program = lines.join("\n").replace("${1:Hello}", "Hello");
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("main.ez");
    std::fs::write(&file, program).unwrap();
    let run = support::ez().arg(&file).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&run.stdout), "Hello\n");
}

#[test]
fn other_editors_start_the_server() {
    assert!(text("nvim/lsp/ez.lua").contains("cmd = { \"ez\", \"lsp\" }"));
    assert_eq!(text("nvim/lua/ez_lsp.lua").matches("cmd = { command, \"lsp\" }").count(), 2);
    assert!(text("emacs/ez-mode.el").contains("'(ez-mode . (\"ez\" \"lsp\"))"));
    assert!(
        text("helix/languages.toml").contains("[language-server.ez]\ncommand = \"ez\"\nargs = [\"lsp\"]")
    );
    assert!(
        text("zed/extension.toml").contains("[language_servers.ez]\nname = \"EZ\"\nlanguages = [\"EZ\"]")
    );
    assert!(text("zed/src/lib.rs").contains("args: vec![\"lsp\".into()]"));
    assert!(text("vscode/language.js").contains("args: [\"lsp\"]"));
}

#[test]
fn other_editors_start_the_adapter() {
    assert!(text("nvim/lua/ez_dap.lua").contains("args = { \"dap\" }"));
    assert!(text("emacs/ez-dape.el").contains("command-args (\"dap\")"));
    assert!(text("helix/languages.toml").contains("args = [\"dap\"]"));
    // Each attribute that they use is one.
    let attributes = attributes();
    for name in ["program", "cwd", "args", "stopOnEntry"] {
        assert!(attributes.contains_key(name));
    }
}

#[test]
fn zed_offers_the_same_attributes() {
    let schema = read_json("zed/debug_adapter_schemas/ez.json");
    for (index, request) in ["launch", "attach"].into_iter().enumerate() {
        let mut offered = schema["oneOf"][index]["properties"].as_object().unwrap().clone();
        assert_eq!(offered.remove("request").unwrap()["enum"], json!([request]));
        let mut wanted = attributes_of(request);
        for attribute in wanted.values_mut() {
            attribute.as_object_mut().unwrap().remove("default");
        }
        assert_eq!(offered, wanted);
    }
    assert!(text("zed/src/lib.rs").contains("arguments: vec![\"dap\".into()]"));
    assert!(
        text("zed/extension.toml")
            .contains("[debug_adapters.ez]\nschema_path = \"debug_adapter_schemas/ez.json\"")
    );
    // The configurations of the guide, of which each attribute is one.
    let guide = std::fs::read_to_string(editors("../docs/editors.md")).unwrap();
    let shown = guide.split("```json\n").nth(1).unwrap().split("```").next().unwrap();
    for configuration in serde_json::from_str::<Value>(shown).unwrap().as_array().unwrap() {
        let known = attributes_of(configuration["request"].as_str().unwrap());
        let names = configuration.as_object().unwrap().keys();
        for name in names.filter(|name| !["label", "adapter", "request"].contains(&name.as_str())) {
            assert!(known.contains_key(name), "{name}");
        }
    }
}

/// Notifications of Visual Studio Code make links of `[text](command:…)`, which a program can have in a message.
#[test]
fn messages_of_the_adapter_are_shown_without_links() {
    let files = ["extension", "past", "cases", "sharing"];
    let source = files.map(|name| text(&format!("vscode/{name}.js"))).concat();
    let shown: Vec<&str> = source
        .split("vscode.window.show")
        .filter_map(|rest| rest.split_once("Message("))
        .filter(|(kind, _)| ["Error", "Information", "Warning"].contains(kind))
        .map(|(_, rest)| rest.split(");").next().unwrap())
        .collect();
    assert!(shown.len() > 10);
    for text in shown {
        assert!(["\"", "plain(", "this.plain("].iter().any(|begin| text.starts_with(begin)), "{text}");
    }
}
