//! What names mean in `ez lsp`: declarations, uses, types, other names.

use serde_json::{Value, json};

use crate::lsp::{Editor, codes, range};

/// The files of a program, with the cursor in the first of them.
type Files<'a> = &'a [(&'a str, &'a str)];

fn ask(method: &str, files: Files<'_>, more: Value) -> (Editor, Value) {
    let utf8 = json!({"general": {"positionEncodings": ["utf-8"]}});
    let mut answers = Vec::new();
    for capabilities in [json!({}), utf8] {
        let mut editor = Editor::with(capabilities);
        let mut params = editor.open_all(files);
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let answer = editor.request(method, params);
        answers.push((editor, answer));
    }
    answers.pop().unwrap()
}

/// The places that both encodings give.
fn places(method: &str, files: Files<'_>, more: Value) -> Vec<String> {
    let utf8 = json!({"general": {"positionEncodings": ["utf-8"]}});
    let shown = [json!({}), utf8].map(|capabilities| {
        let mut editor = Editor::with(capabilities);
        let mut params = editor.open_all(files);
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let answer = editor.request(method, params);
        editor.shown(&answer, files)
    });
    assert_eq!(shown[0], shown[1]);
    shown[0].clone()
}

fn references(files: Files<'_>) -> Vec<String> {
    places("textDocument/references", files, json!({"context": {"includeDeclaration": true}}))
}

#[test]
fn fields_are_found_in_all_files_and_within_texts() {
    let lib = "module lib\nconst Shape struct { size int }\ndo area(s Shape) -> int { return s.size }\n";
    let main = "import \"./lib\"\nimport & use @std\ndo main() {\n    temp s = lib.Shape{size: 1}\n    s.size += 2\n    println(\"é😀 ${s.si|ze} ${lib.area(s)}\")\n}\n";
    let files = [("main.ez", main), ("lib.ez", lib)];
    let all = [
        "main.ez:4:24 size",
        "main.ez:5:7 size",
        "main.ez:6:21 size",
        "lib.ez:2:22 size",
        "lib.ez:3:36 size",
    ];
    assert_eq!(references(&files), all);
    let used = places("textDocument/references", &files, json!({"context": {"includeDeclaration": false}}));
    assert_eq!(used, [all[0], all[1], all[2], all[4]]);
    assert_eq!(places("textDocument/definition", &files, json!({})), [all[3]]);
    let hover = ask("textDocument/hover", &files, json!({})).1;
    assert_eq!(hover["contents"]["value"], "```ez\nShape.size int\n```");
    let (_, highlights) = ask("textDocument/documentHighlight", &files, json!({}));
    let kinds: Vec<&Value> = highlights.as_array().unwrap().iter().map(|it| &it["kind"]).collect();
    assert_eq!(kinds, [2, 3, 2]);
}

