//! In which order requests are carried out, and how long they wait.

use super::*;
use crate::api::{CellEnded, CellOutcome, CellSettings, Restart};

#[test]
fn a_whole_session() {
    let mut play = Play::new();
    play.send([initialize()]);
    play.answer();
    assert_eq!(play.told(), ["ask 1 initialize", "1 ok Initialized"]);
    play.send([Request::Start(None)]);
    play.answer();
    play.tell(stop(StopReason::Entry));
    assert_eq!(play.told(), ["ask 2 start", "2 ok Started", "stopped Entry"]);
    play.send([STACK, CONTINUE]);
    play.answer();
    assert_eq!(play.told(), ["ask 3 get the stack trace", "3 ok StackTrace", "ask 4 continue"]);
    play.answer();
    play.tell(end(3));
    assert_eq!(play.told(), ["4 ok Resumed", "exited 3", "timer 1000"]);
    play.send([CONTINUE]);
    play.pass(1000);
    let finish = "Finish { status: 0, patient: true }";
    assert_eq!(play.told(), ["5 Cannot continue: program has ended", finish]);
}

#[test]
fn requests_at_the_wrong_time() {
    let mut play = Play::new();
    play.send([Request::Start(None), INTO, CONTINUE, STACK, Request::Pause]);
    let expected = [
        "1 Cannot start: not initialized",
        "2 Cannot step: not initialized",
        "3 Cannot continue: not initialized",
        "4 Cannot get the stack trace: not initialized",
        "5 Cannot pause: not initialized",
    ];
    assert_eq!(play.told(), expected);
    play.send([initialize()]);
    play.answer();
    play.told();
    play.send([initialize(), evaluate(), Request::Pause]);
    let expected = [
        "7 Cannot initialize: already initialized",
        "8 Cannot evaluate: program not started",
        "9 Cannot pause: program not started",
    ];
    assert_eq!(play.told(), expected);
    let mut play = Play::stopped();
    play.send([Request::Pause]);
    assert_eq!(play.told(), ["3 Cannot pause: program is stopped"]);
}

/// A replay that is to be started again with other arguments stays as it is.
#[test]
fn a_restart_that_is_refused_changes_nothing() {
    let refused = "wrong parameter 'args': with 'replay' it is in the recording";
    let mut play = Play::new();
    let launch = Launch { replay: Some("a.ezrec".into()), ..Launch::default() };
    play.send([Request::Initialize(Box::new(launch))]);
    play.answer();
    play.send([Request::Start(None)]);
    play.answer();
    play.tell(stop(StopReason::Entry));
    play.told();
    let with_args = || Request::Restart(Box::new(Restart { args: Some(vec![]), ..Restart::default() }));
    play.send([with_args(), STACK, CONTINUE]);
    play.answer();
    assert_eq!(
        play.told(),
        [
            format!("3 {refused}"),
            "ask 4 get the stack trace".into(),
            "4 ok StackTrace".into(),
            "ask 5 continue".into()
        ]
    );
    play.answer();
    play.tell(end(0));
    play.told();
    play.send([with_args()]);
    assert_eq!(play.told(), [format!("6 {refused}")]);
}

#[test]
fn requests_wait_for_the_stop() {
    let mut play = Play::running();
    play.send([INTO, INTO, STACK]);
    assert!(play.told().is_empty());
    play.tell(stop(StopReason::Entry));
    assert_eq!(play.told(), ["stopped Entry", "ask 3 step"]);
    play.answer();
    play.tell(stop(StopReason::Step));
    assert_eq!(play.told(), ["3 ok Resumed", "stopped Step", "ask 4 step"]);
    play.answer();
    play.tell(end(0));
    let expected =
        ["4 ok Resumed", "exited 0", "timer 1000", "5 Cannot get the stack trace: program has ended"];
    assert_eq!(play.told(), expected);
}

