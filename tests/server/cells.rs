//! Sessions of cells: what notebooks and the prompt are made of.

use std::collections::VecDeque;
use std::fmt::Write;
use std::time::Duration;

use ez_engine::api::{
    BreakpointOptions, Cell, CellOutcome, CellSettings, Container, DataSpec, DataTarget, Evaluate, Event,
    Failure, GetCompletions, GetRich, GetStackTrace, GetState, GetStepTargets, GetThreads, GetVariables,
    Input, InspectAnswer, Kill, Launch, Limits, LineLocation, LineSpec, OutputSource, Purpose, Question,
    Request, RequestId, Response, Restart, Resume, RunCell, SetBreakpoint, SetDataBreakpoints, SetDebugging,
    SetVariable, Variable,
};
use ez_engine::session::{
    Incoming, Item, Outgoing, Session, Settings, TERMINATE_GRACE, new_thread, run_engine,
};
use ez_runtime::host::Commands;
use ez_runtime::value::Stream;

/// A client of a session of cells.
struct Notebook {
    session: Session,
    last: u64,
    items: VecDeque<Item>,
    cells: usize,
    /// What was printed and reported since it was last taken.
    told: String,
}

/// What a cell has come to.
#[derive(Debug)]
enum Halted {
    Ended(CellOutcome),
    Stopped(Vec<String>),
    /// File and line of the call that reads.
    WantsInput(Option<(String, u32)>),
}

impl Notebook {
    fn new() -> Notebook {
        let session = Session::new(Duration::ZERO, Commands::unguarded());
        let settings = Settings { file: None, directory: std::env::temp_dir(), root: None };
        session.start_engine(Box::new(move |link| run_engine(settings, link)), &new_thread);
        let waiting = session.clone();
        std::thread::spawn(move || waiting.wait(Duration::from_secs(1), TERMINATE_GRACE));
        let mut notebook =
            Notebook { session, last: 0, items: VecDeque::new(), cells: 0, told: String::new() };
        let cells = Some(CellSettings::default());
        let launch = Launch { cells, limits: Limits::PREVIEW, keep_alive: true, ..Launch::default() };
        notebook.ask(launch.into_request()).expect("begins");
        notebook
    }

    fn send(&mut self, request: Request) -> RequestId {
        self.last += 1;
        let id = RequestId(self.last);
        self.session.receive(vec![Incoming { id, request: Ok(request) }], false, || ());
        id
    }

    fn next(&mut self) -> Item {
        while self.items.is_empty() {
            assert!(self.session.outbox().wait(), "the session is over");
            self.session.outbox().take(&mut self.items);
            self.session.outbox().done();
        }
        self.items.pop_front().expect("an item")
    }

    fn ask(&mut self, request: Request) -> Result<Response, Failure> {
        let id = self.send(request);
        let mut others = VecDeque::new();
        loop {
            match self.next() {
                Item::Response(of, result) if of == id => {
                    others.append(&mut self.items);
                    self.items = others;
                    return result;
                }
                other => others.push_back(other),
            }
        }
    }

    fn cell(&mut self, text: &str) -> Cell {
        self.cells += 1;
        Cell {
            text: text.into(),
            name: format!("Cell [{}]", self.cells),
            path: format!("/cells/{}.ez", self.cells),
            shows_value: true,
            stops_on_entry: false,
            refuses_input: false,
        }
    }

    /// Runs a cell until it ends or halts.
    fn run(&mut self, text: &str) -> Halted {
        let cell = self.cell(text);
        match self.ask(RunCell(cell).into_request()) {
            Ok(Response::CellStarted(started)) => self.told.push_str(&started.report),
            Ok(other) => panic!("{other:?}"),
            Err(failure) => {
                self.told.push_str(&failure.report.expect("a report"));
                return Halted::Ended(CellOutcome::Exited(-1));
            }
        }
        self.until_halt()
    }

