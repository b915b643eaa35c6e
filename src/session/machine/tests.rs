//! Sessions with a scripted engine: what goes in, and what comes out of the machine.

use super::super::command::DecodeError;
use super::*;
use crate::debug::{BreakpointState, Ended, Event, Location, StopReason, Stopped, Variable};

fn machine() -> Machine {
    let directory = std::env::temp_dir();
    let commands = Commands::unguarded();
    Machine::new(Settings { file: None, directory, linger: Duration::from_secs(1), commands })
}

fn tagged(command: Command, tag: &str) -> Incoming {
    Incoming { command: Ok(command), tag: Some(RequestId(tag.into())) }
}

fn send(machine: &mut Machine, command: Command, read: u64) {
    machine.receive(Incoming { command: Ok(command), tag: None }, read);
}

fn initialize() -> Command {
    Command::Initialize { file: Some("a.ez".into()), working_dir: None, version: None, deny: Vec::new() }
}

fn breakpoint(line: u32) -> Command {
    Command::SetBreakpoint { file: "a.ez".into(), line, condition: None }
}

fn stop(reason: StopReason) -> Event {
    let location = Location { path: "/a.ez".into(), line: 1, column: 1 };
    Event::Stopped(Stopped { reason, location, text: None, changed: Vec::new() })
}

fn end(status: i32) -> Event {
    Event::Ended(Ended { status, error: None, terminated: false })
}

/// What is to be done, in short.
fn told(machine: &mut Machine) -> Vec<String> {
    let text = |action| match action {
        Action::Emit(tag, event) => {
            let event = match event {
                SessionEvent::Error(failure) => format!("error {}", failure.message),
                SessionEvent::Stopped(stopped) => format!("stopped {:?}", stopped.reason),
                SessionEvent::Exited { status } => format!("exited {status}"),
                SessionEvent::BreakpointSet { line, id, .. } => format!("set {line} {id}"),
                SessionEvent::BreakpointCleared { line, .. } => format!("cleared {line}"),
                SessionEvent::Initialized { .. } => "initialized".into(),
                SessionEvent::Variables { .. } => "variables".into(),
                SessionEvent::VariableUpdate(variable) => format!("update {}", variable.name),
                other => format!("{other:?}").to_lowercase(),
            };
            tag.map_or(event.clone(), |tag| format!("{event} #{}", tag.0))
        }
        Action::Ask { request, .. } => match request {
            Request::SetBreakpoint(spec) => format!("ask set {}", spec.line),
            Request::Start { stop_at_entry } => format!("begin {stop_at_entry}"),
            other => format!("ask {other:?}"),
        },
        Action::Load(_) => "load".into(),
        Action::Finish { status, patient } => format!("finish {status} {patient}"),
        Action::Wake(_) => "wake".into(),
        Action::Input { text: None, eof: true } => "input ends".into(),
        other => format!("{other:?}"),
    };
    machine.take_actions().into_iter().map(text).collect()
}

fn started() -> Machine {
    let mut machine = machine();
    send(&mut machine, initialize(), 1);
    machine.loaded(Vec::new());
    send(&mut machine, Command::Start, 2);
    machine.take_actions();
    machine
}

fn stopped() -> Machine {
    let mut machine = started();
    machine.engine(stop(StopReason::Entry));
    machine.take_actions();
    machine
}

#[test]
fn a_whole_session() {
    let mut m = machine();
    m.receive(tagged(initialize(), "1"), 1);
    assert_eq!(told(&mut m), ["load"]);
    m.loaded(Vec::new());
    m.receive(tagged(Command::Start, "2"), 2);
    assert_eq!(told(&mut m), ["initialized #1", "started #2", "begin true"]);
    m.engine(stop(StopReason::Entry));
    m.receive(tagged(Command::StepOver, "3"), 3);
    assert_eq!(told(&mut m), ["stopped Entry #2", "ask Resume(Over)"]);
    let variable = Variable { name: "x".into(), value: "1".into(), type_name: "int".into() };
    let Event::Stopped(stopped) = stop(StopReason::Step) else { return };
    m.engine(Event::Stopped(Stopped { changed: vec![variable], ..stopped }));
    assert_eq!(told(&mut m), ["stopped Step #3", "update x"]);
    m.receive(tagged(Command::GetVariables { frame: 0 }, "4"), 4);
    m.engine(Event::Variables(Ok(Vec::new())));
    assert_eq!(told(&mut m), ["ask Variables { frame: 0 }", "variables #4"]);
    m.receive(tagged(Command::Continue, "5"), 5);
    m.engine(end(3));
    assert_eq!(told(&mut m), ["ask Resume(Continue)", "exited 3 #5", "wake"]);
    send(&mut m, Command::Continue, 6);
    m.expire();
    assert_eq!(told(&mut m), ["error Cannot continue: program has ended", "finish 0 true"]);
}