#[test]
fn each_name_means_what_is_declared_around_it() {
    // The program, in which the cursor is at one of the names, and all that mean the same.
    let cases: &[(&str, &[&str])] = &[
        (
            "do main() {\n    temp x| = 1\n    if x > 0 {\n        temp x = x + 1\n        x++\n    }\n    x = 2\n}\n",
            &["main.ez:2:10 x", "main.ez:3:8 x", "main.ez:4:18 x", "main.ez:7:5 x"],
        ),
        (
            "do main() {\n    temp x = 1\n    if x > 0 {\n        temp x = x + 1\n        x|++\n    }\n    x = 2\n}\n",
            &["main.ez:4:14 x", "main.ez:5:9 x"],
        ),
        (
            "do f(a, b int) -> (r int) { r = a + b| return r }\ndo main() { temp b = f(1, 2) b = 3 }\n",
            &["main.ez:1:9 b", "main.ez:1:37 b"],
        ),
        (
            "do f(a, b int) -> (r int) { r| = a + b return r }\ndo main() {}\n",
            &["main.ez:1:20 r", "main.ez:1:29 r", "main.ez:1:46 r"],
        ),
        (
            "do main() {\n    for i in range(0, 3) { temp a = i| }\n    for i in range(0, 3) { temp a = i }\n}\n",
            &["main.ez:2:9 i", "main.ez:2:37 i"],
        ),
        (
            "do main() {\n    for_each n, word in {\"a\"} { temp a = \"${n|} ${word}\" }\n}\n",
            &["main.ez:2:14 n", "main.ez:2:45 n"],
        ),
        (
            "const C enum { RED GREEN }\ndo main() {\n    temp c = C.RED|\n    when c {\n        is C.RED { }\n        default { }\n    }\n}\n",
            &["main.ez:1:16 RED", "main.ez:3:16 RED", "main.ez:5:14 RED"],
        ),
        (
            "const C enum { RED GREEN }\ndo f(c C|) -> C { return c }\ndo main() {\n    temp all [C] = {C.RED, f(C.GREEN)}\n    temp m map[string:C] = {:}\n}\n",
            &[
                "main.ez:1:7 C",
                "main.ez:2:8 C",
                "main.ez:2:14 C",
                "main.ez:4:15 C",
                "main.ez:4:21 C",
                "main.ez:4:30 C",
                "main.ez:5:23 C",
            ],
        ),
        (
            "import m@math\nusing m|\ndo main() { temp a = m.pi }\n",
            &["main.ez:1:8 m", "main.ez:2:7 m", "main.ez:3:22 m"],
        ),
        (
            "import @math\ndo main() { temp a = math|.sqrt(math.sqrt(2.0)) }\n",
            &["main.ez:1:9 math", "main.ez:2:22 math", "main.ez:2:32 math"],
        ),
        (
            "import @math\nusing math\ndo main() { temp a = math.sqrt(sqrt|(2.0)) }\n",
            &["main.ez:3:27 sqrt", "main.ez:3:32 sqrt"],
        ),
        (
            "const P struct { x int }\ndo f(p P, q int = K|) { ensure f(p, K) }\nconst K = 1\nconst L = K + 1\ndo main() { temp p = new(P) temp t = cast(K, string) }\n",
            &["main.ez:2:19 K", "main.ez:2:36 K", "main.ez:3:7 K", "main.ez:4:11 K", "main.ez:5:43 K"],
        ),
        (
            "do f() -> (int, int) { return 1, 2 }\ndo main() { temp a, b| = f() a, b = f() temp c = \"${\"${b}\"}\" }\n",
            &["main.ez:2:21 b", "main.ez:2:32 b", "main.ez:2:55 b"],
        ),
    ];
    for (text, wanted) in cases {
        assert_eq!(references(&[("main.ez", text)]), *wanted, "{text}");
    }
}

#[test]
fn the_declaration_is_shown_with_the_types_that_are_not_written() {
    let cases = [
        ("    temp a, b| = f()\n", "temp a int, b string = f()"),
        ("    for i| in range(0, 3) { }\n", "for i int in range(0, 3)"),
        ("    for_each n, w| in {\"x\"} { }\n", "for_each n int, w string in {\"x\"}"),
        ("    temp s = \"${K|}\"\n", "const K int = 4"),
        ("    temp c = C.RE|D\n", "C.RED = 3"),
        ("    g(1)\n}\ndo g(a| int) {\n", "a int"),
        ("    temp p = new(P|)\n", "const P struct { x int }"),
        ("    temp big| = {\n        1,\n    }\n", "temp big [int] = { …"),
        ("    temp q u8| = 1\n", "u8"),
    ];
    for (text, wanted) in cases {
        let program = format!(
            "do f() -> (int, string) {{ return 1, \"\" }}\nconst K = 4\nconst C enum {{ RED = 3 }}\nconst P struct {{ x int }}\ndo main() {{\n{text}}}\n"
        );
        let hover = ask("textDocument/hover", &[("main.ez", &program)], json!({})).1;
        let shown = hover["contents"]["value"].as_str().unwrap_or_default();
        assert!(shown.starts_with(&format!("```ez\n{wanted}")), "{text}: {shown}");
    }
}

