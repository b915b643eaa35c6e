//! What `ez lsp` says of the form of a text, and while it is written: folds, selections, hints, colours, signatures,
//! completion, actions.

use serde_json::{Value, json};

use crate::lsp::{Editor, range};

fn ask(method: &str, text: &str, more: Value) -> Value {
    let mut editor = Editor::initialized();
    let mut params = editor.open_all(&[("main.ez", text)]);
    if params.is_null() {
        params = json!({"textDocument": {"uri": editor.uri("main.ez")}});
    }
    params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    editor.request(method, params)
}

#[test]
fn blocks_comments_and_imports_fold() {
    let text = "import @math\nimport @std\n\n// One.\n// Two.\n/* a\n   b */\ndo main() {\n    temp a = {\n        1,\n    }\n    if true { // é\n    } otherwise {\n        a[0] = 1\n    }\n}\n\n// Alone.\nconst K = 1 // Behind.\n// Below.\n";
    let folds = ask("textDocument/foldingRange", text, json!({}));
    let shown: Vec<String> = folds
        .as_array()
        .unwrap()
        .iter()
        .map(|it| format!("{}-{} {}", it["startLine"], it["endLine"], it["kind"].as_str().unwrap_or("")))
        .collect();
    assert_eq!(shown, ["0-1 imports", "3-6 comment", "7-14 ", "8-9 ", "12-13 "]);
    // Also of a text with errors.
    let broken = ask("textDocument/foldingRange", "do main() {\n    temp =\n    x.\n}\n", json!({}));
    assert_eq!(broken[0]["endLine"], 2);
}

#[test]
fn selections_grow() {
    let text =
        "import & use @std\ndo main() {\n    if true {\n        println(\"é ${1 + ab|c}\")\n    }\n}\n";
    let params =
        ask("textDocument/selectionRange", text, json!({"positions": [{"line": 3, "character": 26}]}));
    let mut found = Vec::new();
    let mut step = &params[0];
    while !step.is_null() {
        let (start, end) = (&step["range"]["start"], &step["range"]["end"]);
        found.push(format!("{}:{}-{}:{}", start["line"], start["character"], end["line"], end["character"]));
        step = &step["parent"];
    }
    assert_eq!(
        found,
        [
            "3:25-3:28",
            "3:16-3:30",
            "3:15-3:31",
            "3:8-3:31",
            "2:13-4:4",
            "2:12-4:5",
            "2:4-4:5",
            "1:11-5:0",
            "1:10-5:1",
            "1:0-5:1",
            "0:0-6:0"
        ]
    );
}

#[test]
fn types_that_are_not_written_are_hinted() {
    let text = "do f() -> (int, string) { return 1, \"\" }\ndo main() {\n    temp a, b = f()\n    temp c = 1\n    for i in range(0, 3) { }\n    for j u8 in range(0, 3) { }\n    for_each n, ch in \"😀\" { }\n}\n";
    let whole = json!({"range": range((0, 0), (99, 0))});
    let shown = |more: Value| -> Vec<String> {
        let hints = ask("textDocument/inlayHint", text, more);
        let show = |it: &Value| {
            format!(
                "{}:{} {}",
                it["position"]["line"],
                it["position"]["character"],
                it["label"].as_str().unwrap()
            )
        };
        hints.as_array().unwrap().iter().map(show).collect()
    };
    assert_eq!(shown(whole), ["2:10 int", "2:13 string", "4:9 int", "6:14 int", "6:18 char"]);
    assert_eq!(shown(json!({"range": range((4, 0), (5, 0))})), ["4:9 int"]);
}

