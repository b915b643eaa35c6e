//! Every form of statement that writes, with watches on everything that it may write to: it does the same as
//! without them, and its write is found once.

use std::cell::RefCell;
use std::collections::HashSet;
use std::rc::Rc;

use ez_language::check::check_source;
use ez_runtime::interp::flags::BREAKPOINT;
use ez_runtime::interp::slots::{Fp, Slot};
use ez_runtime::interp::vm::{Debugger, Stop};
use ez_runtime::interp::watch::{WatchedVariable, frames_ended, watch_part, watch_variable};
use ez_runtime::interp::{Outcome, STACK_SIZE, Vm, compile_attached, run};
use ez_runtime::library::testing::Bench;
use ez_runtime::program::{FuncId, GlobalId, LocalId, StmtId};
use ez_runtime::value::{Heap, PartKey, Value, inspect};

/// A type of what is written: its name, a value, another value, and the value for compound operators.
const TYPES: &[(&str, &str, &str, Option<&str>)] = &[
    ("int", "7", "8", Some("3")),
    ("i8", "7", "8", Some("3")),
    ("float", "7.5", "8.5", Some("2.0")),
    ("byte", "7", "8", Some("byte(3)")),
    ("bool", "true", "false", None),
    ("string", "\"ab\"", "\"cd\"", Some("\"e\"")),
    ("char", "'a'", "'b'", None),
    ("E", "E.A", "E.B", None),
    ("P", "P{x: 1}", "P{x: 2}", None),
    ("[int]", "{1, 2}", "{3}", None),
    ("map[string:int]", "{\"a\": 1}", "{\"b\": 2}", None),
];

/// What is written: the type of `l`, its value, the target, and the same without calls. `T` is the type of what is
/// written, `#` a value.
const TARGETS: &[(&str, &str, &str, &str)] = &[
    ("T", "#", "l", "l"),
    ("T", "#", "g", "g"),
    ("[T]", "{#, #}", "l[0]", "l[0]"),
    ("[T]", "{#, #}", "l[i]", "l[0]"),
    ("[T]", "{#, #}", "l[i + 1]", "l[1]"),
    ("[T]", "{#, #}", "l[k[0]]", "l[1]"),
    ("[T]", "{#, #}", "l[at(1)]", "l[1]"),
    ("[T]", "{#, #}", "same(l)[0]", "l[0]"),
    ("[T]", "{#, #}", "same(l)[i]", "l[0]"),
    ("[T]", "{#, #}", "same(l)[at(1)]", "l[1]"),
    ("[T]", "{#, #}", "same(l)[zero]", "l[0]"),
    ("[[T]]", "{{#, #}, {#}}", "l[0][1]", "l[0][1]"),
    ("[[T]]", "{{#, #}, {#}}", "l[i][i]", "l[0][0]"),
    ("[[T]]", "{{#, #}, {#}}", "l[at(0)][1]", "l[0][1]"),
    ("[[T]]", "{{#, #}, {#}}", "same(l)[0][1]", "l[0][1]"),
    ("[[T]]", "{{#, #}, {#}}", "row(l[0])[1]", "l[0][1]"),
    ("[[T]]", "{{#, #}, {#}}", "row(same(l)[at(0)])[at(1)]", "l[0][1]"),
    ("map[string:T]", "{\"k\": #}", "l[\"k\"]", "l[\"k\"]"),
    ("map[string:T]", "{\"k\": #}", "l[key]", "l[\"k\"]"),
    ("map[string:T]", "{\"k\": #}", "l[name(key)]", "l[\"k\"]"),
    ("map[string:T]", "{\"k\": #}", "same(l)[\"k\"]", "l[\"k\"]"),
    ("map[string:T]", "{\"k\": #}", "same(l)[name(key)]", "l[\"k\"]"),
    ("map[int:T]", "{0: #}", "l[i]", "l[0]"),
    ("map[int:T]", "{0: #}", "same(l)[at(0)]", "l[0]"),
    ("map[string:[T]]", "{\"k\": {#}}", "l[key][i]", "l[\"k\"][0]"),
    ("map[string:[T]]", "{\"k\": {#}}", "same(l)[name(key)][at(0)]", "l[\"k\"][0]"),
    ("S", "S{f: #, a: {#}}", "l.f", "l.f"),
    ("S", "S{f: #, a: {#}}", "same(l).f", "l.f"),
    ("S", "S{f: #, a: {#}}", "l.a[i]", "l.a[0]"),
    ("S", "S{f: #, a: {#}}", "same(l).a[at(0)]", "l.a[0]"),
    ("[S]", "{S{f: #, a: {#}}}", "l[i].f", "l[0].f"),
    ("[S]", "{S{f: #, a: {#}}}", "l[at(0)].f", "l[0].f"),
    ("[S]", "{S{f: #, a: {#}}}", "same(l)[0].f", "l[0].f"),
    ("[S]", "{S{f: #, a: {#}}}", "one(same(l)[i]).a[at(0)]", "l[0].a[0]"),
    ("T", "#", "ref l", "l"),
    ("[T]", "{#, #}", "& l[1]", "l[1]"),
    ("[T]", "{#, #}", "& same(l)[at(1)]", "l[1]"),
    ("S", "S{f: #, a: {#}}", "& same(l).f", "l.f"),
    ("T", "#", "& l", "l"),
    ("[T]", "{#, #}", "&[] l", "l[1]"),
];