#[test]
fn types_are_found() {
    let main = "import \"./lib\"\ndo main() {\n    temp all = {lib.Shape{size: 1}}\n    for_each s in all { temp t = s| }\n}\n";
    let lib = "module lib\nconst Shape struct { size int }\n";
    let files = [("main.ez", main), ("lib.ez", lib)];
    assert_eq!(places("textDocument/typeDefinition", &files, json!({})), ["lib.ez:2:7 Shape"]);
    let none = ask("textDocument/typeDefinition", &[("main.ez", "do main() { temp x| = 1 }\n")], json!({})).1;
    assert_eq!(none, Value::Null);
}

/// The texts after a rename, or why it is refused.
fn renamed(files: Files<'_>, new: &str) -> Result<Vec<String>, String> {
    let (editor, answer) = ask("textDocument/rename", files, json!({"newName": new}));
    if let Some(message) = answer["message"].as_str() {
        assert_eq!(answer["code"], -32803);
        return Err(message.to_string());
    }
    let text = |(name, text): &(&str, &str)| {
        let text = text.replacen('|', "", 1);
        let Some(edits) = answer["changes"][editor.uri(name)].as_array() else { return text };
        let mut lines: Vec<String> = text.split('\n').map(str::to_string).collect();
        for edit in edits.iter().rev() {
            let at = |end: &str, part: &str| edit["range"][end][part].as_u64().unwrap() as usize;
            let (line, start, end) = (at("start", "line"), at("start", "character"), at("end", "character"));
            lines[line].replace_range(start..end, edit["newText"].as_str().unwrap());
        }
        lines.join("\n")
    };
    Ok(files.iter().map(text).collect())
}

#[test]
fn names_are_changed_in_all_files() {
    let lib = "module lib\n// area é\ndo area(n int) -> int { return n }\n";
    let main = "import x\"./lib\"\nimport & use @std\ndo main() {\n    temp area = 3\n    println(\"é😀 ${x.ar|ea(area)} area\")\n}\n";
    let files = [("main.ez", main), ("lib.ez", lib)];
    let new = renamed(&files, "surface").unwrap();
    assert_eq!(new[0], main.replacen('|', "", 1).replace("x.area", "x.surface"));
    assert_eq!(new[1], lib.replace("do area", "do surface"));
    let prepared = ask("textDocument/prepareRename", &files, json!({})).1;
    assert_eq!(prepared["placeholder"], "area");
    // The name of a module in a file.
    let main = "import x|\"./lib\"\ndo main() { x.area(1) }\n";
    let new = renamed(&[("main.ez", main), ("lib.ez", lib)], "y").unwrap();
    assert_eq!(new[0], "import y\"./lib\"\ndo main() { y.area(1) }\n");
}

#[test]
fn what_would_mean_something_else_is_refused() {
    let cases: &[(&str, &str, &str)] = &[
        ("do main() { temp a| = 1 }", "1x", "'1x' is no name"),
        ("do main() { temp a| = 1 }", "", "'' is no name"),
        ("do main() { temp a| = 1 }", "a b", "'a b' is no name"),
        ("do main() { temp a| = 1 }", "if", "'if' is a word of the language"),
        ("do main() { temp a| = 1 }", "int", "'int' is a word of the language"),
        ("do main() { temp a| = 1 }", "é", "'é' is no name"),
        ("do main() { temp a| = 1 temp b = 2 }", "b", "b"),
        // It would be captured in the inner block.
        ("do main() { temp a| = 1 if true { temp b = 2 b = a } }", "b", "b"),
        // It would capture.
        ("const b = 1\ndo f(a| int) -> int { return a + b }\ndo main() { f(1) }", "b", "b"),
        ("do f() {}\ndo g|() {}\ndo main() { f() g() }", "f", "f"),
        ("do main() { temp a| = 1 temp c = unknown }", "unknown", "unknown"),
        ("import & use @std\ndo main() { prin|tln(1) }", "show", "'println' belongs to the library (@std)"),
        ("import @math\ndo main() { temp a = ma|th.pi }", "m", "'math' is a module of the library"),
        ("do main|() { }", "start", "main"),
        ("do main() { temp a| = 1 temp = }", "b", "syntax errors"),
        ("do main() { return| }", "x", "here is no name that is known"),
        (
            "const P struct { x| int }\ndo main() { temp a = json.decode() temp b = a.x }",
            "y",
            "it is not known what 'x' means in line 2",
        ),
        ("const P struct { x| int y int }\ndo main() { }", "y", "y"),
        ("const E enum { A| B }\ndo main() { }", "B", "B"),
    ];
    for (text, new, why) in cases {
        let refused = renamed(&[("main.ez", text)], new).expect_err(text);
        assert!(refused.contains(why), "{text}: {refused}");
    }
    let lib =
        [("main.ez", "import \"./lib\"\ndo main() { li|b.f() }"), ("lib.ez", "module lib\ndo f() {}\n")];
    assert!(renamed(&lib, "y").unwrap_err().contains("has the name of its file"));
    // In another file of the program.
    let lib = [
        ("main.ez", "import & use \"./lib\"\ndo main() { temp cou|nt = 1 count = f() }"),
        ("lib.ez", "module lib\ndo f() -> int { return 1 }\n"),
    ];
    assert!(renamed(&lib, "f").unwrap_err().contains('f'));
}