#[test]
fn tokens_have_colours() {
    let text = "import @math // é\nconst P struct { x int }\ndo f(a int) -> P {\n    temp b = \"é ${a}😀\" + `x\ny`\n    return P{x: len(b) + math.floor(1.5)}\n}\n";
    let mut editor = Editor::new();
    let answer = editor.request("initialize", json!({"capabilities": {}}));
    let legend = &answer["capabilities"]["semanticTokensProvider"]["legend"];
    editor.open("main.ez", text);
    let document = json!({"uri": editor.uri("main.ez")});
    let show = |answer: &Value| -> Vec<String> {
        let data: Vec<usize> =
            answer["data"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap() as usize).collect();
        let (mut line, mut column, mut shown) = (0, 0, Vec::new());
        for token in data.chunks(5) {
            column = if token[0] == 0 { column + token[1] } else { token[1] };
            line += token[0];
            let units: Vec<u16> = text.lines().nth(line).unwrap().encode_utf16().collect();
            let part = String::from_utf16_lossy(&units[column..column + token[2]]);
            let mut kind = legend["tokenTypes"][token[3]].as_str().unwrap().to_string();
            for (bit, name) in legend["tokenModifiers"].as_array().unwrap().iter().enumerate() {
                if token[4] & 1 << bit != 0 {
                    kind += &format!(".{}", name.as_str().unwrap());
                }
            }
            shown.push(format!("{part} {kind}"));
        }
        shown
    };
    let full = show(&editor.request("textDocument/semanticTokens/full", json!({"textDocument": document})));
    insta::assert_snapshot!(full.join("\n"));
    let part = json!({"textDocument": document, "range": range((2, 0), (2, 9))});
    let some = show(&editor.request("textDocument/semanticTokens/range", part));
    assert_eq!(
        some,
        ["do keyword", "f function.declaration", "a parameter.declaration", "int type.defaultLibrary"]
    );
}