/// A program with a statement that writes, marked `//@ write`.
fn program(
    (ty, value, other, more): (&str, &str, &str, Option<&str>),
    (whole, whole_value, target, path): (&str, &str, &str, &str),
    operator: &str,
) -> String {
    let operand = match operator {
        "=" => format!(" = {other}"),
        "= call" => " = given()".to_string(),
        "++" | "--" => operator.to_string(),
        _ => format!(" {operator} {}", more.unwrap_or_default()),
    };
    let (target, parameter, statement) = match target.split_once(' ') {
        Some(("ref", place)) => (format!("temp r = ref({place})"), "T", format!("r{operand} //@ write")),
        Some(("&", place)) => (String::new(), "T", format!("change({place})")),
        Some(("&[]", place)) => (String::new(), "[T]", format!("change({place})")),
        _ => (String::new(), "T", format!("{target}{operand} //@ write")),
    };
    let changed = if parameter == "T" { "x" } else { "x[1]" };
    let source = format!(
        "import @std
using std
const E enum {{ A B }}
const P struct {{ x int }}
const S struct {{ f T a [T] }}
temp g T = #
temp trail string = \"\"
temp zero int = 0
do given() -> T {{
    trail += \"g\"
    return {other}
}}
do same(x WHOLE) -> WHOLE {{
    trail += \"s\"
    return x
}}
do row(x [T]) -> [T] {{
    trail += \"r\"
    return x
}}
do one(x S) -> S {{
    trail += \"o\"
    return x
}}
do at(n int) -> int {{
    trail += \"a${{n}}\"
    return n
}}
do name(n string) -> string {{
    trail += \"n\"
    return n
}}
do change(&x {parameter}) {{
    {changed}{operand} //@ write
}}
do main() {{
    temp l WHOLE = {whole_value}
    temp k [int] = {{1}}
    temp i int = 0
    temp key string = \"k\"
    temp before T = {path}
    {target}
    i = 0 //@ watch
    {statement}
    temp after T = {path} //@ end
    println(after) //@ over
}}
"
    );
    let source = source.replace("WHOLE", whole);
    let source = source.replace(": T", &format!(": {ty}")).replace("[T]", &format!("[{ty}]"));
    let words = [(" T ", format!(" {ty} ")), (" T)", format!(" {ty})")), ("f T", format!("f {ty}"))];
    let source = words.iter().fold(source, |text, (from, to)| text.replace(from, to));
    source.replace(":T", &format!(":{ty}")).replace('#', value)
}

/// What a run with or without watches did: the values of the variables and the number of steps at its end, and the
/// writes found: watched part, old and new value, line.
#[derive(Debug, Default, PartialEq)]
struct Seen {
    trail: String,
    before: String,
    after: String,
    steps: u64,
    writes: Vec<(String, String, u32)>,
    lines: Vec<u32>,
}

struct Observer {
    watches: bool,
    seen: Rc<RefCell<Seen>>,
}

impl Observer {
    /// Watches all variables of a frame, all globals, and all parts of what they hold.
    fn watch_all(vm: &mut Vm, fp: Fp, func: FuncId, stmt: StmtId) {
        let program = vm.program.clone();
        let mut number = 0;
        let mut values = Vec::new();
        let locals = program.function(func).map_or(&[][..], |f| &f.locals);
        for (local, id) in locals.iter().zip(0..) {
            if local.declared.is_some_and(|declared| declared >= stmt) {
                continue;
            }
            number += 1;
            watch_variable(vm, number, WatchedVariable::Local { fp, func, local: LocalId(id) }, stmt);
            values.push(match local.boxed {
                true => vm.frames.get_ref(fp, Slot::new(id)).map_or(Value::Nil, Value::Ref),
                false => vm.slot_value(fp, Slot::new(id), &local.ty),
            });
        }
        for (global, id) in program.globals.iter().zip(0..) {
            if &*global.name == "trail" {
                continue;
            }
            number += 1;
            watch_variable(vm, number, WatchedVariable::Global(GlobalId(id)), stmt);
            values.push(vm.global_value(GlobalId(id)));
        }
        let mut known = HashSet::new();
        while let Some(value) = values.pop() {
            let Some(object) = value.follow().as_ref().cloned() else { continue };
            if !known.insert(Rc::as_ptr(&object)) {
                continue;
            }
            let mut parts: Vec<(PartKey, Value)> = Vec::new();
            match &*object {
                Heap::Array(array) => {
                    let array = array.borrow();
                    parts.extend(
                        (0..array.data.len())
                            .map(|i| (PartKey::Element(i), array.data.get(i).unwrap_or_default())),
                    );
                }
                Heap::Map(map) => parts
                    .extend(map.borrow().entries.iter().map(|(k, v)| (PartKey::Entry(k.clone()), v.clone()))),
                Heap::Struct(object) => parts.extend(
                    (0..).zip(object.fields.borrow().iter()).map(|(i, v)| (PartKey::Field(i), v.clone())),
                ),
                _ => {}
            }
            for (key, value) in parts {
                number += 1;
                watch_part(vm, number, &object, key);
                values.push(value);
            }
        }
    }