#[test]
fn names_of_a_file_in_two_programs_are_changed_in_both() {
    let lib = "module lib\ndo fi|nd() -> int { return 1 }\n";
    let (main, other) =
        ("import \"./lib\"\ndo main() { lib.find() }\n", "import l\"./lib\"\ndo main() { l.find() }\n");
    let files = [("lib.ez", lib), ("main.ez", main), ("z.ez", other)];
    let all = ["lib.ez:2:4 find", "main.ez:2:17 find", "z.ez:2:15 find"];
    let mut found = references(&files);
    found.sort();
    assert_eq!(found, all);
    let new = renamed(&files, "search").unwrap();
    assert_eq!(
        new,
        [lib.replace("fi|nd", "search"), main.replace("find", "search"), other.replace("find", "search")]
    );
    // It would collide in one of them.
    let other = "import & use \"./lib\"\ndo main() { temp search = find() }\n";
    assert!(renamed(&[files[0], files[1], ("z.ez", other)], "search").unwrap_err().contains("search"));
}

#[test]
fn files_that_are_not_open_are_changed_as_they_are_now() {
    let mut editor = Editor::initialized();
    editor.write("lib.ez", "module lib\ndo find() { }\n");
    let place = editor.open_all(&[("main.ez", "import \"./lib\"\ndo main() { lib.fi|nd() }\n")]);
    editor.request("textDocument/hover", place.clone());
    editor.write("lib.ez", "module lib\n// Other lines.\ndo find() { }\n");
    let mut params = place;
    params["newName"] = json!("search");
    let answer = editor.request("textDocument/rename", params);
    assert_eq!(answer["changes"][editor.uri("lib.ez")][0]["range"], crate::lsp::range((2, 3), (2, 7)));
    assert_eq!(editor.end(), 0);
}

/// The files whose names a rename changes, of which only the first is open.
fn changed_files(files: Files<'_>) -> Vec<String> {
    let mut editor = Editor::initialized();
    for (name, text) in &files[1..] {
        if let Some((folder, _)) = name.rsplit_once('/') {
            std::fs::create_dir_all(editor.path(folder)).unwrap();
        }
        editor.write(name, text);
    }
    if let Some((folder, _)) = files[0].0.rsplit_once('/') {
        std::fs::create_dir_all(editor.path(folder)).unwrap();
    }
    let mut params = editor.open_all(&files[..1]);
    params["newName"] = json!("fresh");
    let answer = editor.request("textDocument/rename", params);
    let folder = editor.uri("");
    let changes = answer["changes"].as_object().unwrap_or_else(|| panic!("{answer}"));
    changes.keys().map(|uri| uri.replace(&folder, "")).collect()
}