    fn until_halt(&mut self) -> Halted {
        loop {
            match self.next() {
                Item::Output { source: OutputSource { stream: Stream::Stdout, .. }, text } => {
                    self.told.push_str(&text)
                }
                Item::Output { source: OutputSource { stream: Stream::Stderr, .. }, .. } => {}
                Item::Event(Event::CellEnded(ended)) => return Halted::Ended(ended.outcome),
                Item::Event(Event::InputRequested(at)) => {
                    return Halted::WantsInput(
                        at.map(|at| (at.location.path.display().to_string(), at.location.line)),
                    );
                }
                Item::Event(Event::Stopped(_)) => {
                    let stack = self.ask(GetStackTrace { start: 0, count: 10 }.into_request());
                    let Ok(Response::Inspect(InspectAnswer::StackTrace(stack))) = stack else {
                        panic!("{stack:?}")
                    };
                    let frames = stack.frames.iter().map(|frame| {
                        let at = &frame.location;
                        format!("{} {}:{}", frame.function, at.path.display(), at.line)
                    });
                    return Halted::Stopped(frames.collect());
                }
                Item::Event(_) | Item::Response(..) | Item::Reply(_) => {}
            }
        }
    }

    /// What a cell that runs to its end shows.
    fn shown(&mut self, text: &str) -> String {
        let outcome = match self.run(text) {
            Halted::Ended(outcome) => outcome,
            halted => panic!("{halted:?}"),
        };
        let mut told = std::mem::take(&mut self.told);
        match outcome {
            CellOutcome::Finished { value: None } | CellOutcome::Exited(-1) => {}
            CellOutcome::Finished { value: Some(value) } => {
                let _ = write!(told, "= {}", value.text);
            }
            CellOutcome::Failed { report, .. } => told.push_str(&report),
            other => {
                let _ = write!(told, "{other:?}");
            }
        }
        told
    }

    fn variables(&mut self, frame: usize) -> Vec<Variable> {
        let question = GetVariables { frame, scope: None, limits: Limits::PREVIEW };
        match self.ask(question.into_request()) {
            Ok(Response::Inspect(InspectAnswer::Variables(variables))) => variables,
            other => panic!("{other:?}"),
        }
    }

    fn names(&mut self) -> Vec<String> {
        self.variables(0).iter().map(|variable| variable.name.to_string()).collect()
    }

    fn rich(&mut self, expression: &str) -> String {
        match self.ask(GetRich { expression: expression.into(), frame: 0 }.into_request()) {
            Ok(Response::Inspect(InspectAnswer::Rich(value))) => value.text,
            other => panic!("{other:?}"),
        }
    }

    fn break_at(&mut self, path: &str, line: u32) {
        let spec =
            LineSpec { place: LineLocation { line, column: None }, options: BreakpointOptions::default() };
        self.ask(SetBreakpoint { file: path.into(), spec }.into_request()).expect("set");
    }

    fn debugging(&mut self) {
        self.ask(SetDebugging(true).into_request()).expect("switched");
    }

    fn resume(&mut self, how: Resume) -> Halted {
        self.ask(how.into_request()).expect("resumed");
        self.until_halt()
    }
}

/// Ends the session: the memory of all that live counts towards the limit of each.
impl Drop for Notebook {
    fn drop(&mut self) {
        self.send(Request::Terminate);
    }
}

/// Whether a cell has ended in this way.
macro_rules! assert_ended {
    ($halted:expr, $pattern:pat) => {
        let halted = $halted;
        assert!(matches!(halted, Halted::Ended($pattern)), "{halted:?}");
    };
}