#[test]
fn breakpoints_keep_their_place_where_the_program_stops_soon() {
    let mut play = Play::stopped();
    play.send([Request::Resume(Resume::StepOut), breakpoint(1)]);
    assert_eq!(play.told(), ["ask 3 step", "timer 100"]);
    play.answer();
    play.tell(stop(StopReason::Step));
    assert_eq!(play.told(), ["3 ok Resumed", "stopped Step", "ask 4 set a breakpoint"]);
}

// invariant 9
#[test]
fn nothing_that_is_possible_waits_for_a_program_that_runs_on() {
    let mut play = Play::stopped();
    play.send([CONTINUE, STACK, breakpoint(1)]);
    play.answer();
    play.send_nonsense();
    play.send([initialize(), breakpoint(2)]);
    assert_eq!(play.told(), ["ask 3 continue", "timer 100", "3 ok Resumed"]);
    play.pass(60);
    assert_eq!(play.told(), ["timer 40"], "a timer that is early is set again");
    play.pass(40);
    assert_eq!(play.told(), ["ask 5 set a breakpoint"]);
    play.answer();
    let expected = [
        "5 ok BreakpointSet",
        "6 nonsense",
        "7 Cannot initialize: already initialized",
        "ask 8 set a breakpoint",
    ];
    assert_eq!(play.told(), expected, "in order, one at a time");
    play.answer();
    play.send([breakpoint(3)]);
    assert_eq!(play.told(), ["8 ok BreakpointSet", "ask 9 set a breakpoint"], "later ones do not wait");
    play.answer();
    play.tell(stop(StopReason::Pause));
    assert_eq!(play.told(), ["9 ok BreakpointSet", "stopped Pause", "ask 4 get the stack trace"]);
}

// invariant 9
#[test]
fn the_time_begins_anew_with_each_run() {
    let mut play = Play::stopped();
    play.send([CONTINUE, INTO, breakpoint(1)]);
    play.answer();
    play.now += Duration::from_millis(90);
    play.tell(stop(StopReason::Pause));
    play.answer();
    play.told();
    play.pass(10);
    assert_eq!(play.told(), ["timer 90"]);
    play.pass(90);
    assert_eq!(play.told(), ["ask 5 set a breakpoint"]);
}

#[test]
fn a_pause_belongs_to_the_run_under_way_or_the_one_that_requests_before_it_start() {
    let mut play = Play::running();
    play.send([STACK, Request::Pause, Request::Pause]);
    assert_eq!(play.told(), ["ask 4 pause", "ask 5 pause"]);
    play.answer_all();
    play.tell(stop(StopReason::Pause));
    let expected = ["4 ok Pausing", "5 ok Pausing", "stopped Pause", "ask 3 get the stack trace"];
    assert_eq!(play.told(), expected);

    let mut play = Play::stopped();
    play.send([breakpoint(1), CONTINUE, Request::Pause]);
    play.answer();
    assert_eq!(
        play.told(),
        ["ask 3 set a breakpoint", "timer 100", "3 ok BreakpointSet", "ask 4 continue", "ask 5 pause"]
    );

    let mut play = Play::running();
    play.send([breakpoint(1), STACK, Request::Pause]);
    play.answer();
    let expected = ["timer 100", "ask 3 set a breakpoint", "3 ok BreakpointSet", "ask 5 pause"];
    assert_eq!(play.told(), expected, "it overtakes nothing that is possible");

    let mut play = Play::running();
    play.send([CONTINUE, Request::Pause]);
    assert_eq!(play.told(), ["timer 100"]);
    play.pass(100);
    assert_eq!(play.told(), ["ask 4 pause"], "the run under way does not end by itself");
}

#[test]
fn a_pause_ends_an_evaluation_that_takes_long() {
    let mut play = Play::stopped();
    play.send([evaluate(), Request::Pause, INTO]);
    assert_eq!(play.told(), ["ask 3 evaluate", "timer 100"]);
    play.pass(100);
    assert_eq!(play.told(), ["ask 4 pause"]);
    let (pausing, failed) = (answer(&Request::Pause), answer(&evaluate()));
    play.machine.engine(Message::Response(RequestId(4), pausing), play.now);
    play.machine.engine(Message::Response(RequestId(3), failed), play.now);
    assert_eq!(play.told(), ["4 ok Pausing", "3 no value", "ask 5 step"]);

    let mut play = Play::stopped();
    play.send([evaluate(), Request::Pause]);
    play.answer();
    let expected = ["ask 3 evaluate", "timer 100", "3 no value", "4 Cannot pause: program is stopped"];
    assert_eq!(play.told(), expected, "one that is over soon is let be");
}

