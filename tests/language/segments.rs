//! Random programs do the same for a debugger whether each statement is a segment of its own or not.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::fmt::Write;
use std::rc::Rc;

use ez_language::check::check_source;
use ez_runtime::interp::compile::compile_split;
use ez_runtime::interp::flags::{BREAKPOINT, CONDITION, STEP, StatementFlags};
use ez_runtime::interp::slots::{Fp, Slot};
use ez_runtime::interp::vm::{Debugger, RunError, Stop, Vm};
use ez_runtime::interp::watch::{WatchedVariable, frames_ended, unwatch, watch_part, watch_variable};
use ez_runtime::interp::{CompiledProgram, Outcome, STACK_SIZE, compile_attached, run};
use ez_runtime::library::testing::Bench;
use ez_runtime::program::{LocalId, StmtId};
use ez_runtime::value::{Heap, PartKey, Ref, Repr, Value, inspect, last_number, object_number};
use proptest::prelude::*;

const DECLARATIONS: &str = "
import @std, @arrays, @math
using std
const P struct {
    n int
    x float
}
do add(n int) -> int { return n + 1 }
do down(n int) -> int {
    if n <= 0 { return 0 }
    temp k int = n - 1
    k = k + 0
    return down(k) + 1
}
do root(n int) -> int {
    temp odd int = 0
    for k in range(0, 70) {
        if k * k > n { return k + odd }
        if k % 2 == 1 { odd++ } otherwise { continue }
        odd += 0
    }
    return odd
}
do pick(n int) -> int {
    if n % 3 == 0 { return down(n % 4) }
    return 12 / (n % 5)
}
do change(&a [int], n int) {
    a[0] = n
    a[n % 4] += 1
}
do main() {
    temp i int = 0
    temp j int = 3
    temp x float = 1.5
    temp a [int] = {1, 2, 3, 4}
    temp f [float] = {0.5, 1.5}
    temp m map[string:int] = {\"a\": 1}
    temp p P = P{n: 1, x: 2.0}
    temp s string = \"\"
    temp ps [P] = {P{n: 1, x: 0.5}, P{n: 2, x: 1.5}, P{n: 3, x: 2.5}}
    temp rs [P] = {P{n: 4, x: 3.5}, P{n: 5, x: 4.5}}
";

/// Simple statements; some of them fail for some values.
const SIMPLE: &[&str] = &[
    "i = i + 1",
    "i++",
    "j = (i * 7 + j) % 5",
    "j -= 1",
    "a[(i + 3) % 4] = j",
    "a[i % 5] += 1",
    "a[0]++",
    "f[1] = x * 0.5",
    "p.n += i",
    "p.x = x",
    "x = math.sqrt(x * x + float(i))",
    "s += \"z\"",
    "m[\"a\"] += 1",
    "m[\"b\"] = i",
    "i = m[\"b\"]",
    "j = 100 / (i % 3)",
    "arrays.append(a, i)",
    "temp t# int = a[1]",
    "temp c# [int] = copy(a)",
    "temp q# P = p",
    "j = len(a) % 4",
    "ps[0].n += 1",
    "temp e# P = ps[0]\nps[0] = ps[1]\nps[1] = e#",
    "temp e# P = ps[0]\nps[0] = ps[i]\nps[i] = e#",
    "temp e# P = ps[i]\nps[i] = ps[j]\nps[j] = e#",
    "temp e# P = ps[j]\nps[j] = rs[1]\nrs[1] = e#\ni = i * 2 + 1",
    "temp e# P = rs[i % 2]\nrs[i % 2] = e#",
    "temp e# P = ps[1]\nps[i] = ps[0]\nps[0] = e#",
    "temp e# P = ps[0]\nps[0] = ps[i]\nrs[0] = e#",
    "rs[0].x = x",
    "arrays.append(ps, rs[1])",
    "temp e# P = ps[j]\nps[j] = P{n: 100 / (i % 3), x: x}",
    "temp e# P = ps[2]\nps[2] = ps[2 - 1]\ne#.n += 1",
    "if a[j % 5] > 3 { j++ } or i % 3 == 0 {\ni++\np.n = 2\n} otherwise { x = 0.5 }",
    "if i % 4 == 1 { a[0] = 1 }",
    "if i % 4 < 3 {\nif j > 1 { a[0]++ } or j / (i % 4) > 0 { p.n += 1 }\ni++\n}",
    "if i % 2 == 0 {\ntemp e# P = ps[0]\nps[0] = ps[i % 4]\nps[i % 4] = e#\n}",
    "if i > 60 {\nif j > 2 { return } otherwise { i -= 20 }\n}",
];

/// Statements that end a segment.
const OTHERS: &[&str] = &[
    "println(i)",
    "temp e# P = ps[0]\nps[0] = ps[i]\nps[i] = e#\ntemp r# P = ref(e#)\nr#.n += 1",
    "i = i % 4",
    "sleep_milliseconds(0)",
    "i = add(i)",
    "j = down(3)",
    "change(a, j)",
    "i = root(i * 20)",
    "j = pick(i)",
    "if i > 40 { j = root(i) } otherwise { j++ }",
    "temp t# int = down(2) + a[0]",
    "if i > 40 { return }",
    "if a[j % 5] > 90 { return }",
];

#[derive(Clone, Debug)]
enum Node {
    Statement(&'static str),
    /// The head of a block, with `#` for a number of its own, and what follows the body.
    Block(&'static str, Vec<Node>, &'static str),
    Either(Vec<Node>, Vec<Node>, Vec<Node>),
}

const BLOCKS: &[(&str, &str)] = &[
    ("for k# in range(0, 3) {", "}"),
    ("for k# in range(0, 90) {", "}"),
    ("for k# in range(9, 0, -2) {", "}"),
    ("for_each v# in f {", "}"),
    ("for_each v# in \"abc\" {", "}"),
    ("temp n# int = 0\nas_long_as n# < 70 {\nn#++", "}"),
    ("temp n# int = 0\nas_long_as add(n#) < 9 {\nn# += 2", "}"),
    ("temp n# int = 0\nloop {\nn#++\nif n# > 5 { break }", "}"),
    ("temp n# int = 0\nas_long_as n# < 9 {\nn# += 1\nif n# % 3 == 0 { continue }", "}"),
    ("for k# in range(0, 9) {\nif (k# * j + i) % 4 == 3 { break }", "}"),
    ("for_each v# in f {\nif v# < x {\ni = add(i)\ncontinue\n}", "}"),
    (
        "for k# in range(0, 90) {\nif k# > i + 9 {\nj++\nif j % 4 == 2 { break }\n} or k# % 3 == 0 { continue }",
        "}",
    ),
    ("for k# in range(0, 200) {\nif k# % 50 == 49 {\ni++\nif i > 9 { return }\nbreak\n}", "}"),
    (
        "temp n# int = 0\nas_long_as n# < 90 {\nn#++\nif n# % 2 == 1 {\ni++\ncontinue\n}\nif n# > i * 9 { break }",
        "}",
    ),
    ("for k# in range(9, 0, -2) {\nif k# == j {\na[0] = k#\nbreak\n}", "}"),
    ("for_each v# in f {\nif v# < x { continue } otherwise { i++ }", "}"),
    ("when i % 3 {\nis 1 {", "}\ndefault {\nj = 2\n}\n}"),
];

fn node() -> impl Strategy<Value = Node> {
    let leaf = prop_oneof![
        4 => prop::sample::select(SIMPLE).prop_map(Node::Statement),
        1 => prop::sample::select(OTHERS).prop_map(Node::Statement),
    ];
    leaf.prop_recursive(3, 40, 6, |inner| {
        let body = || prop::collection::vec(inner.clone(), 0..6);
        prop_oneof![
            3 => (prop::sample::select(BLOCKS), body()).prop_map(|((head, end), body)| Node::Block(head, body, end)),
            1 => (body(), body(), body()).prop_map(|(a, b, c)| Node::Either(a, b, c)),
        ]
    })
}

fn write_all(nodes: &[Node], count: &mut usize, source: &mut String) {
    for node in nodes {
        *count += 1;
        let number = count.to_string();
        match node {
            Node::Statement(text) => source.push_str(&text.replace('#', &number)),
            Node::Block(head, body, end) => {
                source.push_str(&head.replace('#', &number));
                source.push('\n');
                write_all(body, count, source);
                source.push_str(end);
            }
            Node::Either(first, second, third) => {
                source.push_str("if i % 2 == 0 {\n");
                write_all(first, count, source);
                source.push_str("} or a[0] > 3 {\n");
                write_all(second, count, source);
                source.push_str("} otherwise {\n");
                write_all(third, count, source);
                source.push('}');
            }
        }
        source.push('\n');
    }
}

/// What the debugger does at a stop.
#[derive(Clone, Debug)]
enum Action {
    /// Stops again after so many places.
    Goal(u64),
    Steps(u32),
    Breakpoint(usize, bool),
    /// A breakpoint that is hit each so many times, if it is any.
    Condition(u32, Option<u32>),
    /// Watches a local of `main`.
    Variable(u32),
    /// Watches the first part of what a local of `main` holds.
    Part(u32),
    Unwatch,
    Interrupt,
}

fn action() -> impl Strategy<Value = Action> {
    prop_oneof![
        6 => (1u64..200).prop_map(Action::Goal),
        // Far enough for the places of many rounds to be counted at once.
        2 => (1u64 << 12..1 << 13).prop_map(Action::Goal),
        2 => (1u32..6).prop_map(Action::Steps),
        3 => (0usize..60, any::<bool>()).prop_map(|(stmt, on)| Action::Breakpoint(stmt, on)),
        3 => (20u32..70, prop::option::of(1u32..9)).prop_map(|(stmt, each)| Action::Condition(stmt, each)),
        1 => (0u32..3).prop_map(Action::Variable),
        2 => (3u32..7).prop_map(Action::Part),
        1 => Just(Action::Unwatch),
        1 => Just(Action::Interrupt),
    ]
}

struct Script {
    actions: VecDeque<Action>,
    told: Rc<RefCell<String>>,
    flags: std::sync::Arc<StatementFlags>,
    goal: u64,
    steps: u32,
    breakpoints: Vec<usize>,
    conditions: Vec<u32>,
    is_interrupted: bool,
    main: Option<Fp>,
}

impl Script {
    fn interrupt(&mut self, on: bool) {
        if on != std::mem::replace(&mut self.is_interrupted, on) {
            self.flags.set_interrupt(on);
        }
    }

    fn tell_objects(&self, vm: &Vm) {
        tell_objects(&mut self.told.borrow_mut(), self.main, vm);
    }

    /// Sets the condition of a statement: it tells what it sees, and is true each so many times; or removes it.
    fn set_condition(&mut self, vm: &mut Vm, main: Fp, stmt: u32, each: Option<u32>) {
        self.conditions.retain(|other| *other != stmt);
        self.conditions.extend(each.is_some().then_some(stmt));
        self.flags.set_own(stmt as usize, CONDITION, each.is_some());
        let (told, tested) = (self.told.clone(), Cell::new(0));
        let test = move |vm: &mut Vm, _: Fp, each: u32| {
            tested.set(tested.get() + 1);
            let mut told = told.borrow_mut();
            let _ = write!(told, "{stmt}? i = {:?}", vm.frames.get(main, Slot::new(0)));
            tell_objects(&mut told, Some(main), vm);
            Ok(tested.get() % each == 0)
        };
        let condition = each.map(|each| Rc::new(move |vm: &mut Vm, fp: Fp| test(vm, fp, each)) as Rc<_>);
        vm.set_condition(StmtId(stmt), condition);
    }

    /// Whether the condition of a statement, if it has one, is true.
    fn condition_holds(&self, vm: &mut Vm, fp: Fp, stmt: StmtId) -> bool {
        let known = vm.condition_result.take().is_some();
        known || self.conditions.contains(&stmt.0) && vm.condition_holds(stmt, fp)
    }

    /// Does what comes next, up to the next request to stop.
    fn act(&mut self, vm: &mut Vm, fp: Fp, stmt: StmtId) {
        let main = *self.main.get_or_insert(fp);
        while let Some(action) = self.actions.pop_front() {
            match action {
                Action::Goal(places) => {
                    self.goal = vm.steps.now() + places;
                    vm.steps.set_goal(self.goal);
                    return;
                }
                Action::Steps(count) => {
                    self.steps = count;
                    vm.steps.set_all(STEP, true);
                    return;
                }
                Action::Breakpoint(stmt, on) => {
                    self.flags.set_own(stmt, BREAKPOINT, on);
                    self.breakpoints.retain(|other| *other != stmt);
                    self.breakpoints.extend(on.then_some(stmt));
                }
                Action::Condition(stmt, each) => self.set_condition(vm, main, stmt, each),
                Action::Variable(local) if fp == main => {
                    let variable =
                        WatchedVariable::Local { fp, func: vm.program.main, local: LocalId(local) };
                    watch_variable(vm, 1, variable, stmt);
                    vm.watch_return(true);
                }
                Action::Part(local) => {
                    let key = if local == 5 { PartKey::Entry(Value::str("a")) } else { PartKey::Element(0) };
                    let key = if local == 6 { PartKey::Field(0) } else { key };
                    if let Some(object) = vm.frames.get_ref(main, Slot::new(local)) {
                        watch_part(vm, 2, &object, key);
                    }
                }
                Action::Variable(_) => {}
                Action::Unwatch => (1..=2).for_each(|watch| unwatch(vm, watch)),
                Action::Interrupt => self.interrupt(true),
            }
        }
    }
}

/// The objects that the locals of `main` have, and the elements of its array of structs.
fn tell_objects(told: &mut String, main: Option<Fp>, vm: &Vm) {
    let Some(main) = main else { return told.push('\n') };
    let locals = vm.program.function(vm.program.main).map_or(&[][..], |main| &main.locals);
    let objects = locals.iter().zip(0..).filter(|(local, _)| local.ty.repr() == Repr::Ref);
    let mut tell = |object: &Ref| {
        let _ = write!(told, " {}", object_number(object).unwrap_or_default());
    };
    for object in objects.filter_map(|(_, local)| vm.frames.get_ref(main, Slot::new(local))) {
        tell(&object);
        if let Heap::Array(array) = &*object {
            let array = array.borrow();
            array.data.values().unwrap_or_default().iter().filter_map(Value::as_ref).for_each(&mut tell);
        }
    }
    let _ = writeln!(told, " of {}", last_number());
}

impl Debugger for Script {
    fn statement(&mut self, vm: &mut Vm, fp: Fp, stmt: StmtId, back_edge: bool) -> Result<(), Stop> {
        let holds = self.condition_holds(vm, fp, stmt);
        self.interrupt(false);
        let now = vm.steps.now();
        let hits = vm.watches.take_hits();
        let is_stop = holds
            || self.steps > 0
            || now == self.goal
            || !hits.is_empty()
            || (self.breakpoints.contains(&(stmt.0 as usize)) && !back_edge)
            || self.main.is_none();
        if !is_stop {
            return Ok(());
        }
        let mut told = self.told.borrow_mut();
        let _ = write!(told, "{now} {}{} {}", stmt.0, if back_edge { "b" } else { "" }, vm.depth());
        for hit in hits {
            let [old, new] = [&hit.old, &hit.new].map(|v| v.as_ref().map_or("-".into(), inspect));
            let _ = write!(told, ", {}: {old} -> {new} at {} {:?}", hit.watch, hit.step, hit.at);
        }
        drop(told);
        self.tell_objects(vm);
        self.steps = self.steps.saturating_sub(1);
        if self.steps == 0 {
            vm.steps.set_all(STEP, false);
            self.act(vm, fp, stmt);
        }
        Ok(())
    }

    fn returned(&mut self, vm: &mut Vm, fp: Fp, _: u32) -> Result<(), Stop> {
        frames_ended(vm, fp);
        Ok(())
    }

    fn raised(&mut self, vm: &mut Vm, _: Fp, error: &RunError) -> Result<(), Stop> {
        let now = vm.steps.now();
        let _ = write!(self.told.borrow_mut(), "{now}: {} at {:?}", error.message, error.span);
        self.tell_objects(vm);
        Ok(())
    }

    fn on_interrupt(&mut self, _: &mut Vm) -> Result<(), Stop> {
        Ok(())
    }
}

/// What a debugger sees of a run that follows this script.
fn seen(
    source: &str,
    compile: fn(&ez_runtime::program::Program) -> CompiledProgram,
    actions: &[Action],
) -> String {
    let checked = check_source(source, "random.ez");
    let program = checked.program.unwrap_or_else(|| panic!("{source}\n{:?}", checked.diagnostics));
    let compiled = compile(&program);
    let told = Rc::new(RefCell::new(String::new()));
    let mut vm = Vm::new(program, Box::new(Bench::default()), STACK_SIZE).expect("a machine");
    vm.debugger = Some(Box::new(Script {
        actions: actions.iter().cloned().collect(),
        told: told.clone(),
        flags: compiled.flags.clone(),
        goal: 0,
        steps: 0,
        breakpoints: Vec::new(),
        conditions: Vec::new(),
        is_interrupted: false,
        main: None,
    }));
    vm.error_watch.raised = true;
    vm.steps.set_all(STEP, true);
    let outcome = run(&mut vm, &compiled);
    let outcome = match &outcome {
        Outcome::Failed(error) => format!("{} at {:?}", error.message, error.span),
        other => format!("{other:?}"),
    };
    let end = vm.steps.now();
    vm.debugger = None;
    let told = told.borrow();
    format!("{told}{end}: {outcome}")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    // invariant 5
    #[test]
    fn segments_are_not_seen(
        body in prop::collection::vec(node(), 1..9),
        actions in prop::collection::vec(action(), 0..30),
    ) {
        let mut source = DECLARATIONS.to_string();
        write_all(&body, &mut 0, &mut source);
        source.push_str("}\n");
        let together = seen(&source, compile_attached, &actions);
        let apart = seen(&source, compile_split, &actions);
        prop_assert_eq!(together, apart, "{}", source);
    }
}

/// Loops whose rounds are counted at once, each in its way.
const ROUNDS: &[&str] = &[
    "for k in range(0, 90) {\ntemp e P = ps[0]\nps[0] = ps[1]\nps[1] = e\n}",
    "for k in range(0, 90) {\ni += k\n}",
    "as_long_as i < 90 {\ni += 1\nj = i % 7\na[0] = j\n}",
    "for k in range(0, 90) {\ni += 1\nif i % 3 == 0 {\nj += 1\na[1] = j\n} or i % 3 == 1 {\nj -= 1\n}\nx = 1.5\n}",
    "for k in range(0, 90) {\ni = add(i)\nj = 1\ni = pick(k) + 1\nj = root(k)\n}",
    "for_each k in {1, 2, 3, 4, 5, 6, 7} {\nif k == 5 { continue }\ni += k\nj -= k\n}",
    "loop {\ni++\nif i > 90 { break }\nj = i\nx = float(j)\n}",
    "as_long_as true {\nj = i\na[i] = j\ni += 1\n}",
];

#[test]
fn conditions_see_what_is_between_statements() {
    for rounds in ROUNDS {
        let source = format!("{DECLARATIONS}{rounds}\n}}\n");
        for stmt in 0..50 {
            let actions = [Action::Condition(stmt, Some(4)), Action::Condition(stmt + 1, Some(70))];
            let [together, apart] =
                [compile_attached, compile_split].map(|compile| seen(&source, compile, &actions));
            assert_eq!(together, apart, "{rounds}: {stmt}");
        }
    }
}

#[test]
fn an_exchange_that_fails_leaves_what_the_one_before_it_shows() {
    let rounds = "for k in range(0, 3) {\ni = add(i)\ntemp e P = ps[i]\nps[i] = ps[j]\nps[j] = e\n}";
    let source = format!("{DECLARATIONS}j = 2\n{rounds}\n}}\n");
    let actions = [Action::Goal(1)];
    assert_eq!(seen(&source, compile_attached, &actions), seen(&source, compile_split, &actions));
}