#[test]
fn cells_share_what_they_declare() {
    let mut notebook = Notebook::new();
    let mut all = String::new();
    for text in [
        "import @math\ntemp x int = 20\ndo twice(n int) -> int {\n    return n * 2\n}\ntwice(x) + 2",
        "x = x + 1\nfor i in range(0, 2) {\n    println(i, x)\n}\nx",
        "const P struct {\n    a int\n}\ntemp p P = P{a: 1}\nmath.abs(-3.5)",
        "const P struct { a int } // the same\np.a = 5\np",
        "const P struct {\n    b int\n}",
        "do twice(n int) -> string {\n    return \"${n}${n}\"\n}\ntwice(7)",
        "temp a int = 1\ntemp b int = a / (a - 1)\ntemp c int = 3",
        "a",
        "b",
        "println(\"never\")\nmissing",
        "do late() -> int {\n    return soon\n}\nprintln(late())\ntemp soon int = 5",
        "temp soon int = 6\nlate()",
        "do late() -> int {\n    return soon\n}\ntemp soon int = 6\nlate()",
        "println(early)\ntemp early int = 5",
        "temp list [int] = {1, 2, 3}\ntemp same = ref(list)\nsame[0] = 9\nlist",
        "list[1] = 8\nsame",
        "temp n int = 1\ntemp r = ref(n)\nn = 5\nr",
        "n = 7\nr",
        "x++",
        "nil",
        "",
    ] {
        let shown = notebook.shown(text);
        let _ = write!(all, ">> {}\n{}\n", text.replace('\n', "\n   "), shown.trim_end());
    }
    insta::assert_snapshot!(all);
}

#[test]
fn a_later_cell_stops_in_an_earlier_one() {
    let mut notebook = Notebook::new();
    notebook.break_at("/cells/2.ez", 3);
    notebook.debugging();
    assert_eq!(notebook.shown("temp base int = 100"), "");
    assert_eq!(notebook.shown("do add(n int) -> int {\n    temp sum int = n\n    return sum + base\n}"), "");
    let halted = notebook.run("temp first int = 1\nprintln(add(first))\nadd(2)");
    let Halted::Stopped(stack) = halted else { panic!("{halted:?}") };
    assert_eq!(stack, ["add /cells/2.ez:3", "main /cells/3.ez:2"]);
    assert_eq!(notebook.names(), ["n", "sum", "first", "base"]);
    assert_eq!((notebook.rich("sum + base"), notebook.rich("first")), ("101".into(), "1".into()));
    let question = Evaluate {
        expression: "base = 1000".into(),
        frame: 0,
        purpose: Purpose::Prompt,
        limits: Limits::PREVIEW,
        timeout_ms: None,
    };
    notebook.ask(question.into_request()).expect("assigned");
    let halted = notebook.resume(Resume::StepOut);
    let Halted::Stopped(stack) = halted else { panic!("{halted:?}") };
    assert_eq!(stack, ["main /cells/3.ez:2"]);
    let Halted::Stopped(stack) = notebook.resume(Resume::Continue) else { panic!("not stopped") };
    assert_eq!((stack[0].as_str(), stack[1].as_str()), ("add /cells/2.ez:3", "main /cells/3.ez:3"));
    assert_ended!(notebook.resume(Resume::Continue), CellOutcome::Finished { value: Some(_) });
    assert_eq!(notebook.shown("base + first"), "1001\n= 1001");
}

#[test]
fn a_step_begins_in_an_empty_cell_and_ends_with_it() {
    let mut notebook = Notebook::new();
    notebook.break_at("/cells/1.ez", 1);
    notebook.debugging();
    let Halted::Stopped(stack) = notebook.run("temp x int = 1\nx = 2") else { panic!("not stopped") };
    assert_eq!(stack, ["main /cells/1.ez:1"]);
    assert_eq!(notebook.names(), Vec::<String>::new());
    let Halted::Stopped(stack) = notebook.resume(Resume::StepOver) else { panic!("not stopped") };
    assert_eq!(stack, ["main /cells/1.ez:2"]);
    assert_eq!(notebook.names(), ["x"]);
    assert_ended!(notebook.resume(Resume::StepOver), CellOutcome::Finished { value: None });
    assert_ended!(notebook.run(""), CellOutcome::Finished { value: None });
}