#[test]
fn programs_that_import_a_file_are_found_beside_it_and_above() {
    let lib = ("lib.ez", "module lib\ndo fi|nd() { }\n");
    let other = "import \"./lib\"\ndo main() { lib.find() }\n";
    assert_eq!(
        changed_files(&[lib, ("other.ez", other), ("alone.ez", "do main() { }\n")]),
        ["lib.ez", "other.ez"]
    );
    let part = ("geo/a.ez", "module geo\ndo fi|nd() { }\n");
    let main = ("main.ez", "import \"./geo\"\ndo main() { geo.find() }\n");
    assert_eq!(changed_files(&[part, main]), ["geo/a.ez", "main.ez"]);
}

#[test]
fn files_beside_a_program_that_are_no_part_of_it_do_not_matter() {
    let one = ("one.ez", "module one\ndo main() {\n    temp x|x int = 1\n    print(xx)\n}\n");
    let two = ("two.ez", "module two\ndo main() {\n    temp xx int = 1\n    print(xx)\n}\n");
    assert_eq!(changed_files(&[one, two]), ["one.ez"]);
    let new = renamed(&[one, two], "fresh").unwrap();
    assert!(new[0].contains("fresh") && new[1] == two.1);
}

#[test]
fn a_declaration_is_found_where_it_is_now_while_there_are_syntax_errors() {
    let mut editor = Editor::initialized();
    let text = "temp glob int = 1\ndo f() { }\ndo main() { print(glob, f()) }\n";
    editor.write("main.ez", text);
    editor.open("main.ez", text);
    editor.reports_of("main.ez", 1);
    // Three lines before, and a bracket that is missing in the last line.
    let new = text.replace("f()) }", "f() }");
    editor.change("main.ez", 2, json!([{"text": format!("\n\n\n{new}")}]));
    let mut line_of = |character: u64| {
        let document = json!({"uri": editor.uri("main.ez")});
        let position = json!({"line": 5, "character": character});
        let answer = editor
            .request("textDocument/definition", json!({"textDocument": document, "position": position}));
        answer["range"]["start"]["line"].as_u64()
    };
    assert_eq!((line_of(20), line_of(24)), (None, None));
    let document = json!({"uri": editor.uri("main.ez")});
    editor.change("main.ez", 3, json!([{"text": new}]));
    let position = json!({"line": 2, "character": 20});
    let answer =
        editor.request("textDocument/definition", json!({"textDocument": document, "position": position}));
    assert_eq!(answer["range"]["start"]["line"], 0);
}

/// The files that a renaming of `add` in `lib/util.ez`, the only open one, changes in a workspace.
fn changed_in_workspace(files: &[(&str, &str)]) -> Result<Vec<String>, String> {
    let mut editor = Editor::in_folder();
    for (name, text) in files {
        editor.write(name, text);
    }
    let at =
        editor.open_all(&[("lib/util.ez", "module util\ndo ad|d(a int, b int) -> int { return a + b }\n")]);
    let mut params = at.clone();
    params["context"] = json!({"includeDeclaration": true});
    let places = editor.request("textDocument/references", params);
    let mut params = at;
    params["newName"] = json!("plus");
    let answer = editor.request("textDocument/rename", params);
    let (root, is_refused) = (editor.uri(""), answer["code"] == -32803);
    assert_eq!(editor.end(), 0);
    if is_refused {
        return Err(answer["message"].as_str().unwrap().to_string());
    }
    let name =
        |uri: &str| uri.strip_prefix(root.trim_end_matches('/')).unwrap().trim_matches('/').to_string();
    let changes: Vec<String> = answer["changes"].as_object().unwrap().keys().map(|uri| name(uri)).collect();
    let mut found: Vec<String> =
        places.as_array().unwrap().iter().map(|place| name(place["uri"].as_str().unwrap())).collect();
    found.sort();
    found.dedup();
    assert_eq!(found, changes);
    Ok(changes)
}

const USER: &str = "do main() { temp x = util.add(1, 2) x++ }\n";

