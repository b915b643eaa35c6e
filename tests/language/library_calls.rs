//! Wrong calls of every library function: found before running where the checker can know, else when
//! they run, and never anything worse.

use crate::plain::{checked, errors, on_big_stack, run};
use ez_engine::recording::ReplayHost;
use ez_runtime::library::{MODULES, Module, ParamType, Row, RowKind, SignatureParam};
use ez_runtime::value::{HandleKind, Type};

/// A value for a parameter, and one of another kind (none for what takes everything).
fn values(param: &SignatureParam) -> (&'static str, Option<&'static str>) {
    match &param.ty {
        ParamType::Var('K') => ("text", None),
        ParamType::Any | ParamType::Var(_) | ParamType::ElemOf(_) | ParamType::Wide(_) => ("1", None),
        ParamType::TypeName => ("Item", None),
        ParamType::Num => ("1", Some("text")),
        ParamType::Array(_) => ("numbers", Some("whole")),
        ParamType::Map(..) => ("table", Some("whole")),
        ParamType::Exact(ty) => match ty {
            Type::Str => ("text", Some("whole")),
            Type::Int(_) => ("whole", Some("text")),
            Type::Float(_) => ("part", Some("text")),
            Type::Bool => ("yes", Some("whole")),
            Type::Map(..) => ("texts", Some("whole")),
            Type::Handle(HandleKind::File) => ("file", Some("whole")),
            Type::Handle(HandleKind::Database) => ("store", Some("whole")),
            other => panic!("no value of {other}"),
        },
    }
}

fn program(module: &Module, row: &Row, arguments: &[&str]) -> String {
    format!(
        "import @std, @{name}\n\nconst Item struct {{\n    x int\n}}\n\ndo main() {{\n    temp text string = \"t\"\n    \
         temp whole int = 1\n    temp part float = 0.5\n    temp yes bool = true\n    temp numbers [int] = {{1, 2}}\n    \
         temp table map[string:int] = {{\"a\": 1}}\n    temp texts map[string:string] = {{\"a\": \"b\"}}\n    \
         temp file File\n    temp store Database\n    {name}.{}({})\n}}\n",
        row.name,
        arguments.join(", "),
        name = module.name,
    )
    .replace("import @std, @std", "import @std")
}

/// What the check says to a call with these arguments; of a call that it lets pass, how it ends with
/// nothing outside.
fn verdict(module: &Module, row: &Row, arguments: &[&str]) -> String {
    let text = program(module, row, arguments);
    let found = errors(&checked(&text));
    if !found.is_empty() {
        let found: Vec<String> = found.iter().map(|(code, message)| format!("{code} {message}")).collect();
        return format!("check: {}", found.join("; "));
    }
    let (nothing, _) = ReplayHost::new(Box::new(|| Ok(None)), Box::new(|_, _| {}));
    run(&text, Box::new(nothing))
}

/// Functions that take whatever they are given: what is no timestamp counts as none.
const TOLERANT: &[&str] = &["time.quarter", "time.week_of_year"];

// invariant 21
#[test]
fn wrong_calls_are_found() {
    on_big_stack(|| {
        let mut wrong = Vec::new();
        for module in MODULES {
            for row in module.rows.iter().filter(|row| row.kind == RowKind::Function) {
                check_row(module, row, &mut wrong);
            }
        }
        assert!(wrong.is_empty(), "{} calls:\n{}", wrong.len(), wrong.join("\n"));
    });
}

