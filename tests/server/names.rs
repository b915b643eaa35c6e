//! Names and values that clients are shown can be entered again, and mean the same, whatever the text or the key.

use serde_json::{Value, json};
use support::Server;

const PROGRAM: &str = "import @std
using std

const Color enum { RED GREEN }
#enum(string)
const Name enum { A = \"a b\" B = `b${c}` }

do main() {
    temp x int = 7
    temp a char = 'b'
    temp t string = \"\"
    temp texts map[string:int] = {\"7\": -1}
    temp chars map[char:int] = {}
    temp ints map[int:int] = {-1: 1, 0: 2, 170141183460469231731687303715884105727: 3}
    temp small map[i8:int] = {-5: 1, 5: 2}
    temp wide map[u128:int] = {3: 1}
    temp bytes map[byte:int] = {cast(5, byte): 1}
    temp bools map[bool:int] = {true: 1, false: 2}
    temp colors map[Color:int] = {Color.RED: 1, Color.GREEN: 2}
    temp names map[Name:int] = {Name.A: 1, Name.B: 2}
    temp list [int] = {1, 2}
    println(texts, chars)
    println(ints, small, wide, bytes, bools, colors, names, list, t, x, a)
}
";

/// An expression for a text that has no character of it as it is.
fn concatenated(text: &str) -> String {
    let bytes = |c: char| c.to_string().bytes().map(|byte| format!("\\x{byte:02x}")).collect::<String>();
    let pieces: Vec<String> = text.chars().map(|c| format!("\"{}\"", bytes(c))).collect();
    if pieces.is_empty() { "\"\"".into() } else { pieces.join(" + ") }
}

fn texts() -> Vec<String> {
    let alphabet: Vec<char> = "axb$${{}}`\"'\\[] \n\r\t\0\u{7}é日😀\u{a0}\u{200b}\u{301}".chars().collect();
    let mut random = fastrand::Rng::with_seed(1);
    let mut texts: Vec<String> =
        ["", "$5", "\n$x", "${x}", "a ${x} b", "`${x}`", "\n${x}${a}", "$", "${", "\"", "x"]
            .map(String::from)
            .to_vec();
    while texts.len() < 80 {
        let length = random.usize(1..8);
        let text = (0..length).map(|_| alphabet[random.usize(..alphabet.len())]).collect();
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    texts
}

struct Session(Server);

impl Session {
    fn value(&mut self, expression: &str) -> String {
        let (name, data) = self.0.ask("evaluate", json!({"expression": expression, "format": "full"}));
        assert_eq!(name, "evaluateResult", "{expression}: {data}");
        data["result"].as_str().unwrap().to_string()
    }

    fn variable(&mut self, name: &str) -> Value {
        let (_, data) = self.0.ask("getVariables", json!({}));
        data["variables"].as_array().unwrap().iter().find(|it| it["name"] == name).unwrap().clone()
    }

    fn children(&mut self, name: &str) -> (Value, Vec<Value>) {
        let reference = self.variable(name)["reference"].clone();
        let (name, data) = self.0.ask("getChildren", json!({"reference": reference, "count": 1000}));
        assert_eq!(name, "children", "{data}");
        (reference, data["children"].as_array().unwrap().clone())
    }

    /// Sets each part of a variable by its name, and looks at it by the name of its value.
    fn check_parts(&mut self, variable: &str) {
        let (reference, before) = self.children(variable);
        assert!(!before.is_empty());
        let specs: Vec<Value> =
            before.iter().map(|part| json!({"reference": reference, "name": part["name"]})).collect();
        let (_, set) = self.0.ask("setDataBreakpoints", json!({"breakpoints": specs}));
        let set = set["breakpoints"].as_array().unwrap();
        assert!(set.iter().all(|it| it["verified"] == true), "{set:?}");
        self.0.ask("setDataBreakpoints", json!({"breakpoints": []}));
        for (index, part) in before.iter().enumerate() {
            let path = part["evaluateName"].as_str().unwrap();
            assert_eq!(self.value(path), part["value"].as_str().unwrap(), "{part}");
            let new = (1000 + index).to_string();
            let params = json!({"reference": reference, "name": part["name"], "value": new});
            let (name, data) = self.0.ask("setVariable", params);
            assert_eq!((&*name, &data["value"]), ("variableSet", &json!(new)), "{part}: {data}");
            let (_, after) = self.children(variable);
            for (other, (now, was)) in after.iter().zip(&before).enumerate() {
                let wanted =
                    if other <= index { json!((1000 + other).to_string()) } else { was["value"].clone() };
                assert_eq!((&now["name"], &now["value"]), (&was["name"], &wanted), "after {part} was set");
            }
            assert_eq!(after.len(), before.len());
        }
        let (name, data) =
            self.0.ask("setVariable", json!({"reference": reference, "name": "[x]", "value": "1"}));
        assert_eq!(name, "error", "{data}");
        assert!(data["message"].as_str().unwrap().contains("has no part [x]"), "{data}");
    }
}

#[test]
fn what_is_shown_can_be_entered_again() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("a.ez"), PROGRAM).unwrap();
    let mut server = Server::start(directory.path(), &["a.ez"]);
    server.ask("initialize", json!({"protocolVersion": 2, "history": true, "stopOnEntry": false}));
    let line = PROGRAM.lines().position(|line| line.contains("println(texts")).unwrap() + 1;
    server.ask("setBreakpoint", json!({"file": "a.ez", "line": line}));
    assert_eq!(server.ask("start", json!({})).0, "stopped");
    let mut session = Session(server);
    for (index, text) in texts().iter().enumerate() {
        let expression = concatenated(text);
        session.value(&format!("texts[{expression}] = {index}"));
        session.value(&format!("t = {expression}"));
        let shown = session.variable("t")["value"].as_str().unwrap().to_string();
        session.value("t = \"\"");
        let (name, set) = session.0.ask("setVariable", json!({"name": "t", "value": shown}));
        assert_eq!((&*name, &set["value"]), ("variableSet", &json!(shown)), "{text:?}: {set}");
        assert_eq!(session.value(&format!("t == {expression}")), "true", "{text:?} is shown as {shown}");
    }
    let chars = "azb'\"\\$`\n\t\0\u{7f}\u{a0}é日😀\u{200b}".chars();
    for (index, c) in chars.enumerate() {
        session.value(&format!("chars[char({})] = {index}", u32::from(c)));
    }
    let maps = ["texts", "chars", "ints", "small", "wide", "bytes", "bools", "colors", "names", "list"];
    maps.iter().for_each(|map| session.check_parts(map));
    let all: Vec<String> = maps.iter().map(|map| session.value(map)).collect();
    // The changes are repeated in the past.
    assert_eq!(session.0.ask("stepInto", json!({})).0, "stopped");
    assert_eq!(session.0.ask("stepBack", json!({})).1["past"], true);
    let again: Vec<String> = maps.iter().map(|map| session.value(map)).collect();
    assert_eq!(again, all);
}