#[test]
fn commands_at_the_wrong_time() {
    let mut m = machine();
    for command in
        [Command::Start, Command::StepInto, Command::Continue, Command::GetStackTrace, Command::Pause]
    {
        send(&mut m, command, 1);
    }
    let expected = [
        "error Cannot start: not initialized",
        "error Cannot step: not initialized",
        "error Cannot continue: not initialized",
        "error Cannot get the stack trace: not initialized",
        "error Cannot pause: not initialized",
    ];
    assert_eq!(told(&mut m), expected);
    send(&mut m, initialize(), 2);
    m.loaded(Vec::new());
    m.take_actions();
    send(&mut m, initialize(), 2);
    send(&mut m, Command::GetVariables { frame: 0 }, 2);
    send(&mut m, Command::Evaluate { expression: "1".into(), frame: 0 }, 2);
    let expected = [
        "error Cannot initialize: already initialized",
        "error Cannot get variables: program not started",
        "error Cannot evaluate: program not started",
    ];
    assert_eq!(told(&mut m), expected);
}

#[test]
fn commands_wait_for_the_stop() {
    let mut m = started();
    for _ in 0..2 {
        send(&mut m, Command::StepInto, 3);
    }
    send(&mut m, Command::GetStackTrace, 3);
    assert!(told(&mut m).is_empty());
    m.engine(stop(StopReason::Entry));
    assert_eq!(told(&mut m), ["stopped Entry", "ask Resume(Into)"]);
    m.engine(stop(StopReason::Step));
    m.engine(end(0));
    let expected = [
        "stopped Step",
        "ask Resume(Into)",
        "exited 0",
        "wake",
        "error Cannot get the stack trace: program has ended",
    ];
    assert_eq!(told(&mut m), expected);
}

#[test]
fn breakpoints_are_served_at_once_or_keep_their_place() {
    let mut m = started();
    send(&mut m, breakpoint(1), 3);
    assert_eq!(told(&mut m), ["ask set 1"], "later than the run command");
    m.engine(Event::BreakpointSet(Err("bad".into())));
    assert_eq!(told(&mut m), ["error bad"]);
    send(&mut m, Command::StepInto, 4);
    send(&mut m, breakpoint(2), 5);
    assert!(told(&mut m).is_empty(), "a waiting command stands before it");
    m.engine(stop(StopReason::Entry));
    assert_eq!(told(&mut m), ["stopped Entry", "ask Resume(Into)", "ask set 2"]);
    m.engine(stop(StopReason::Step));
    m.take_actions();
    let mut m = stopped();
    send(&mut m, Command::Continue, 9);
    send(&mut m, breakpoint(2), 9);
    assert_eq!(told(&mut m), ["ask Resume(Continue)"], "it came with the run command");
    m.engine(end(0));
    assert_eq!(told(&mut m), ["exited 0", "wake", "set 2 1"]);
}

#[test]
fn breakpoints_before_the_start() {
    let mut m = machine();
    send(&mut m, breakpoint(4), 1);
    send(&mut m, breakpoint(4), 1);
    send(&mut m, Command::ClearBreakpoint { file: "./a.ez".into(), line: 9 }, 1);
    send(&mut m, initialize(), 1);
    send(&mut m, breakpoint(5), 1);
    assert_eq!(told(&mut m), ["set 4 1", "set 4 1", "cleared 9", "load"]);
    m.loaded(Vec::new());
    send(&mut m, Command::Start, 1);
    assert_eq!(told(&mut m), ["initialized", "ask set 4"]);
    let set = |id, line| BreakpointState { id, verified: true, line, message: None };
    m.engine(Event::BreakpointSet(Ok(set(1, 4))));
    assert_eq!(told(&mut m), ["ask set 5"]);
    m.engine(Event::BreakpointSet(Ok(set(2, 5))));
    assert_eq!(told(&mut m), ["set 5 2", "started", "begin false"]);
}