#[test]
fn variables_are_inspected_between_cells() {
    let mut notebook = Notebook::new();
    assert_eq!(notebook.names(), Vec::<String>::new());
    assert_eq!(notebook.shown("temp a [int] = {1, 2}\ntemp n int = 4\ndo f() -> int { return n }"), "");
    assert_eq!((notebook.names(), notebook.rich("f() + a[1]")), (vec!["a".into(), "n".into()], "6".into()));
    let question = Evaluate {
        expression: "n = f() * 10".into(),
        frame: 0,
        purpose: Purpose::Prompt,
        limits: Limits::PREVIEW,
        timeout_ms: None,
    };
    notebook.ask(question.into_request()).expect("assigned");
    assert_eq!(notebook.rich("n"), "40");
    assert_eq!(notebook.shown("n + f()"), "= 80");
    assert!(notebook.ask(Resume::Continue.into_request()).unwrap_err().message.contains("no cell runs"));
    notebook.ask(Request::Restart(Box::<Restart>::default())).expect("forgotten");
    assert_eq!(notebook.names(), Vec::<String>::new());
    assert!(notebook.shown("n").contains("E4001"));
}

/// What a cell does that has a stop of each kind: in default values, after returns, at back edges, in tail position, in
/// ensured calls, and at its end.
const ALL_KINDS: &str = "do first(n int) -> int {
    log += 1
    return n * 2
}
do twice(n int, m int = first(4) + first(5)) -> int {
    temp r int = n + m
    return r
}
do tail(n int) -> int {
    if n == 0 { return log }
    return tail(n - 1)
}
do bye(n int) {
    log += n
}
do ensured(n int) -> int {
    ensure bye(n)
    return n / (log + 1)
}
";

/// Questions and changes that each stop answers; none of them changes what the program does.
fn all_questions() -> Vec<Request> {
    let evaluate = |expression: &str, purpose: Purpose| {
        let (expression, limits) = (expression.into(), Limits::PREVIEW);
        Evaluate { expression, frame: 0, purpose, limits, timeout_ms: None }.into_request()
    };
    let (container, name) = (Container::Frame(0), String::from("log"));
    let data = |specs| SetDataBreakpoints::new(specs).into_request();
    let target = DataTarget::Named { container, name: name.clone() };
    vec![
        GetVariables { frame: 0, scope: None, limits: Limits::PREVIEW }.into_request(),
        GetStackTrace { start: 0, count: 100 }.into_request(),
        GetStepTargets { frame: 0 }.into_request(),
        GetCompletions { text: "lo".into(), column: 3, frame: 0 }.into_request(),
        GetRich { expression: "log".into(), frame: 0 }.into_request(),
        evaluate("log + 1", Purpose::Look),
        evaluate("first(1) + log", Purpose::Prompt),
        evaluate("log -= 1", Purpose::Prompt),
        SetVariable { container, name, value: "log + 0".into(), limits: Limits::PREVIEW }.into_request(),
        data(vec![DataSpec { target, options: BreakpointOptions::default() }]),
        data(Vec::new()),
        GetState.into_request(),
        GetThreads.into_request(),
    ]
}

/// Steps through a cell; `at_stop` is called at each stop with its number. Returns what the cell has shown, and the
/// places of the stops.
fn stepped(mut at_stop: impl FnMut(&mut Notebook, usize)) -> (String, Vec<String>) {
    let mut notebook = Notebook::new();
    assert_eq!(notebook.shown("temp log int = 0"), "");
    assert_eq!(notebook.shown(ALL_KINDS), "");
    notebook.break_at("/cells/3.ez", 1);
    notebook.debugging();
    let body = "temp a int = twice(1)\nfor i in range(0, 2) {\n    a += first(i)\n}\na += tail(2) + first(a)\n\
                println(ensured(3))\na + log";
    let mut halted = notebook.run(body);
    let mut places = Vec::new();
    while let Halted::Stopped(stack) = halted {
        at_stop(&mut notebook, places.len());
        places.push(stack[0].clone());
        halted = notebook.resume(Resume::StepInto);
    }
    let Halted::Ended(CellOutcome::Finished { value: Some(value) }) = halted else { panic!("{halted:?}") };
    (std::mem::take(&mut notebook.told) + &value.text, places)
}

