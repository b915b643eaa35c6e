//! How sessions end.

use super::*;

#[test]
fn terminate_waits_for_what_is_answered_soon() {
    let mut play = Play::running();
    play.send([INTO, Request::Terminate]);
    assert_eq!(play.told(), ["timer 100"]);
    play.tell(stop(StopReason::Entry));
    play.answer();
    play.tell(stop(StopReason::Step));
    let expected = [
        "stopped Entry",
        "ask 3 step",
        "3 ok Resumed",
        "stopped Step",
        "BeginShutdown",
        "ask 4 terminate",
        "timer 40",
    ];
    assert_eq!(play.told(), expected);
    play.answer();
    play.machine.engine_gone(play.now);
    let finish = "Finish { status: 0, patient: false }";
    assert_eq!(play.told(), ["4 ok Terminating", "Terminated", finish]);
    play.send([Request::Terminate, STACK]);
    assert_eq!(play.told(), ["StopWaiting"]);
}

#[test]
fn terminate_ends_a_program_that_runs_on() {
    let mut play = Play::running();
    play.send([INTO, Request::Terminate, breakpoint(1), initialize()]);
    play.pass(100);
    assert_eq!(play.told(), ["timer 100", "BeginShutdown", "ask 4 terminate", "timer 40"]);
    play.machine.engine_gone(play.now);
    let expected = [
        "4 ok Terminating",
        "3 Cannot step: program has ended",
        "5 Cannot set a breakpoint: program has ended",
        "6 Cannot initialize: already initialized",
        "Terminated",
        "Finish { status: 0, patient: false }",
    ];
    assert_eq!(play.told(), expected);
}

#[test]
fn an_engine_that_does_not_end_is_left() {
    let mut play = Play::new();
    play.send([initialize(), Request::Terminate]);
    play.pass(100);
    assert_eq!(
        play.told(),
        ["ask 1 initialize", "timer 100", "BeginShutdown", "ask 2 terminate", "timer 40"]
    );
    play.pass(40);
    let expected = [
        "1 Cannot initialize: program has ended",
        "2 ok Terminating",
        "Terminated",
        "Finish { status: 0, patient: false }",
    ];
    assert_eq!(play.told(), expected);
}

#[test]
fn the_end_of_commands() {
    let mut play = Play::new();
    play.machine.commands_end(play.now);
    assert_eq!(play.told(), ["Finish { status: 0, patient: true }"]);

    let mut play = Play::running();
    play.send([INTO]);
    play.machine.commands_end(play.now);
    play.tell(stop(StopReason::Entry));
    play.answer();
    play.tell(stop(StopReason::Step));
    play.machine.engine_gone(play.now);
    let expected = [
        "stopped Entry",
        "ask 3 step",
        "3 ok Resumed",
        "stopped Step",
        "BeginShutdown",
        "ask 4611686018427387904 terminate",
        "timer 40",
        "Terminated",
        "Finish { status: 0, patient: true }",
    ];
    assert_eq!(play.told(), expected);

    let mut play = Play::running();
    play.machine.commands_end(play.now);
    play.tell(end(7));
    assert_eq!(play.told(), ["exited 7", "timer 1000", "Finish { status: 0, patient: true }"]);
}

impl Play {
    /// The engine answers the first request, to load a program: it has errors.
    fn cannot_load(&mut self) {
        let failure = Failure::new(FailureKind::NoProgram, "bad");
        self.machine.engine(Message::Response(RequestId(1), Err(failure)), self.now);
    }
}

#[test]
fn a_program_that_cannot_be_loaded_ends_the_session() {
    let mut play = Play::new();
    play.send([initialize(), Request::Start(None), breakpoint(1)]);
    play.cannot_load();
    let expected = [
        "ask 1 initialize",
        "timer 100",
        "1 bad",
        "timer 100",
        "2 Cannot start: not initialized",
        "3 Cannot set a breakpoint: not initialized",
    ];
    assert_eq!(play.told(), expected);
    // What comes soon after that was sent before, probably.
    play.now += ORDER_GRACE / 2;
    play.send([Request::Start(None)]);
    assert_eq!(play.told(), ["4 Cannot start: not initialized"]);
    play.now += ORDER_GRACE / 2;
    play.machine.timer(play.now);
    assert_eq!(play.told(), ["timer 50"]);
    play.now += ORDER_GRACE / 2;
    play.machine.timer(play.now);
    assert_eq!(play.told(), ["Terminated", "Finish { status: 1, patient: true }"]);

    for end in [Machine::commands_end, |machine: &mut Machine, now| {
        machine.receive(Incoming { id: RequestId(9), request: Ok(Request::Terminate) }, now);
    }] {
        let mut play = Play::new();
        play.send([initialize()]);
        play.cannot_load();
        play.told();
        end(&mut play.machine, play.now);
        assert!(play.told().ends_with(&["Terminated".into(), "Finish { status: 1, patient: true }".into()]));
    }

    let mut play = Play::new();
    play.send([initialize(), initialize()]);
    let failure = Failure::new(FailureKind::BadRequest, "no such directory");
    play.machine.engine(Message::Response(RequestId(1), Err(failure)), play.now);
    assert_eq!(play.told(), ["ask 1 initialize", "timer 100", "1 no such directory", "ask 2 initialize"]);
}

#[test]
fn nothing_follows_the_end_of_a_session_without_a_program() {
    let mut play = Play::new();
    play.send([initialize(), Request::Start(None), Request::Terminate, evaluate()]);
    play.cannot_load();
    let expected = [
        "ask 1 initialize",
        "timer 100",
        "1 bad",
        "timer 100",
        "2 Cannot start: not initialized",
        "3 ok Terminating",
        "4 Cannot evaluate: not initialized",
        "Terminated",
        "Finish { status: 1, patient: true }",
    ];
    assert_eq!(play.told(), expected);
}

#[test]
fn an_engine_that_fails_and_a_client_that_closes_its_output() {
    let mut play = Play::stopped();
    play.send([evaluate(), INTO]);
    play.told();
    play.machine.engine_gone(play.now);
    let expected = [
        "3 the interpreter has failed",
        "Failed(\"the interpreter has failed\")",
        "exited 1",
        "timer 1000",
        "4 Cannot step: program has ended",
    ];
    assert_eq!(play.told(), expected);
    play.send([breakpoint(1)]);
    assert_eq!(play.told(), ["5 the interpreter has failed"]);

    let mut play = Play::running();
    play.machine.output_closed();
    play.machine.output_closed();
    assert_eq!(play.told(), ["Finish { status: 0, patient: false }"]);
}