#[test]
fn a_wrong_condition_before_the_start_is_told_at_once() {
    let mut m = machine();
    send(&mut m, breakpoint(4), 1);
    send(&mut m, initialize(), 1);
    m.loaded(Vec::new());
    m.engine(Event::BreakpointSet(Err("no bool".into())));
    send(&mut m, breakpoint(5), 2);
    m.engine(Event::BreakpointSet(Err("no number".into())));
    let expected =
        ["set 4 1", "load", "initialized", "ask set 4", "error no bool", "ask set 5", "error no number"];
    assert_eq!(told(&mut m), expected);
    send(&mut m, Command::Start, 3);
    assert_eq!(told(&mut m), ["started", "begin true"]);
}

#[test]
fn answers_keep_the_order_of_the_commands() {
    let mut m = stopped();
    send(&mut m, breakpoint(1), 3);
    send(&mut m, Command::ClearBreakpoint { file: "a.ez".into(), line: 1 }, 3);
    send(&mut m, Command::StepInto, 3);
    assert_eq!(told(&mut m), ["ask set 1"]);
    m.engine(Event::BreakpointSet(Ok(BreakpointState { id: 1, verified: true, line: 1, message: None })));
    assert_eq!(told(&mut m), ["set 1 1", "ask ClearBreakpoint(1)", "cleared 1", "ask Resume(Into)"]);
}

#[test]
fn pause_and_terminate_never_wait() {
    let mut m = started();
    send(&mut m, Command::StepInto, 3);
    m.receive(tagged(Command::Pause, "p"), 3);
    assert_eq!(told(&mut m), ["ask Pause"]);
    m.engine(stop(StopReason::Pause));
    assert_eq!(told(&mut m), ["stopped Pause #p", "ask Resume(Into)"]);
    send(&mut m, Command::StepInto, 3);
    m.receive(tagged(Command::Terminate, "t"), 3);
    assert_eq!(told(&mut m), ["ask Terminate", "wake"]);
    m.engine(Event::Ended(Ended { status: 0, error: None, terminated: true }));
    let expected = ["error Cannot step: program has ended", "terminated #t", "finish 0 false"];
    assert_eq!(told(&mut m), expected);
    send(&mut m, Command::Terminate, 4);
    assert_eq!(told(&mut m), ["Hurry"]);
}

#[test]
fn what_needs_no_program_is_carried_out_though_that_is_told_to_end() {
    let mut m = started();
    for command in [Command::StepInto, breakpoint(3), initialize(), breakpoint(3), Command::Terminate] {
        send(&mut m, command, 3);
    }
    assert_eq!(told(&mut m), ["ask Terminate", "wake"]);
    m.engine(Event::Ended(Ended { status: 0, error: None, terminated: true }));
    let expected = [
        "error Cannot step: program has ended",
        "set 3 1",
        "error Cannot initialize: already initialized",
        "set 3 1",
        "terminated",
        "finish 0 false",
    ];
    assert_eq!(told(&mut m), expected);
}

#[test]
fn an_engine_that_does_not_end_is_left() {
    let mut m = started();
    send(&mut m, Command::Terminate, 3);
    m.take_actions();
    m.expire();
    assert_eq!(told(&mut m), ["terminated", "finish 0 false"]);
    let mut m = machine();
    send(&mut m, initialize(), 1);
    send(&mut m, Command::Terminate, 1);
    assert_eq!(told(&mut m), ["load", "wake"]);
    m.loaded(Vec::new());
    assert_eq!(told(&mut m), ["initialized", "terminated", "finish 0 false"]);
    let mut m = machine();
    m.receive(tagged(initialize(), "i"), 1);
    send(&mut m, Command::Terminate, 1);
    m.take_actions();
    m.expire();
    let refused = "error Cannot initialize: program has ended #i";
    assert_eq!(told(&mut m), [refused, "terminated", "finish 0 false"]);
}