#[test]
fn programs_in_the_whole_workspace_are_changed() {
    let main = format!("import \"./lib/util\"\n{USER}");
    assert_eq!(changed_in_workspace(&[("game.ez", &main)]).unwrap(), ["game.ez", "lib/util.ez"]);
    let up = format!("import \"../lib/util\"\n{USER}");
    let two = [("app1/main.ez", up.as_str()), ("app2/game.ez", up.as_str())];
    assert_eq!(changed_in_workspace(&two).unwrap(), ["app1/main.ez", "app2/game.ez", "lib/util.ez"]);
    // A folder that is a module, through another module, and a module that no program imports.
    let folder = "import \"./lib\"\ndo main() { temp x = lib.add(1, 2) x++ }\n";
    assert_eq!(changed_in_workspace(&[("game.ez", folder)]).unwrap(), ["game.ez", "lib/util.ez"]);
    let mid = "module mid\nimport \"../lib/util\"\ndo f() -> int { return util.add(1, 2) }\n";
    let through =
        [("parts/mid.ez", mid), ("game.ez", "import \"./parts/mid\"\ndo main() { temp x = mid.f() x++ }\n")];
    assert_eq!(changed_in_workspace(&through).unwrap(), ["lib/util.ez", "parts/mid.ez"]);
    assert_eq!(changed_in_workspace(&through[..1]).unwrap(), ["lib/util.ez", "parts/mid.ez"]);
}

#[test]
fn a_program_elsewhere_that_cannot_be_changed_refuses_a_name() {
    let broken = format!("import \"./lib/util\"\n{USER}do f( {{\n");
    let why = changed_in_workspace(&[("game.ez", &broken)]).unwrap_err();
    assert!(why.contains("no syntax errors") && why.contains("game.ez"), "{why}");
    let taken = format!("import \"./lib/util\"\n{USER}do plus() {{ util.plus() }}\n");
    let why = changed_in_workspace(&[("game.ez", &taken)]).unwrap_err();
    assert!(why.contains("game.ez"), "{why}");
    // What does not import it does not matter.
    assert_eq!(changed_in_workspace(&[("game.ez", "do main() {")]).unwrap(), ["lib/util.ez"]);
}

#[test]
fn all_files_of_a_large_folder_are_looked_at() {
    let user = format!("import \"./lib/util\"\n{USER}");
    let names: Vec<String> = (0..250).map(|number| format!("p{number:03}.ez")).collect();
    let mut files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "do main() {}\n")).collect();
    files.extend([("a.ez", user.as_str()), ("z.ez", user.as_str())]);
    assert_eq!(changed_in_workspace(&files).unwrap(), ["a.ez", "lib/util.ez", "z.ez"]);
}

#[test]
fn a_text_that_is_not_known_may_have_the_name() {
    let mut editor = Editor::in_folder();
    let mut at = editor.open_all(&[("util.ez", "module util\ndo ad|d() {}\n")]);
    at["newName"] = json!("plus");
    assert!(editor.request("textDocument/rename", at.clone())["changes"].is_object());
    let uri = editor.uri("game.ez");
    editor.notify("textDocument/didOpen", json!({"textDocument": {"uri": uri}}));
    let why = editor.request("textDocument/rename", at)["message"].to_string();
    assert!(why.contains("close game.ez and open it again"), "{why}");
    assert_eq!(editor.end(), 0);
}

#[test]
fn a_renaming_that_is_refused_names_the_file_whose_text_is_not_known() {
    let mut editor = Editor::in_folder();
    let files = [
        ("util.ez", "module util\ndo add() {}\n"),
        ("main.ez", "import \"./util\"\ndo main() { util.a|dd() }\n"),
    ];
    let mut at = editor.open_all(&files);
    at["newName"] = json!("plus");
    assert!(editor.request("textDocument/rename", at.clone())["changes"].is_object());
    editor.change("util.ez", 2, json!([{"range": null}]));
    for method in ["textDocument/rename", "textDocument/prepareRename"] {
        let why = editor.request(method, at.clone())["message"].to_string();
        assert!(why.contains("close util.ez and open it again"), "{why}");
    }
    editor.open("util.ez", "module util\ndo add() {}\n");
    assert!(editor.request("textDocument/rename", at)["changes"].is_object());
    assert_eq!(editor.end(), 0);
}