#[test]
fn comments_have_a_colour_to_their_end() {
    let mut editor = Editor::initialized();
    editor.open("main.ez", "#!/bin/ez\ndo f() {} /*/ é */ // b\n");
    let document = json!({"uri": editor.uri("main.ez")});
    let answer = editor.request("textDocument/semanticTokens/full", json!({"textDocument": document}));
    let data: Vec<u64> = answer["data"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect();
    let places: Vec<[u64; 3]> = data.chunks(5).map(|token| [token[0], token[1], token[2]]).collect();
    // The line for shells, `do`, `f`, and the comments.
    assert_eq!(places, [[0, 0, 9], [1, 0, 2], [0, 3, 1], [0, 7, 8], [0, 9, 4]]);
}

#[test]
fn declarations_of_all_files_are_found() {
    let mut editor = Editor::initialized();
    editor.open_all(&[
        (
            "main.ez",
            "import \"./lib\"\nconst Color enum { RED }\ndo main() { temp local = lib.read_all(1) }\n",
        ),
        ("lib.ez", "module lib\ndo read_all(n int) -> int { return n }\nconst ROLE = 1\n"),
    ]);
    let mut names = |query: &str| -> Vec<String> {
        let found = editor.request("workspace/symbol", json!({"query": query}));
        let show = |it: &Value| {
            let file = it["location"]["uri"].as_str().unwrap().rsplit('/').next().unwrap();
            format!("{} {file}:{}", it["name"].as_str().unwrap(), it["location"]["range"]["start"]["line"])
        };
        found.as_array().unwrap().iter().map(show).collect()
    };
    assert_eq!(names("ral"), ["read_all lib.ez:1"]);
    assert_eq!(names("R"), ["Color main.ez:1", "RED main.ez:1", "read_all lib.ez:1", "ROLE lib.ez:2"]);
    assert_eq!(names("local"), Vec::<String>::new());
    assert_eq!(names("").len(), 5);
}

#[test]
fn calls_show_what_they_take() {
    let program = "import & use @std\nimport @strings\nconst P struct { x int y string }\n#doc(\"Adds.\")\ndo add(a, b int, &c int, d int = 2) -> (int, string) { return 1, \"\" }\ndo main() {\n    temp n = 1\n    CODE\n}\n";
    let shown = |code: &str| {
        let answer = ask("textDocument/signatureHelp", &program.replace("CODE", code), json!({}));
        let Some(signature) = answer["signatures"].get(0) else { return "none".to_string() };
        let active = answer["activeParameter"].as_u64().unwrap() as usize;
        let part = signature["parameters"].get(active).map_or("none", |it| it["label"].as_str().unwrap());
        let label = signature["label"].as_str().unwrap();
        assert!(part == "none" || label.contains(part), "{label} {part}");
        format!("{label} [{part}]")
    };
    let add = "add(a int, b int, &c int, d int = 2) -> (int, string)";
    assert_eq!(shown("add(|"), format!("{add} [a int]"));
    assert_eq!(shown("add(1, |)"), format!("{add} [b int]"));
    assert_eq!(shown("add((1 + 2), {1, 2}, n|)"), format!("{add} [&c int]"));
    assert_eq!(shown("println(\"${add(1, 2, |)}\")"), format!("{add} [&c int]"));
    // Clients take a number that is too large for the first one.
    assert_eq!(shown("add(1, 2, n, 4, 5|)"), "none");
    assert_eq!(shown("temp p = P{|}"), "P{x: int, y: string} [x: int]");
    assert_eq!(shown("temp p = P{x: 1, |}"), "P{x: int, y: string} [y: string]");
    assert_eq!(shown("temp p = P{y: \"\", |}"), "P{x: int, y: string} [x: int]");
    assert_eq!(shown("temp p = P{y: \"\", x: 1, |}"), "none");
    assert_eq!(
        shown("strings.replace(\"\", |"),
        "strings.replace(s string, old string, new string) -> string [old string]"
    );
    assert!(shown("println(1, 2, |)").contains("..."));
    assert_eq!(shown("temp p = P{x: 1, y: |}"), "P{x: int, y: string} [y: string]");
    assert_eq!(shown("add(1, P{x: |})"), "P{x: int, y: string} [x: int]");
    assert_eq!(shown("add(1, {2, |3}, n)"), format!("{add} [b int]"));
    assert_eq!(shown("if n == 1 { |"), "none");
    assert_eq!(shown("nosuch(|)"), "none");
    assert_eq!(shown("temp x = 1|"), "none");
    let none = json!({"textDocument": {"signatureHelp": {"signatureInformation": {"noActiveParameterSupport": true}}}});
    let mut editor = Editor::with(none);
    let answer = editor.at("textDocument/signatureHelp", &program.replace("CODE", "add(1, 2, n, 4, 5|)"));
    assert_eq!(answer["signatures"][0]["label"], add);
    assert_eq!(answer.get("activeParameter"), Some(&Value::Null));
}

/// The labels offered at the cursor, with the capabilities of the client.
fn offered(text: &str, capabilities: Value) -> Vec<Value> {
    let mut editor = Editor::with(capabilities);
    let params = editor.open_all(&[
        ("main.ez", text),
        ("lib.ez", "module lib\nconst Kind enum { BIG SMALL }\nconst Box struct { kind Kind size int }\ndo open(b Box) {}\n"),
    ]);
    editor.request("textDocument/completion", params)["items"].as_array().unwrap().clone()
}

fn labels(text: &str) -> Vec<String> {
    let items = offered(text, json!({}));
    items.iter().map(|item| item["label"].as_str().unwrap().to_string()).collect()
}

/// A program with a line in its `main`, which another one follows.
fn program(line: &str) -> String {
    format!(
        "import & use @std\nimport \"./lib\"\nconst Color enum {{ RED GREEN }}\nconst Point struct {{ x int next Point colour Color }}\ndo make(n int) -> Point {{ return new(Point) }}\ndo paint(c Color, p Point) {{ }}\ndo main() {{\n    temp p = make(1)\n    temp all [Point] = {{p}}\n    temp boxes map[string:lib.Box] = {{:}}\n    {line}\n    temp later = 2\n}}\n"
    )
}

#[test]
fn parts_of_values_are_offered_while_the_text_is_not_complete() {
    let fields = ["x", "next", "colour"];
    for line in [
        "p.|",
        "temp q = p.|",
        "p.next.|",
        "make(2).|",
        "all[0].|",
        "all[p.x].next.|",
        "println(\"é😀 ${p.|}\")",
        "println(\"${p.next.|\")",
        "println(p.|",
        "if p.| {",
        "if p.x > 0 { p.x| }",
        "(p).|",
        "for_each it in all { it.| }",
    ] {
        assert_eq!(labels(&program(line)), fields, "{line}");
    }
    // At the very end of the text, or of its line.
    assert_eq!(labels("const P struct { a int }\ndo main() {\n    temp p = new(P)\n    p.|"), ["a"]);
    assert_eq!(labels("const P struct { a int }\ndo main() {\n    temp p = new(P)\n    p.|\n}\n"), ["a"]);
    assert_eq!(labels(&program("boxes[\"a\"].|")), ["kind", "size"]);
    assert_eq!(labels(&program("lib.|")), ["Box", "Kind", "open"]);
    assert_eq!(labels(&program("lib.Kind.|")), ["BIG", "SMALL"]);
    assert_eq!(labels(&program("Color.|")), ["RED", "GREEN"]);
    // A variable hides a module.
    assert_eq!(labels(&program("temp lib = p\n    lib.|")), fields);
    for line in ["/*/ a */ p.|", "/* // */ p.|", "// /*\n    p.|"] {
        assert_eq!(labels(&program(line)), fields, "{line}");
    }
    for line in ["p.x.|", "nosuch.|", "\"text\".|", "println(\"p.|\")", "// p.|", "/*/ p.| */", "5.|"] {
        assert_eq!(labels(&program(line)), Vec::<String>::new(), "{line}");
    }
}

#[test]
fn what_has_the_expected_type_comes_first() {
    let first = |line: &str, count: usize| labels(&program(line))[..count].to_vec();
    assert_eq!(first("paint(|)", 2), ["Color.RED", "Color.GREEN"]);
    assert_eq!(first("paint(Color.RED, |)", 2), ["p", "make"]);
    assert_eq!(first("p.colour = |", 2), ["Color.RED", "Color.GREEN"]);
    assert_eq!(first("temp c Color = |", 1), ["Color.RED"]);
    assert_eq!(first("if p.colour == |", 1), ["Color.RED"]);
    assert_eq!(first("temp m int = 4\n    temp n int = |", 1), ["m"]);
    assert_eq!(first("temp m int = 4\n    m += |", 1), ["m"]);
    assert_eq!(first("temp b = lib.Box{kind: |}", 2), ["lib.Kind.BIG", "lib.Kind.SMALL"]);
    assert_eq!(first("when p.colour {\n        is |\n    }", 1), ["Color.RED"]);
    assert_eq!(labels("const C enum { A }\ndo f() -> C {\n    return |\n}\ndo main() {}\n")[0], "C.A");
    assert_eq!(
        labels("const C enum { A }\nconst P struct { a int c C }\ndo f(p P) {\n    p.c = p.|\n}\n"),
        ["c", "a"]
    );
}

#[test]
fn words_and_modules_are_offered_where_they_can_stand() {
    let all = labels(&program("|"));
    for name in ["p", "make", "Color", "lib", "println", "if", "temp", "return", "math", "int"] {
        assert!(all.iter().any(|label| label == name), "{name}");
    }
    for name in ["later", "do", "import", "enum"] {
        assert!(!all.iter().any(|label| label == name), "{name}");
    }
    let value = labels(&program("temp q = |"));
    assert!(value.contains(&"true".into()) && !value.contains(&"if".into()) && !value.contains(&"q".into()));
    let top = labels("import @std\n|\ndo main() {}\n");
    assert!(top.contains(&"do".into()) && !top.contains(&"if".into()) && !top.contains(&"main".into()));
    let modules = labels("import @|\ndo main() {}\n");
    assert!(modules.contains(&"math".into()) && !modules.contains(&"main".into()));
    // With the import.
    let text = "import & use @std\ndo main() {\n    temp a = ma|\n}\n";
    let items = offered(text, json!({}));
    let math = items.iter().find(|item| item["label"] == "math").unwrap();
    let edit = json!([{"range": range((0, 0), (0, 0)), "newText": "import @math\n"}]);
    assert_eq!(math["additionalTextEdits"], edit);
    let items = offered("module m\ndo f() {\n    math.sq|\n}\n", json!({}));
    let sqrt = items.iter().find(|item| item["label"] == "sqrt").unwrap();
    assert_eq!(sqrt["additionalTextEdits"][0]["newText"], "\nimport @math");
    assert!(items.iter().all(|item| item["kind"] == 3 || item["kind"] == 21));
}

#[test]
fn types_are_offered_where_one_is_written() {
    let text = |line: &str| {
        format!(
            "import @std, @math\nimport \"./lib\"\nusing std\nconst S struct {{ aa int }}\nconst D enum {{ RED }}\n{line}\n"
        )
    };
    let types = ["D", "S", "lib", "int", "float"];
    for line in [
        "do g(a |",
        "do g(a |)",
        "do g(a, b |, c int) {\n}",
        "do g(a |) -> int {\n}",
        "do g(a int) -> |",
        "do g(a int) -> (|",
        "do g(a int) -> (r |) {\n}",
        "do g() {\n    temp q |\n    println(1)\n}",
        "do g() {\n    temp q i|\n}",
        "do g() {\n    temp q [|\n}",
        "do g() {\n    temp q map[|\n}",
        "do g() {\n    temp q map[string:|]\n}",
        "do g() {\n    temp a int, b | = f()\n}",
        "do g() {\n    temp q = cast(1, |)\n}",
        "const T struct {\n    aa |\n}",
        "const T struct {\n    aa |\n    bb int\n}",
        "const T struct {\n    aa, bb in|\n",
    ] {
        let mut found = labels(&text(line));
        found.retain(|label| label != "T");
        assert_eq!(found[..5], types, "{line}");
        for name in ["Error", "any", "u8"] {
            assert!(found.iter().any(|label| label == name), "{line}: {name}");
        }
        for name in ["math", "println", "g", "true", "panic", "RED"] {
            assert!(!found.iter().any(|label| label == name), "{line}: {name}");
        }
        // What has no name of its own.
        let is_named = line.contains("map[|") || line.contains("cast");
        assert_eq!(found.contains(&"map".to_string()), !is_named, "{line}");
        assert_eq!(found.contains(&"nil".to_string()), line.contains("-> |"), "{line}");
    }
    assert_eq!(labels(&text("do g() {\n    temp q lib.|\n}")), ["Box", "Kind"]);
    assert_eq!(labels(&text("do g() {\n    temp q = new(|)\n}"))[..2], ["S", "lib"]);
    assert_eq!(labels(&text("do g() {\n    temp q = new(lib.|)\n}")), ["Box"]);
    assert_eq!(labels(&text("const E enum: |")), ["int", "float", "string"]);
    assert_eq!(labels(&text("#enum(|)\nconst E enum { A }")), ["int", "float", "string"]);
    assert_eq!(labels(&text("const E |"))[..2], ["struct", "enum"]);
    assert_eq!(labels(&text("do g() {\n    for i |\n}"))[0], "in");
    assert_eq!(labels(&text("do g() {\n    for_each i |\n}")), ["in"]);
}

#[test]
fn nothing_is_offered_where_a_new_name_is_written() {
    let text = |line: &str| format!("import @std\nusing std\nconst D enum {{ RED }}\n{line}\n");
    for line in [
        "do main() {\n    temp co|\n    println(1)\n}",
        "do main() {\n    temp |\n}",
        "do main() {\n    temp a, b| = f()\n}",
        "do main() {\n    const a| = 1\n}",
        "do main() {\n    for i| in range(0, 3) {\n    }\n}",
        "do main() {\n    for_each i|\n}",
        "do main() {\n    for_each i, ch| in \"a\" { }\n}",
        "do fo|",
        "private do fo|() {}",
        "const Fo|",
        "const Fo| struct { a int }",
        "do g(a|",
        "do g(a int, b| int) {}",
        "do g() -> (a int, b| int) {}",
        "const T enum {\n    RED\n    re|\n}",
        "const T enum {\n    |",
        "const T struct {\n    aa int\n    re|\n}",
        "const T struct {\n    aa, re| int\n}",
        "#suppress(W|)\ndo f() {}",
    ] {
        assert_eq!(labels(&text(line)), Vec::<String>::new(), "{line}");
    }
    assert_eq!(labels("module ma|\n"), Vec::<String>::new());
    let value = labels(&text("const T enum {\n    A = |\n}"));
    assert!(value.contains(&"true".to_string()), "{value:?}");
}

#[test]
fn modules_and_attributes_are_offered_where_they_stand() {
    let using = labels("import \"./lib\"\nusing |\ndo main() {}\n");
    assert_eq!(using[0], "lib");
    assert!(using.contains(&"math".into()) && !using.contains(&"main".into()), "{using:?}");
    let modules = labels("import |\ndo main() {}\n");
    assert!(modules.contains(&"@math".into()) && modules.iter().all(|it| it.starts_with('@')), "{modules:?}");
    assert_eq!(labels("import & |\ndo main() {}\n"), ["use"]);
    for text in ["#|\ndo main() {}\n", "import @std\n\n#d|\ndo main() {}\n", "#do|"] {
        assert_eq!(labels(text), ["suppress", "flags", "enum", "doc"], "{text}");
    }
    assert_eq!(labels("do main() {\n    temp a = 1\n    #|\n    when a { is 1 { } }\n}\n"), ["strict"]);
    assert_eq!(labels("do main() {\n    // #|\n}\n"), Vec::<String>::new());
    // A file whose name cannot be written as one.
    let mut editor = Editor::initialized();
    editor.write("my file.ez", "do f() {}\n");
    let at =
        editor.open_all(&[("main.ez", "import \"./my file\", other\"./my file\"\ndo main() {\n    |\n}\n")]);
    let items = editor.request("textDocument/completion", at)["items"].clone();
    let modules = items.as_array().unwrap().iter().filter(|item| item["detail"] == "module");
    assert_eq!(modules.map(|item| &item["label"]).collect::<Vec<_>>(), ["other"]);
    assert_eq!(editor.end(), 0);
}

#[test]
fn types_of_one_name_are_not_the_same() {
    let mut editor = Editor::initialized();
    let a = "module a\nconst Point struct { x int }\ndo make_a() -> Point { return Point{x: 1} }\n";
    let before = "import \"./a\"\nconst Point struct { y int }\ndo make_mine() -> Point { return Point{y: 1} }\ndo main() {\n    temp first a.Point = a.make_a()\n    temp own = make_mine()\n    temp ";
    let mut at = editor.open_all(&[("a.ez", a), ("main.ez", &format!("{before}z = 1|\n}}\n"))]);
    editor.reports_of("main.ez", 1);
    let mut version = 1;
    for (line, expected) in [
        ("mine Point = ", ["own", "make_mine"]),
        ("other a.Point = ", ["first", "own"]),
        ("all [Point] = ", ["own", "first"]),
    ] {
        version += 1;
        editor.change("main.ez", version, json!([{"text": format!("{before}{line}\n}}\n")}]));
        // What was known of the types before the text had a syntax error, and in between.
        for _ in 0..2 {
            at["position"]["character"] = json!(4 + "temp ".len() + line.len());
            let items = editor.request("textDocument/completion", at.clone())["items"].clone();
            let labels: Vec<&Value> = items.as_array().unwrap().iter().map(|it| &it["label"]).collect();
            assert_eq!(labels[..2], expected, "{line}");
            editor.reports_of("main.ez", version);
        }
    }
    assert_eq!(editor.end(), 0);
}

#[test]
fn what_has_just_been_declared_is_offered() {
    let mut editor = Editor::initialized();
    let text = |more: &str| format!("const K0 int = 3\n{more}do main() {{\n    temp a = K\n}}\n");
    let mut at = editor.open_all(&[("main.ez", &text("").replace("K\n", "K|\n"))]);
    editor.reports_of("main.ez", 1);
    let ask = |editor: &mut Editor, at: &Value| editor.request("textDocument/completion", at.clone());
    assert_eq!(ask(&mut editor, &at)["isIncomplete"], false);
    editor.change("main.ez", 2, json!([{"text": text("const K1 int = 3\n")}]));
    at["position"]["line"] = json!(3);
    let answer = ask(&mut editor, &at);
    assert_eq!(answer["isIncomplete"], true);
    editor.reports_of("main.ez", 2);
    let later = ask(&mut editor, &at);
    // Also while there is a syntax error.
    editor.change("main.ez", 3, json!([{"text": text("const K1 int = 3\nconst K2 = = 1\n")}]));
    at["position"]["line"] = json!(4);
    editor.reports_of("main.ez", 3);
    let broken = ask(&mut editor, &at);
    for answer in [later, broken] {
        assert_eq!(answer["isIncomplete"], false);
        let labels: Vec<&Value> =
            answer["items"].as_array().unwrap().iter().map(|item| &item["label"]).collect();
        assert!(["K0", "K1"].iter().all(|name| labels.iter().any(|label| *label == name)), "{labels:?}");
    }
    assert_eq!(editor.end(), 0);
}

#[test]
fn a_comment_at_the_head_of_a_file_stays_there() {
    let line = |head: &str| {
        let items = offered(&format!("{head}do main() {{\n    math.sq|\n}}\n"), json!({}));
        items[0]["additionalTextEdits"][0]["range"]["start"]["line"].as_u64().unwrap()
    };
    for (head, at) in [
        ("", 0),
        ("/* Copyright */\n\n", 2),
        ("/* Copyright\n */\r\n\r\n", 3),
        ("// One.\n// Two.\n\n\n// About main.\n", 4),
        ("// About main.\n", 0),
        ("#!/usr/bin/env ez\n// One.\n\n", 3),
        ("#!/usr/bin/env ez\n", 1),
        ("// One.\n\nimport @std\n\n", 2),
    ] {
        assert_eq!(line(head), at, "{head:?}");
    }
}

#[test]
fn kinds_of_actions_are_a_hierarchy() {
    let kinds = |only: Value| -> Vec<Value> {
        let context = json!({"diagnostics": [], "only": only});
        let actions = ask(
            "textDocument/codeAction",
            "do main() { temp x = 1; x++ }\n",
            json!({"range": range((0, 0), (0, 30)), "context": context}),
        );
        actions.as_array().unwrap().iter().map(|action| action["kind"].clone()).collect()
    };
    let (fix, all) = (json!("quickfix"), json!("source.fixAll.ez"));
    for only in [Value::Null, json!([""]), json!([])] {
        assert_eq!(kinds(only.clone()), [fix.clone(), all.clone()], "{only}");
    }
    for only in ["source", "source.fixAll", "source.fixAll.ez"] {
        assert_eq!(kinds(json!([only])), std::slice::from_ref(&all), "{only}");
    }
    assert_eq!(kinds(json!(["quickfix"])), [fix]);
    for only in ["source.fix", "source.organizeImports", "source.fixAll.ez.more", "sourc"] {
        assert_eq!(kinds(json!([only])), Vec::<Value>::new(), "{only}");
    }
}

#[test]
fn blocks_are_snippets_if_the_client_takes_them() {
    let of = |capabilities: Value| {
        let items = offered(&program("fo|"), capabilities);
        items.into_iter().find(|item| item["label"] == "for").unwrap()
    };
    assert_eq!(of(json!({})).get("insertText"), None);
    let takes = json!({"textDocument": {"completion": {"completionItem": {"snippetSupport": true}}}});
    let item = of(takes);
    assert_eq!((&item["insertTextFormat"], &item["kind"]), (&json!(2), &json!(15)));
    assert_eq!(item["insertText"], "for ${1:i} in range(0, ${2:n}) {\n    $0\n}");
}

#[test]
fn reports_say_what_they_are_about_and_what_to_add() {
    let mut editor = Editor::initialized();
    let lib = "module lib\nconst Kind enum { BIG SMALL ODD }\n";
    let main = "import \"./lib\"\nconst K = 1\ndo main() {\n    temp K = lib.Kind.BIG\n    #strict\n    when K {\n        is lib.Kind.BIG { }\n    }\n    x = math.floor(1.5)\n}\n";
    editor.open_all(&[("main.ez", main), ("lib.ez", lib)]);
    let reports = editor.reports_of("main.ez", 1);
    let shadows = reports.iter().find(|report| report["code"] == "W2007").unwrap();
    let related = &shadows["relatedInformation"][0];
    assert_eq!(related["location"], json!({"uri": editor.uri("main.ez"), "range": range((1, 6), (1, 7))}));
    assert_eq!(related["message"], "it is declared here");
    let mut edits = |at: u32| -> Vec<String> {
        let document = json!({"uri": editor.uri("main.ez")});
        let params = json!({"textDocument": document, "range": range((at, 4), (at, 20)), "context": {"diagnostics": []}});
        let actions = editor.request("textDocument/codeAction", params);
        let quick = actions.as_array().unwrap().iter().filter(|action| action["kind"] == "quickfix");
        let uri = editor.uri("main.ez");
        quick
            .map(|action| action["edit"]["changes"][&uri][0]["newText"].as_str().unwrap().to_string())
            .collect()
    };
    assert_eq!(edits(5), ["\n        is lib.Kind.SMALL { }\n        is lib.Kind.ODD { }"]);
    let found = edits(8);
    assert!(
        found.contains(&"temp x".to_string()) && found.contains(&"import @math\n".to_string()),
        "{found:?}"
    );
}

#[test]
fn deep_nesting_has_a_hundred_selections() {
    let text = format!("do main() {{ temp a int = {}1|{} }}\n", "(".repeat(400), ")".repeat(400));
    let mut editor = Editor::initialized();
    let place = editor.open_all(&[("main.ez", &text)]);
    let params = json!({"textDocument": place["textDocument"], "positions": [place["position"]]});
    let answer = editor.request("textDocument/selectionRange", params);
    let (mut count, mut range) = (0, &answer[0]);
    while !range.is_null() {
        (count, range) = (count + 1, &range["parent"]);
    }
    assert_eq!(count, 100);
}

#[test]
fn fields_are_offered_where_one_of_a_literal_begins() {
    assert_eq!(labels(&program("temp q = Point{|}")), ["x", "next", "colour"]);
    assert_eq!(labels(&program("temp q = Point{x: make(1, {2, 3}), |, next: nil}")), ["colour"]);
    assert_eq!(labels(&program("temp b = lib.Box{size: 1, k|")), ["kind"]);
    assert!(labels(&program("temp q = Point{x: |}")).contains(&"make".to_string()));
    let body = "const P struct { x int }\ndo f() -> P {\n    |\n}\n";
    assert!(labels(body).contains(&"return".to_string()));
}