    fn local(vm: &mut Vm, fp: Fp, func: FuncId, name: &str) -> String {
        let program = vm.program.clone();
        let locals = program.function(func).map_or(&[][..], |f| &f.locals);
        let found = locals.iter().zip(0..).find(|(local, _)| &*local.name == name);
        found.map_or_else(String::new, |(local, id)| inspect(&vm.slot_value(fp, Slot::new(id), &local.ty)))
    }
}

impl Debugger for Observer {
    fn statement(&mut self, vm: &mut Vm, fp: Fp, stmt: StmtId, _: bool) -> Result<(), Stop> {
        let info = vm.program.statement(stmt).expect("a statement").clone();
        for hit in vm.watches.take_hits() {
            let text = |value: &Option<Value>| value.as_ref().map_or("-".into(), inspect);
            let line = vm.program.sources.line(hit.at);
            self.seen.borrow_mut().writes.push((text(&hit.old), text(&hit.new), line));
        }
        let file = vm.program.sources.get(info.at.file).expect("a file").clone();
        let line = vm.program.sources.line(info.at);
        let text = file.line_text(line).unwrap_or_default().to_string();
        match text.split_once("//@ ").map(|(_, mark)| mark) {
            Some("watch") if self.watches => {
                vm.watch_return(true);
                Observer::watch_all(vm, fp, info.func, stmt);
            }
            Some("write") => self.seen.borrow_mut().lines.push(line),
            Some("over") => {
                let mut seen = self.seen.borrow_mut();
                seen.before = Observer::local(vm, fp, info.func, "before");
                seen.after = Observer::local(vm, fp, info.func, "after");
                seen.steps = vm.steps.now();
                let trail = vm.program.globals.iter().position(|global| &*global.name == "trail");
                seen.trail = inspect(&vm.global_value(GlobalId(trail.unwrap_or_default() as u32)));
            }
            _ => {}
        }
        Ok(())
    }

    fn returned(&mut self, vm: &mut Vm, fp: Fp, _: u32) -> Result<(), Stop> {
        frames_ended(vm, fp);
        Ok(())
    }

    fn on_interrupt(&mut self, _: &mut Vm) -> Result<(), Stop> {
        Ok(())
    }
}

fn observed(source: &str, watches: bool) -> Seen {
    let checked = check_source(source, "writes.ez");
    let program = checked.program.unwrap_or_else(|| panic!("{source}\n{:?}", checked.diagnostics));
    let compiled = compile_attached(&program);
    let seen = Rc::new(RefCell::new(Seen::default()));
    let mut vm = Vm::new(program.clone(), Box::new(Bench::default()), STACK_SIZE).expect("a machine");
    vm.debugger = Some(Box::new(Observer { watches, seen: seen.clone() }));
    for (index, info) in program.statements.iter().enumerate() {
        let file = program.sources.get(info.at.file).expect("a file");
        let text = file.line_text(program.sources.line(info.at)).unwrap_or_default();
        compiled.flags.set_own(index, BREAKPOINT, text.contains("//@"));
    }
    let outcome = run(&mut vm, &compiled);
    assert!(matches!(outcome, Outcome::Finished), "{outcome:?}\n{source}");
    drop(vm);
    seen.take()
}

// invariant 5
#[test]
fn every_form_of_write_is_found_and_does_what_it_does_unobserved() {
    let mut tried = 0;
    for ty in TYPES {
        let operators: &[&str] = match ty.0 {
            "int" | "i8" => &["=", "= call", "+=", "-=", "*=", "/=", "%=", "++", "--"],
            "byte" => &["=", "= call", "+=", "-=", "*=", "/=", "%="],
            "float" => &["=", "= call", "+=", "-=", "*=", "/="],
            "string" => &["=", "= call", "+="],
            _ => &["=", "= call"],
        };
        for target in TARGETS {
            for operator in operators {
                let source = program(*ty, *target, operator);
                let (plain, mut watched) = (observed(&source, false), observed(&source, true));
                let write = (plain.before.clone(), plain.after.clone(), plain.lines[0]);
                let mut writes = std::mem::take(&mut watched.writes);
                // A reference and what it refers to are both watched.
                writes.dedup();
                assert_eq!(writes, [write], "{source}");
                assert_eq!(watched, plain, "{source}");
                tried += 1;
            }
        }
    }
    assert!(tried > 1500, "{tried}");
}