#[test]
fn what_is_cancelled_is_answered_soon() {
    let mut play = Play::stopped();
    play.send([evaluate(), STACK, INTO]);
    play.machine.cancel(RequestId(4), play.now);
    assert_eq!(play.told(), ["ask 3 evaluate", "4 cancelled"], "one that waits");
    play.machine.cancel(RequestId(3), play.now);
    let own = format!("ask {} pause", OWN_REQUEST.0);
    assert_eq!(play.told(), [own.as_str()], "one that is under way");
    let (pausing, failed) = (answer(&Request::Pause), answer(&evaluate()));
    play.machine.engine(Message::Response(OWN_REQUEST, pausing), play.now);
    play.machine.engine(Message::Response(RequestId(3), failed), play.now);
    assert_eq!(play.told(), ["3 no value", "ask 5 step"]);
    play.answer();
    play.told();
    play.machine.cancel(RequestId(5), play.now);
    play.machine.cancel(RequestId(3), play.now);
    assert!(play.told().is_empty(), "the program runs on");
}

#[test]
fn cells_run_one_after_the_other() {
    let mut play = Play::new();
    let launch = Launch { cells: Some(CellSettings::default()), ..Launch::default() };
    play.send([Request::Initialize(Box::new(launch))]);
    play.answer();
    play.told();
    let cell = || Request::RunCell(Box::default());
    let ended = || Event::CellEnded(Box::new(CellEnded { outcome: CellOutcome::Exited(0) }));
    play.send([Request::Start(None), CONTINUE, STACK]);
    play.answer();
    let told = [
        "2 Cannot start: no cell runs",
        "3 Cannot continue: no cell runs",
        "ask 4 get the stack trace",
        "4 ok StackTrace",
    ];
    assert_eq!(play.told(), told);
    play.send([cell(), cell()]);
    play.answer();
    let told = ["DiscardInput", "RefuseInput(false)", "ask 5 run a cell", "5 ok CellStarted"];
    assert_eq!(play.told()[..4], told);
    play.tell(ended());
    assert!(play.told().contains(&"ask 6 run a cell".to_string()));
    play.machine.engine(
        Message::Response(RequestId(6), Err(Failure::new(FailureKind::NoProgram, "the cell has errors"))),
        play.now,
    );
    play.send([cell()]);
    play.answer();
    let told = ["6 the cell has errors", "DiscardInput", "RefuseInput(false)", "ask 7 run a cell"];
    assert_eq!(play.told()[..4], told);
    play.pass(200);
    play.send([Request::Kill]);
    play.pass(200);
    play.answer();
    play.tell(ended());
    assert!(play.told().contains(&"8 ok Killed".to_string()));
    play.send([Request::Restart(Box::default())]);
    play.answer();
    play.send([cell()]);
    assert!(play.told().contains(&"ask 10 run a cell".to_string()));
}

/// The timer for what waits beside a run is set again in the next one, though the program had ended when it was due.
// invariant 9
#[test]
fn what_waits_beside_a_restarted_program_is_answered() {
    let mut play = Play::new();
    play.send([Request::Initialize(Box::new(Launch { keep_alive: true, ..Launch::default() }))]);
    play.answer();
    play.send([Request::Start(None)]);
    play.answer();
    play.send([GetModules.into_request()]);
    play.tell(end(0));
    play.answer_all();
    play.pass(200);
    play.send([Request::Restart(Box::default())]);
    play.answer();
    play.told();
    play.send([GetModules.into_request()]);
    assert_eq!(play.told(), ["timer 100"]);
    play.pass(100);
    assert_eq!(play.told(), ["ask 5 get modules"]);
}