fn check_row(module: &Module, row: &Row, wrong: &mut Vec<String>) {
    let name = format!("{}.{}", module.name, row.name);
    let signature = row.parsed();
    let params: Vec<&SignatureParam> = signature.params.iter().collect();
    let fine: Vec<&str> = params.iter().map(|p| values(p).0).collect();
    let least = signature.min_args();
    let mut expect = |arguments: &[&str], wanted: &dyn Fn(&str) -> bool| {
        let said = verdict(module, row, arguments);
        if !wanted(&said) {
            wrong.push(format!("{name}({}): {said}", arguments.join(", ")));
        }
    };
    let tolerant = TOLERANT.contains(&name.as_str());
    let counts = |said: &str| match () {
        () if tolerant => true,
        () if name == "json.decode" => said.starts_with("check: E5008") || said.starts_with("check: E13004"),
        () if row.checked => said.starts_with(&format!("check: E5008 {name} ")) && !said.contains(';'),
        () => said.starts_with("E7001 "),
    };
    for few in 0..least {
        expect(&fine[..few], &counts);
    }
    if signature.max_args().is_some() {
        for more in 1..3 {
            expect(&[&fine[..], &["whole", "whole"][..more]].concat(), &counts);
        }
    }
    for (index, param) in params.iter().enumerate() {
        let Some(other) = values(param).1 else { continue };
        let mut arguments = fine.clone();
        arguments[index] = other;
        let kinds = |said: &str| match row.checked {
            true => said.starts_with(&format!("check: E3001 {name} argument {}: expected ", index + 1)),
            false if tolerant => said == "ended 0",
            false => said.starts_with('E') || said.starts_with("check: E3001"),
        };
        expect(&arguments, &kinds);
    }
    if row.checked {
        let passes = |said: &str| !said.starts_with("check: E5008") && !said.contains(" argument ");
        expect(&fine, &passes);
    }
}

/// Declarations with the names of [`values`], of large values.
fn large(text: &str, whole: &str) -> String {
    let declarations = [
        ("temp text string = \"t\"", "temp text string = strings.repeat(\"aß\", 300)".to_string()),
        ("temp whole int = 1", format!("temp whole int = {whole}")),
        ("temp part float = 0.5", "temp part float = 1.0e300".into()),
        ("temp numbers [int] = {1, 2}", "temp numbers [int] = {}\n    for i in range(0, 3000) { arrays.append(numbers, i * 7919 % 20011) }".into()),
        ("temp table map[string:int] = {\"a\": 1}", "temp table map[string:int] = {\"a\": 1}\n    for i in range(0, 1000) { table[\"${i}\"] = i }".into()),
    ];
    let mut text = text.replacen("import ", "import @arrays, @strings, ", 1);
    for name in ["arrays", "strings"] {
        let twice = format!(", @{name}\n");
        text = text.replacen(&twice, "\n", 1);
    }
    declarations.iter().fold(text, |text, (small, large)| text.replacen(small, large, 1))
}

/// Functions whose time or memory grows with the numbers that they are given, not with what they are given.
const GROWING: &[&str] = &["math.factorial", "math.fibonacci"];

/// Large and negative arguments lead to results or errors of the program, not of the interpreter.
#[test]
fn large_arguments_do_not_panic() {
    on_big_stack(|| {
        let mut wrong = Vec::new();
        for module in MODULES {
            for row in module.rows.iter().filter(|row| row.kind == RowKind::Function) {
                let name = format!("{}.{}", module.name, row.name);
                let signature = row.parsed();
                let arguments: Vec<&str> = signature.params.iter().map(|param| values(param).0).collect();
                for whole in ["1000", "-1000", "0", "9223372036854775807", "-9223372036854775807"] {
                    if whole.len() > 6 && GROWING.contains(&name.as_str()) {
                        continue;
                    }
                    let text = large(&program(module, row, &arguments), whole);
                    if !errors(&checked(&text)).is_empty() {
                        continue;
                    }
                    let (nothing, _) = ReplayHost::new(Box::new(|| Ok(None)), Box::new(|_, _| {}));
                    // Shown if a call does not end.
                    eprintln!("{name} {whole}");
                    let said = run(&text, Box::new(nothing));
                    if said.contains("E5099") {
                        wrong.push(format!("{name} with {whole}: {said}"));
                    }
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    });
}