#[test]
fn a_refusal_names_the_text_that_is_its_cause() {
    let mut editor = Editor::in_folder();
    let files = [
        ("a_other.ez", "do main() {}\n"),
        ("util.ez", "module util\ndo add() {}\n"),
        ("main.ez", "import \"./util\"\ndo main() { util.a|dd() }\n"),
    ];
    let mut at = editor.open_all(&files);
    at["newName"] = json!("plus");
    // A text that has nothing to do with it is not known, either.
    editor.change("a_other.ez", 2, json!([{"range": null}]));
    editor.change("util.ez", 2, json!([{"text": format!("{}\u{fffd}", files[1].1)}]));
    let half = r#"[{"range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}, "text": "\ud83d"}]"#;
    let document = json!({"uri": editor.uri("util.ez"), "version": 3});
    let body = format!(
        r#"{{"method": "textDocument/didChange", "params": {{"textDocument": {document}, "contentChanges": {half}}}}}"#
    );
    editor.raw(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
    for method in ["textDocument/rename", "textDocument/prepareRename"] {
        let why = editor.request(method, at.clone())["message"].to_string();
        assert!(why.contains("the text of util.ez is not known") && why.contains("delete that"), "{why}");
    }
    // The same for the document that is asked about.
    let of_util = json!({"textDocument": {"uri": editor.uri("util.ez")}});
    let why = editor.request("textDocument/foldingRange", of_util)["message"].to_string();
    assert!(why.contains("the text of util.ez is not known") && why.contains("delete that"), "{why}");
    assert_eq!(editor.end(), 0);
}

/// A file that is open twice, by two paths.
#[cfg(unix)]
#[test]
fn a_refusal_names_the_other_path_of_a_file() {
    let mut editor = Editor::in_folder();
    let text = "do main() {\n    temp a = 1\n}\n";
    editor.write("one.ez", text);
    std::os::unix::fs::symlink("one.ez", editor.path("two.ez")).unwrap();
    editor.open("one.ez", text);
    editor.open("two.ez", text);
    let of_one = json!({"textDocument": {"uri": editor.uri("one.ez")}});
    let why = |editor: &mut Editor| {
        editor.request("textDocument/foldingRange", of_one.clone())["message"].to_string()
    };
    editor.change("two.ez", 2, json!([{"text": "do main() {}\n"}]));
    assert!(why(&mut editor).contains("two.ez is the same file as one.ez"), "{}", why(&mut editor));
    editor.change("two.ez", 3, json!([{"range": null}]));
    assert!(
        why(&mut editor).contains("the text of two.ez is not known: close two.ez"),
        "{}",
        why(&mut editor)
    );
    assert!(editor.shown[0].contains("a change of two.ez"), "{:?}", editor.shown);
    // A late change of a path that is closed is none of the other one.
    editor.notify("textDocument/didClose", json!({"textDocument": {"uri": editor.uri("two.ez")}}));
    editor.change("two.ez", 4, json!([{"text": "do main() {}\n"}]));
    assert!(editor.request("textDocument/foldingRange", of_one).is_array());
    assert!(editor.logged[0].contains("two.ez is not open"), "{:?}", editor.logged);
    assert_eq!(editor.end(), 0);
}

#[test]
fn the_function_with_which_a_program_begins_keeps_its_name() {
    // An error in another module hides what would be reported.
    let lib = ("lib.ez", "module lib\n1 + 1\ndo main() {}\n");
    let main = |at: &str| format!("import \"./lib\"\n{at}\ndo other() {{ lib.main() main() }}\n");
    for (text, is_allowed) in
        [(main("do ma|in() {}"), false), (main("do main() {}").replace("lib.main", "lib.ma|in"), true)]
    {
        let mut editor = Editor::initialized();
        let at = editor.open_all(&[lib, ("main.ez", &text)]);
        let answer = editor.request("textDocument/prepareRename", at);
        assert_eq!(answer["placeholder"] == "main", is_allowed, "{answer}");
        assert_eq!(editor.end(), 0);
    }
}

#[test]
fn edits_say_for_which_text_they_are() {
    let takes = json!({"workspace": {"workspaceEdit": {"documentChanges": true}}});
    let mut editor = Editor::with(takes);
    editor.write("util.ez", "module util\ndo add() {}\n");
    let mut at = editor.open_all(&[("main.ez", "import \"./util\"\ndo main() { util.a|dd() }\n")]);
    at["newName"] = json!("plus");
    let answer = editor.request("textDocument/rename", at);
    let documents: Vec<&Value> =
        answer["documentChanges"].as_array().unwrap().iter().map(|change| &change["textDocument"]).collect();
    let (main, util) = (editor.uri("main.ez"), editor.uri("util.ez"));
    assert_eq!(documents, [&json!({"uri": main, "version": 1}), &json!({"uri": util, "version": null})]);
    editor.change("main.ez", 7, json!([{"text": "do main() { temp x = 1; }\n"}]));
    let params = json!({"textDocument": {"uri": main}, "range": range((0, 0), (0, 30)), "context": {"diagnostics": []}});
    let actions = editor.request("textDocument/codeAction", params);
    assert_eq!(actions[0]["edit"]["documentChanges"][0]["textDocument"]["version"], 7, "{actions}");
    assert_eq!(editor.end(), 0);
}

/// One file is one file, by whatever path it is opened.
#[cfg(unix)]
#[test]
fn links_lead_to_the_same_file() {
    use std::os::unix::fs::symlink;

    let mut editor = Editor::in_folder();
    let util = "module util\n\ndo ad|d(a int, b int) -> int {\n    return a + b\n}\n";
    let main = "import \"./util\"\n\ndo main() {\n    temp x = util.add(1, 2)\n    x++\n}\n";
    editor.write("shared/util.ez", &util.replace('|', ""));
    symlink("shared/util.ez", editor.path("util.ez")).unwrap();
    symlink("..", editor.path("shared/up")).unwrap();
    editor.open_all(&[("main.ez", main)]);
    let at = editor.open_all(&[("shared/util.ez", util)]);
    // What is not saved counts.
    assert!(editor.reports_of("main.ez", 1).is_empty());
    editor.change("shared/util.ez", 2, json!([{"text": util.replace("ad|d", "sum")}]));
    assert_eq!(codes(&editor.next_reports("main.ez")), ["E4002"]);
    editor.change("shared/util.ez", 3, json!([{"text": util.replace('|', "")}]));
    assert!(editor.next_reports("main.ez").is_empty());
    let mut rename = at.clone();
    rename["newName"] = json!("plus");
    let changed = |answer: &Value| -> Vec<String> {
        answer["changes"].as_object().unwrap_or_else(|| panic!("{answer}")).keys().cloned().collect()
    };
    let both = [editor.uri("main.ez"), editor.uri("shared/util.ez")];
    assert_eq!(changed(&editor.request("textDocument/rename", rename.clone())), both);
    assert_eq!(
        editor.request(
            "textDocument/definition",
            json!({"textDocument": {"uri": both[0]}, "position": {"line": 3, "character": 20}})
        )["uri"],
        both[1]
    );
    // Through a folder, and in a program that is not open.
    let through = editor.uri("shared/up/main.ez");
    editor.notify("textDocument/didClose", json!({"textDocument": {"uri": both[0]}}));
    assert_eq!(changed(&editor.request("textDocument/rename", rename.clone())), both);
    let document = json!({"uri": through, "languageId": "ez", "version": 1, "text": main});
    editor.notify("textDocument/didOpen", json!({"textDocument": document}));
    assert_eq!(
        changed(&editor.request("textDocument/rename", rename.clone())),
        [through.clone(), both[1].clone()]
    );
    editor.notify("textDocument/didClose", json!({"textDocument": {"uri": through}}));
    // In one program by two paths.
    editor.open(
        "main.ez",
        &format!("import \"./shared/util\", other\"./util\"\n{}", main.split_once('\n').unwrap().1),
    );
    let why = editor.request("textDocument/rename", rename)["message"].to_string();
    assert!(why.contains("util.ez is in the program twice"), "{why}");
    assert_eq!(editor.end(), 0);
}