#[test]
fn the_end_of_commands() {
    let mut m = machine();
    m.commands_end();
    assert_eq!(told(&mut m), ["input ends", "finish 0 true"]);

    let mut m = started();
    send(&mut m, Command::StepInto, 2);
    m.commands_end();
    m.engine(stop(StopReason::Entry));
    m.engine(stop(StopReason::Step));
    assert_eq!(
        told(&mut m),
        ["input ends", "stopped Entry", "ask Resume(Into)", "stopped Step", "ask Terminate", "wake"]
    );
    m.engine(Event::Ended(Ended { status: 0, error: None, terminated: true }));
    assert_eq!(told(&mut m), ["terminated", "finish 0 true"]);

    let mut m = started();
    m.commands_end();
    m.engine(end(7));
    assert_eq!(told(&mut m), ["input ends", "exited 7", "wake", "finish 0 true"]);
}

#[test]
fn failures_to_load_and_closed_outputs() {
    let mut m = machine();
    m.receive(tagged(initialize(), "1"), 1);
    m.not_loaded(vec![Failure { message: "bad".into(), ..Failure::default() }]);
    assert_eq!(told(&mut m), ["load", "error bad #1", "terminated", "finish 1 true"]);
    let mut m = started();
    m.output_closed();
    m.output_closed();
    assert_eq!(told(&mut m), ["ask Terminate", "finish 0 false"]);
    let mut m = started();
    m.engine_gone();
    assert_eq!(told(&mut m), ["error the interpreter has failed", "exited 1", "wake"]);
}

#[test]
fn evaluation_holds_up_the_next_command_but_not_pause() {
    let mut m = stopped();
    m.receive(tagged(Command::Evaluate { expression: "f()".into(), frame: 0 }, "1"), 3);
    send(&mut m, Command::StepInto, 3);
    send(&mut m, Command::Pause, 3);
    m.engine(Event::Evaluated(Err("interrupted".into())));
    let asked = "ask Evaluate { expression: \"f()\", frame: 0 }";
    assert_eq!(told(&mut m), [asked, "ask Pause", "error interrupted #1", "ask Resume(Into)"]);

    let mut m = stopped();
    m.receive(tagged(Command::Evaluate { expression: "f()".into(), frame: 0 }, "1"), 3);
    send(&mut m, Command::Terminate, 3);
    m.engine(Event::Ended(Ended { status: 0, error: None, terminated: true }));
    let expected = [
        asked,
        "ask Terminate",
        "wake",
        "error Cannot evaluate: program has ended #1",
        "terminated",
        "finish 0 false",
    ];
    assert_eq!(told(&mut m), expected);
}

#[test]
fn what_is_not_understood_is_told() {
    let mut m = machine();
    let refusal = DecodeError { message: "unknown command: x".into(), command: Some("x".into()) };
    m.receive(Incoming { command: Err(refusal), tag: None }, 1);
    assert_eq!(told(&mut m), ["error unknown command: x"]);
    send(&mut m, Command::Initialize { file: None, working_dir: None, version: None, deny: Vec::new() }, 1);
    assert_eq!(told(&mut m), ["error missing parameter 'file'"]);
    let wrong = Command::Initialize {
        file: None,
        working_dir: Some("/no/such".into()),
        version: None,
        deny: Vec::new(),
    };
    send(&mut m, wrong, 1);
    assert_eq!(told(&mut m), ["error wrong parameter 'workingDir': no such directory: /no/such"]);
}

/// What a client may send in a random session.
fn any_command() -> impl proptest::strategy::Strategy<Value = Command> {
    proptest::sample::select(vec![
        initialize(),
        Command::Start,
        Command::StepInto,
        Command::StepOut,
        Command::Continue,
        breakpoint(1),
        breakpoint(2),
        Command::ClearBreakpoint { file: "a.ez".into(), line: 1 },
        Command::GetVariables { frame: 0 },
        Command::GetStackTrace,
        Command::Evaluate { expression: "1".into(), frame: 0 },
        Command::Input { text: None, eof: false },
        Command::Pause,
        Command::Terminate,
    ])
}

