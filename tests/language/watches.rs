//! What is told of watches: what was written, where, and when a watch ends.

use std::cell::RefCell;
use std::rc::Rc;

use ez_language::check::check_source;
use ez_runtime::interp::flags::{BREAKPOINT, STEP};
use ez_runtime::interp::slots::{Fp, Slot};
use ez_runtime::interp::vm::{Debugger, Stop};
use ez_runtime::interp::watch::{
    WatchedVariable, forget_writes, frames_ended, unwatch, watch_part, watch_variable,
};
use ez_runtime::interp::{Outcome, STACK_SIZE, Vm, compile_attached, run};
use ez_runtime::library::testing::Bench;
use ez_runtime::program::{FuncId, GlobalId, LocalId, Program, StmtId};
use ez_runtime::source::Span;
use ez_runtime::value::{PartKey, Type, Value, inspect};

/// What to watch: the local or global called so, or a part of what it holds.
type Wanted = (&'static str, Option<PartKey>);

/// Sets watches when the statement is reached whose line says `//@ watch`, and tells the hits before each
/// statement.
struct Recorder {
    wanted: Vec<Wanted>,
    told: Rc<RefCell<Vec<String>>>,
}

fn line(program: &Program, at: Span) -> u32 {
    program.sources.line(at)
}

fn text(value: &Option<Value>) -> String {
    value.as_ref().map_or("-".to_string(), inspect)
}

impl Recorder {
    fn set(&mut self, vm: &mut Vm, fp: Fp, func: FuncId, stmt: StmtId) {
        let program = vm.program.clone();
        let locals = program.function(func).map_or(&[][..], |f| &f.locals);
        for (number, (name, part)) in (1..).zip(self.wanted.drain(..)) {
            let local = locals.iter().zip(0..).find(|(local, _)| *local.name == *name);
            let global = program.globals.iter().zip(0..).find(|(global, _)| *global.name == *name);
            let (variable, value) = match (local, global) {
                (Some((local, id)), _) => {
                    let variable = WatchedVariable::Local { fp, func, local: LocalId(id) };
                    let slot = Slot::new(id);
                    let value = match local.boxed {
                        true => vm.frames.get_ref(fp, slot).map_or(Value::Nil, |r| Value::Ref(r).follow()),
                        false => vm.slot_value(fp, slot, &local.ty),
                    };
                    (variable, value)
                }
                (None, Some((_, id))) => {
                    (WatchedVariable::Global(GlobalId(id)), vm.global_value(GlobalId(id)))
                }
                (None, None) => panic!("no variable {name}"),
            };
            match (part, value) {
                (None, _) => watch_variable(vm, number, variable, stmt),
                (Some(part), Value::Ref(object)) => assert!(watch_part(vm, number, &object, part)),
                (Some(_), _) => panic!("{name} has no parts"),
            }
        }
    }
}

impl Debugger for Recorder {
    fn statement(&mut self, vm: &mut Vm, fp: Fp, stmt: StmtId, _: bool) -> Result<(), Stop> {
        for hit in vm.watches.take_hits() {
            let written = line(&vm.program, hit.at);
            let (old, new) = (text(&hit.old), text(&hit.new));
            self.told.borrow_mut().push(format!("{}: {old} -> {new} in line {written}", hit.watch));
        }
        let info = vm.program.statement(stmt).expect("a statement");
        let file = vm.program.sources.get(info.at.file).expect("a file");
        let (func, at) = (info.func, info.at);
        let text = file.line_text(line(&vm.program, at)).unwrap_or_default();
        match text.split_once("//@ ").map(|(_, mark)| mark) {
            Some("watch") if !self.wanted.is_empty() => {
                self.set(vm, fp, func, stmt);
                vm.watch_return(true);
            }
            Some("unwatch") => unwatch(vm, 1),
            Some("here") => self.told.borrow_mut().push("here".into()),
            Some("assign") => {
                // As an expression of the debugger would.
                vm.set_slot_value(fp, Slot::new(0), &Type::INT, Value::Int(100));
                forget_writes(vm);
            }
            _ => {}
        }
        Ok(())
    }

    fn returned(&mut self, vm: &mut Vm, fp: Fp, _: u32) -> Result<(), Stop> {
        let ended = frames_ended(vm, fp);
        self.told.borrow_mut().extend(ended.iter().map(|number| format!("{number} ended")));
        Ok(())
    }

    fn on_interrupt(&mut self, _: &mut Vm) -> Result<(), Stop> {
        Ok(())
    }
}

/// Runs a program; what is told of the watches. With `ask_everywhere` the debugger is asked before each
/// statement, without only where watches want it: the same must come of both.
fn hits(source: &str, wanted: &[Wanted], ask_everywhere: bool) -> Vec<String> {
    let (told, outcome) = run_watched(source, wanted, ask_everywhere);
    assert!(matches!(outcome, Outcome::Finished), "{outcome:?}");
    told
}

fn run_watched(source: &str, wanted: &[Wanted], ask_everywhere: bool) -> (Vec<String>, Outcome) {
    let checked = check_source(source, "watch.ez");
    let program = checked.program.unwrap_or_else(|| panic!("{:?}", checked.diagnostics));
    let compiled = compile_attached(&program);
    let told = Rc::new(RefCell::new(Vec::new()));
    let mut vm = Vm::new(program.clone(), Box::new(Bench::default()), STACK_SIZE).expect("a machine");
    vm.debugger = Some(Box::new(Recorder { wanted: wanted.to_vec(), told: told.clone() }));
    vm.steps.set_all(STEP, ask_everywhere);
    for (index, info) in program.statements.iter().enumerate() {
        let file = program.sources.get(info.at.file).expect("a file");
        let text = file.line_text(line(&program, info.at)).unwrap_or_default();
        compiled.flags.set_own(index, BREAKPOINT, text.contains("//@"));
    }
    let outcome = run(&mut vm, &compiled);
    (told.take(), outcome)
}

fn check(source: &str, wanted: &[Wanted], expected: &[&str]) {
    let (source, wanted) = (format!("import @std, @arrays, @maps\nusing std\n{source}"), wanted.to_vec());
    // Programs run on a thread of their own, which has one mutator.
    for ask_everywhere in [false, true] {
        assert_eq!(hits(&source, &wanted, ask_everywhere), expected, "asked everywhere: {ask_everywhere}");
    }
}

#[test]
fn locals_in_slots() {
    let source = "
do twice(n int) -> int { return n * 2 }
do main() {
    temp x int = 1
    temp text string = \"a\"
    temp y int = 0 //@ watch
    x = 1
    x = 2
    if x++ == 2 { y = x }
    x += twice(x)
    text += \"b\"
    for i in range(0, 3) {
        y = i
        if i == 1 { x = y }
    }
    x, y = twice_two()
    println(y)
}
do twice_two() -> (int, int) { return 8, 9 }
";
    let expected = [
        "1: 1 -> 2 in line 10",
        "1: 2 -> 3 in line 11",
        "1: 3 -> 9 in line 12",
        "2: \"a\" -> \"ab\" in line 13",
        "1: 9 -> 1 in line 16",
        "1: 1 -> 8 in line 18",
    ];
    check(source, &[("x", None), ("text", None)], &expected);
}

#[test]
fn loop_variables_and_other_activations() {
    let source = "
do down(n int) -> int {
    temp own int = n
    if n == 3 { own = own + 0 } //@ watch
    if n > 0 { own = down(n - 1) + 10 }
    return own
}
do main() {
    println(down(3))
    for_each c in {5, 6} { println(c) }
}
";
    check(source, &[("own", None)], &["1: 3 -> 30 in line 7", "1 ended"]);
    let source = "
do main() {
    temp x int = 1
    if x++ == 1 { println(x) } //@ watch
    for i in range(0, 2) { x = i }
}
";
    check(source, &[("x", None)], &["1: 1 -> 2 in line 6", "1: 2 -> 0 in line 7", "1: 0 -> 1 in line 7"]);
    let source = "
do main() {
    temp last int = 0 //@ watch
    for i in range(0, 3) { last = i }
    println(last)
}
";
    let expected = ["1: 0 -> 1 in line 6", "1: 1 -> 2 in line 6"];
    check(source, &[("last", None)], &expected);
}

#[test]
fn globals_and_boxed_variables() {
    let source = "
temp count int = 0
temp shared int = 1
do add(&n int) { n += 5 }
do bump() { count++ }
do main() {
    temp local int = 7
    println(local) //@ watch
    bump()
    add(shared)
    add(local)
    local = 1
    count = 1
    println(count)
}
";
    let expected =
        ["1: 0 -> 1 in line 7", "2: 1 -> 6 in line 6", "3: 7 -> 12 in line 6", "3: 12 -> 1 in line 14"];
    check(source, &[("count", None), ("shared", None), ("local", None)], &expected);
}

#[test]
fn what_is_written_before_a_call_is_found_in_the_called_function() {
    let source = "
temp count int = 5
do first(numbers [int]) -> int {
    return len(numbers) //@ here
}
do main() {
    println(count) //@ watch
    temp a int = first({count--, 2})
    count = first({1})
    count += first({count++})
    println(a, count)
}
";
    let expected = [
        "1: 5 -> 4 in line 10",
        "here",
        "here",
        "1: 4 -> 1 in line 11",
        "1: 1 -> 2 in line 12",
        "here",
        "1: 2 -> 3 in line 12",
    ];
    check(source, &[("count", None)], &expected);
}

#[test]
fn elements_entries_and_fields() {
    let source = "
const Point struct {
    x float
    tags [string]
}
do set(list [int], at int) { }
do fill(&list [int]) { list[1] = 20 }
do main() {
    temp list [int] = {1, 2, 3}
    temp other [int] = {1, 2, 3}
    temp m map[string:int] = {\"a\": 1}
    temp p = Point{x: 1.0, tags: {\"t\"}}
    println(1) //@ watch
    other[1] = 9
    list[0] = 9
    list[1] = 2
    list[1] = 3
    fill(list)
    arrays.sort(list)
    arrays.clear(list)
    arrays.append(list, 1)
    arrays.append(list, 2)
    m[\"a\"] += 1
    m[\"b\"] = 5
    maps.remove(m, \"b\")
    m[\"b\"]  = 6
    p.x = 1.0
    p.x += 0.5
    p.x *= 2.0
    println(1)
}
";
    let wanted = [
        ("list", Some(PartKey::Element(1))),
        ("m", Some(PartKey::Entry(Value::str("b")))),
        ("p", Some(PartKey::Field(0))),
    ];
    let expected = [
        "1: 2 -> 3 in line 19",
        "1: 3 -> 20 in line 9",
        "1: 20 -> 9 in line 21",
        "1: 9 -> - in line 22",
        "1: - -> 2 in line 24",
        "2: - -> 5 in line 26",
        "2: 5 -> - in line 27",
        "2: - -> 6 in line 28",
        "3: 1.0 -> 1.5 in line 30",
        "3: 1.5 -> 3.0 in line 31",
    ];
    check(source, &wanted, &expected);
}

#[test]
fn what_the_debugger_writes_and_what_is_no_longer_watched_is_not_told() {
    let source = "
do main() {
    temp x int = 1
    temp y int = 1 //@ watch
    x = 2
    x += 0 //@ assign
    x += 1
    y = 5 //@ unwatch
    x = 7
    y = 6
    println(x)
}
";
    let expected = [
        "2: 0 -> 1 in line 6",
        "1: 1 -> 2 in line 7",
        "1: 100 -> 101 in line 9",
        "2: 1 -> 5 in line 10",
        "2: 5 -> 6 in line 12",
    ];
    check(source, &[("x", None), ("y", None)], &expected);
}

#[test]
fn an_assignment_that_fails_still_ends_the_program() {
    // The largest there is: neither it nor what would come next is a 64-bit integer.
    let source = "
do main() {
    temp a i256 = 57896044618658097711785492504343953926634992332820282019728792003956564819967
    println(\"armed\") //@ watch
    a++
}";
    let source = format!("import @std\nusing std\n{source}");
    for ask_everywhere in [false, true] {
        let (told, outcome) = run_watched(&source, &[("a", None)], ask_everywhere);
        assert_eq!(told, Vec::<String>::new());
        assert!(matches!(outcome, Outcome::Failed(_)), "{outcome:?}");
    }
}

/// An error ends frames without telling the debugger: their slots must not be read any more.
#[test]
fn frames_that_an_error_has_ended() {
    let source = "
import @std
using std
temp total int = 0
do f(n int) -> int {
    temp own int = n
    own = own + 1 //@ watch
    return 100 / n
}
do last() { total += 1 }
do main() {
    ensure last()
    total = f(0)
}
";
    for ask_everywhere in [false, true] {
        let (told, outcome) = run_watched(source, &[("own", None), ("total", None)], ask_everywhere);
        assert!(matches!(outcome, Outcome::Failed(_)), "{outcome:?}");
        assert_eq!(told, ["1: 0 -> 1 in line 7"]);
    }
}