#[test]
fn every_stop_of_a_cell_answers_everything_and_observing_changes_nothing() {
    let plain = stepped(|_, _| {});
    assert!(plain.1.len() > 20, "{plain:?}");
    let observed = stepped(|notebook, _| {
        for question in all_questions() {
            let answer = notebook.ask(question.clone());
            assert!(answer.is_ok(), "{question:?}: {answer:?}");
        }
    });
    assert_eq!(observed, plain);
    // A change at any stop has its effect there.
    let total = |shown: &str| shown.lines().last().and_then(|last| last.parse::<i64>().ok()).unwrap();
    for stop in 0..plain.1.len() {
        let (shown, places) = stepped(|notebook, at| {
            if at == stop {
                let (container, value) = (Container::Frame(0), "log + 1000000".into());
                let set = SetVariable { container, name: "log".into(), value, limits: Limits::PREVIEW };
                notebook.ask(set.into_request()).expect("set");
            }
        });
        assert_eq!(places, plain.1, "changed at {stop}");
        assert!(total(&shown) >= total(&plain.0) + 1_000_000, "changed at {stop}: {shown}");
    }
}

#[test]
fn whatever_a_cell_does_it_can_be_interrupted() {
    for debugging in [false, true] {
        let mut notebook = Notebook::new();
        if debugging {
            notebook.debugging();
        }
        assert_eq!(
            notebook.shown("import @time\ntemp n int = 0\ndo deep(i int) -> int { return deep(i + 1) }"),
            ""
        );
        for text in [
            "n = 1\nprintln(\"ready\")\nloop {\n}",
            "n = 2\nprintln(\"ready\")\nas_long_as true { n = 2 }",
            "n = 3\nprintln(\"ready\")\ntime.sleep(1000)",
            "n = 4\nprintln(\"ready\")\ntemp line string = input()",
            "n = 5\nloop { println(\"ready\") }",
        ] {
            let cell = notebook.cell(text);
            notebook.ask(RunCell(cell).into_request()).expect("runs");
            loop {
                match notebook.next() {
                    Item::Output { text, .. } if text.contains("ready") => break,
                    _ => {}
                }
            }
            notebook.ask(Kill.into_request()).expect("killed");
            let mut halted = notebook.until_halt();
            if matches!(halted, Halted::WantsInput(_)) {
                halted = notebook.until_halt();
            }
            assert_ended!(halted, CellOutcome::Interrupted);
            notebook.told.clear();
            assert_eq!(notebook.shown("n"), format!("= {}", &text[4..5]), "{text}");
        }
        assert!(notebook.shown("deep(0)").contains("E5018"));
        assert_eq!(notebook.shown("n"), "= 5");
    }
}

#[test]
fn cells_read_input() {
    let mut notebook = Notebook::new();
    let halted = notebook.run("// asks\ntemp name string = input()\nprintln(\"hello \" + name)");
    assert!(matches!(&halted, Halted::WantsInput(Some((file, 2))) if file == "/cells/1.ez"), "{halted:?}");
    notebook.ask(Input { text: Some("Ann".into()), eof: false }.into_request()).expect("taken");
    assert_ended!(notebook.until_halt(), CellOutcome::Finished { value: None });
    assert_eq!(std::mem::take(&mut notebook.told), "hello Ann\n");
    assert_eq!(notebook.shown("name"), "= \"Ann\"");
    let ask = |notebook: &mut Notebook, text: Option<&str>| {
        let halted = notebook.run("temp line string = input()\nprintln(line)");
        assert!(matches!(halted, Halted::WantsInput(_)), "{halted:?}");
        let input = Input { text: text.map(String::from), eof: text.is_none() };
        notebook.ask(input.into_request()).expect("taken");
        notebook.until_halt()
    };
    assert_ended!(ask(&mut notebook, None), CellOutcome::Finished { value: None });
    assert_ended!(ask(&mut notebook, Some("again")), CellOutcome::Finished { value: None });
}