/// An engine that does what it is asked, and how many answers the client got for each tag.
#[derive(Default)]
struct Play {
    running: bool,
    pending: VecDeque<Event>,
    answers: std::collections::HashMap<String, usize>,
    terminated: bool,
    over: bool,
}

impl Play {
    fn act(&mut self, machine: &mut Machine) {
        for action in machine.take_actions() {
            match action {
                Action::Emit(tag, event) => {
                    assert!(!self.over, "{event:?} after the end");
                    self.terminated |= event == SessionEvent::Terminated;
                    self.over |= self.terminated;
                    let answers = event != SessionEvent::Started;
                    if let Some(tag) = tag.filter(|_| answers) {
                        *self.answers.entry(tag.0.into()).or_default() += 1;
                    }
                }
                Action::Ask { request, .. } => match request {
                    Request::Start { .. } => self.running = true,
                    Request::Resume(_) => {
                        assert!(!self.running, "resumed while it runs");
                        self.running = true;
                    }
                    Request::SetBreakpoint(spec) => {
                        let state =
                            BreakpointState { id: spec.id, verified: true, line: spec.line, message: None };
                        self.pending.push_back(Event::BreakpointSet(Ok(state)));
                    }
                    Request::Variables { .. } => self.pending.push_back(Event::Variables(Ok(Vec::new()))),
                    Request::StackTrace => {
                        self.pending.push_back(Event::StackTrace { frames: Vec::new(), total: 0 });
                    }
                    Request::Evaluate { .. } => self.pending.push_back(Event::Evaluated(Err("no".into()))),
                    Request::Terminate => {
                        self.running = false;
                        self.pending.clear();
                        let ended = Ended { status: 0, error: None, terminated: true };
                        self.pending.push_back(Event::Ended(ended));
                    }
                    Request::Pause | Request::ClearBreakpoint(_) => {}
                },
                Action::Load(_) | Action::Wake(_) | Action::Input { .. } | Action::Hurry => {}
                Action::Finish { .. } => self.over = true,
            }
        }
    }

    /// Lets the engine do one thing, or the program stop or end if it runs.
    fn turn(&mut self, machine: &mut Machine, choice: u8) {
        match (self.pending.pop_front(), choice % 4) {
            (Some(event), _) => machine.engine(event),
            (None, 0) => machine.loaded(Vec::new()),
            (None, 1 | 2) if self.running => {
                self.running = false;
                machine.engine(stop(StopReason::Step));
            }
            (None, 3) if self.running && choice > 200 => {
                self.running = false;
                machine.engine(end(0));
            }
            (None, _) => {}
        }
        self.act(machine);
    }
}

proptest::proptest! {
    #[test]
    fn commands_are_answered_once(
        session in proptest::collection::vec((any_command(), proptest::bool::ANY, proptest::collection::vec(0..=255u8, 0..4)), 0..30)
    ) {
        let mut machine = machine();
        let mut play = Play::default();
        let mut wanted = Vec::new();
        let mut read = 0;
        for (number, (command, together, turns)) in session.into_iter().enumerate() {
            read += u64::from(!together);
            if play.over {
                break;
            }
            // A pause has no answer of its own, and input has none at all.
            if !matches!(command, Command::Pause | Command::Input { .. }) {
                wanted.push(number.to_string());
            }
            machine.receive(tagged(command, &number.to_string()), read);
            play.act(&mut machine);
            turns.into_iter().for_each(|choice| play.turn(&mut machine, choice));
        }
        machine.loaded(Vec::new());
        machine.commands_end();
        for _ in 0..200 {
            play.act(&mut machine);
            play.turn(&mut machine, 1);
        }
        proptest::prop_assert!(play.over, "the session does not end");
        for tag in wanted {
            let answers = play.answers.get(&tag).copied().unwrap_or(0);
            // What runs when the program is told to end is not answered any more.
            let least = usize::from(!play.terminated);
            proptest::prop_assert!((least..=1).contains(&answers), "{answers} answers to {tag}");
        }
    }
}