#[test]
fn requests_are_served_while_a_plain_cell_runs() {
    let mut notebook = Notebook::new();
    let cell = notebook.cell("println(\"ready\")\nloop {\n}");
    notebook.ask(RunCell(cell).into_request()).expect("runs");
    notebook.break_at("/cells/9.ez", 1);
    let refusal = notebook.ask(Request::Pause).unwrap_err();
    assert!(refusal.message.contains("without a debugger"), "{}", refusal.message);
    // A debugger that comes now has an effect on later cells only.
    notebook.debugging();
    assert!(notebook.ask(Request::Pause).is_err());
    notebook.ask(Kill.into_request()).expect("killed");
    assert_ended!(notebook.until_halt(), CellOutcome::Interrupted);
}

/// Programs that are something else as cells: globals are used before their declaration, which is at the end of the file;
/// attributes of `main`; `using` in `main`; two variables, one in a function, become the same; arguments.
const OTHERS: [&str; 7] = [
    "names/globals_from_functions.ez",
    "names/suppress_ignored_codes.ez",
    "names/using_wins_over_core_builtin.ez",
    "names/w2007_shadows_global.ez",
    "stdlib-system/os_args.ez",
    "syntax/attr_suppress_function.ez",
    "syntax/import_using_in_function.ez",
];

/// The program of a file as a cell: the statements of `main` at the outermost level. `None` if it cannot be one.
fn as_cell(text: &str) -> Option<String> {
    let mut lines: Vec<&str> = text.lines().collect();
    let head = lines.iter().position(|line| *line == "do main() {")?;
    let end = head + lines[head..].iter().position(|line| *line == "}")?;
    let is_statement = |line: &&str| {
        let line = line.trim_start();
        line.starts_with("return") || line.starts_with("ensure")
    };
    if lines[head..end].iter().any(is_statement) || text.contains("import \"") || text.contains("main()\n") {
        return None;
    }
    (lines[head], lines[end]) = ("", "");
    Some(lines.join("\n"))
}

#[test]
fn programs_do_the_same_as_cells() {
    let mut notebook = Notebook::new();
    let (mut compared, mut others) = (0, Vec::new());
    for case in support::corpus::cases() {
        let expected = case.expected();
        let text = std::fs::read_to_string(&case.path).unwrap_or_default();
        let Some(cell) = as_cell(&text) else { continue };
        let is_plain = expected.status == 0 && !expected.diagnostics.iter().any(|d| d.starts_with("error"));
        if !is_plain
            || case.path.with_extension("in").exists()
            || OTHERS.contains(&case.name.as_str())
            || case.name.ends_with("main.ez")
        {
            continue;
        }
        notebook.ask(Request::Restart(Box::<Restart>::default())).expect("forgotten");
        notebook.told.clear();
        let mut outcome = notebook.run(&cell);
        while matches!(outcome, Halted::WantsInput(_)) {
            notebook.ask(Input { text: None, eof: true }.into_request()).expect("taken");
            outcome = notebook.until_halt();
        }
        compared += 1;
        let told = std::mem::take(&mut notebook.told);
        if !told.ends_with(&expected.stdout) {
            others.push(format!("---- {} {outcome:?}\n{told}", case.name));
        }
    }
    assert!(compared > 100, "{compared}");
    assert!(others.is_empty(), "{} of {compared}\n{}", others.len(), others.join("\n"));
}
