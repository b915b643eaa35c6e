//! The engine by itself: requests in, events out, without protocol or process.

use crate::common::Driver;
use ez_engine::api::Resume::{self, Continue, StepInto as Into, StepOut as Out, StepOver as Over};
use ez_engine::api::{
    AddWatch, BreakpointOptions, BreakpointRequest, Container, DataSpec, DataTarget, GetState, Launch, Query,
    Request, SetDataBreakpoints, Travel, WatchRequest,
};

const CALLS: &str = "import @std
using std

temp total int = 0

do add(a int, b int) -> int {
    temp sum int = a + b
    total += sum
    return sum
}

do main() {
    temp x int = add(1, 2)
    for i in range(0, 2) {
        x += add(i, x)
    }
    if x > 3 { println(\"big\") } otherwise { println(\"small\") }
    temp r int = add(add(1, 1), add(2, 2))
    println(\"${x} ${r} ${total}\")
}
";

#[test]
fn stepping_into_visits_every_place() {
    let mut d = Driver::start(CALLS, true, &[]);
    let lines = d.walk(Into, 200);
    assert_eq!(
        lines,
        [
            "entry main:13",
            "step add:7",
            "step add:8",
            "step add:9",
            "step main:13",
            "step main:14",
            "step main:15",
            "step add:7",
            "step add:8",
            "step add:9",
            "step main:15",
            "step main:14",
            "step main:15",
            "step add:7",
            "step add:8",
            "step add:9",
            "step main:15",
            "step main:14",
            "step main:17",
            "step main:18",
            "step add:7",
            "step add:8",
            "step add:9",
            "step main:18",
            "step add:7",
            "step add:8",
            "step add:9",
            "step main:18",
            "step add:7",
            "step add:8",
            "step add:9",
            "step main:18",
            "step main:19",
            "ended 0",
        ]
    );
    assert_eq!(d.output(), "big\n13 6 25\n");
}

#[test]
fn stepping_over_stays_in_main() {
    let mut d = Driver::start(CALLS, true, &[]);
    let lines = d.walk(Over, 200);
    assert_eq!(
        lines,
        [
            "entry main:13",
            "step main:14",
            "step main:15",
            "step main:14",
            "step main:15",
            "step main:14",
            "step main:17",
            "step main:18",
            "step main:19",
            "ended 0",
        ]
    );
}

#[test]
fn stepping_out_ends_at_the_call() {
    let mut d = Driver::start(CALLS, true, &[]);
    assert_eq!(d.next(), "entry main:13");
    assert_eq!(d.resume(Into), "step add:7");
    assert_eq!(d.resume(Out), "step main:13");
    assert_eq!(d.resume(Out), "ended 0");
}

#[test]
fn breakpoints_slide_and_are_hit_once_a_visit() {
    // Line 12 is the head of main: slides to 13. Line 14 is a loop header: hit at each round.
    let mut d = Driver::start(CALLS, false, &[8, 14]);
    let lines = d.walk(Continue, 50);
    assert_eq!(
        lines,
        [
            "breakpoint 1 add:8",
            "breakpoint 2 main:14",
            "breakpoint 1 add:8",
            "breakpoint 2 main:14",
            "breakpoint 1 add:8",
            "breakpoint 2 main:14",
            "breakpoint 1 add:8",
            "breakpoint 1 add:8",
            "breakpoint 1 add:8",
            "ended 0",
        ]
    );
}

#[test]
fn a_step_over_stops_at_breakpoints_in_calls() {
    let mut d = Driver::start(CALLS, true, &[]);
    assert_eq!(d.next(), "entry main:13");
    d.breakpoint(9, None);
    assert_eq!(d.resume(Over), "breakpoint 1 add:9");
    assert_eq!(d.resume(Over), "step main:13");
}

#[test]
fn variables_are_told_when_new_or_changed() {
    let mut d = Driver::start(CALLS, true, &[]);
    assert_eq!(d.next(), "entry main:13");
    assert_eq!(d.changed(), "");
    d.resume(Into);
    assert_eq!(d.changed(), "a=1 b=2");
    d.resume(Into);
    assert_eq!(d.changed(), "sum=3");
    d.resume(Into);
    assert_eq!(d.changed(), "total=3");
    d.resume(Into);
    assert_eq!(d.changed(), "");
    d.resume(Into);
    assert_eq!(d.changed(), "x=3");
    d.resume(Into);
    assert_eq!(d.changed(), "i=0");
    d.resume(Into);
    assert_eq!(d.changed(), "a=0 b=3");
}

#[test]
fn frames_and_variables_can_be_asked_for() {
    let mut d = Driver::start(CALLS, false, &[9]);
    assert_eq!(d.next(), "breakpoint 1 add:9");
    assert_eq!(d.stack(), "add:9 main:13");
    assert_eq!(d.variables(0), "a=1 b=2 sum=3 total=3");
    assert_eq!(d.variables(1), "total=3");
    assert_eq!(d.evaluate("a + b * 10", 0), "21: int");
    assert_eq!(d.evaluate("add(5, 6)", 0), "11: int");
    assert_eq!(d.evaluate("total", 1), "14: int");
    assert!(d.evaluate("nothing", 0).starts_with("error"));
    assert!(d.evaluate("1 / (a - 1)", 0).contains("division by zero"));
    assert!(d.evaluate("exit(3)", 0).starts_with("error"));
    assert_eq!(d.resume(Continue), "breakpoint 1 add:9");
}

#[test]
fn conditions_decide() {
    let mut d = Driver::start(CALLS, true, &[]);
    assert_eq!(d.next(), "entry main:13");
    d.breakpoint(8, Some("a == 1 && b > 3"));
    assert_eq!(d.resume(Continue), "breakpoint 1 add:8");
    assert_eq!(d.variables(0), "a=1 b=6 sum=7 total=6");
}

#[test]
fn an_endless_loop_can_be_paused_and_ended() {
    let mut d = Driver::start(
        "import @std\nusing std\n\ndo main() {\n    temp n = 0\n    loop {\n        n++\n    }\n}\n",
        false,
        &[],
    );
    d.pause();
    assert!(d.next().starts_with("pause main:"));
    d.terminate();
    assert_eq!(d.next(), "terminated");
}

#[test]
fn a_sleep_can_be_paused_and_ended() {
    let mut d =
        Driver::start("import @std\nusing std\n\ndo main() {\n    sleep_seconds(1000)\n}\n", true, &[]);
    assert_eq!(d.next(), "entry main:5");
    d.send(Request::Resume(Over));
    d.pause();
    assert_eq!(d.next(), "pause main:5");
    d.send(Request::Resume(Over));
    d.terminate();
    assert_eq!(d.next(), "terminated");
}

#[test]
fn a_client_can_detach_while_a_condition_is_evaluated() {
    let program = "import @std\nusing std\n\ndo slow() -> bool {\n    println(\"begins\")\n    sleep_seconds(1000)\n    return true\n}\n\ndo main() {\n    temp n int = 1\n    n = 2\n}\n";
    let mut d = Driver::start(program, true, &[]);
    assert_eq!(d.next(), "entry main:11");
    d.breakpoint(12, Some("slow()"));
    d.send(Request::Resume(Continue));
    support::wait_until(|| !d.output().is_empty());
    d.detach();
    assert_eq!(d.next(), "ended 0");
}

#[test]
fn errors_carry_their_calls() {
    let program = "import @std\nusing std\n\ndo f(n int) -> int {\n    return 10 / n\n}\n\ndo main() {\n    println(f(0))\n}\n";
    let mut d = Driver::start(program, false, &[]);
    assert_eq!(d.next(), "ended 1 E5001 division by zero at 5 [f:5 main:9]");
}

#[test]
fn expressions_of_any_depth_are_evaluated_at_once() {
    let program = "do main() {\n    temp m [[int]] = {{1, 0}, {0, 1}}\n    temp i int = 1\n    i = 0\n}\n";
    let mut d = Driver::start(program, false, &[4]);
    assert_eq!(d.next(), "breakpoint 1 main:4");
    // If a level took twice the time of the one inside, this would never come to its end.
    let nested = |count| (0..count).fold("i".to_string(), |e, _| format!("m[{e}][0]"));
    assert_eq!(d.evaluate(&nested(60), 0), "1: int");
    assert_eq!(d.evaluate(&nested(61), 0), "0: int");
    d.breakpoint(4, Some(&format!("{} == 1", nested(60))));
    d.terminate();
}

/// Computed as a watch.
const TWICE: &str = "import @std
using std

do twice(n int) -> int {
    return n * 2
}

do main() {
    temp n int = 0
    loop {
        n += 1
        if n == 100_000 {
            println(n)
        }
    }
}
";

/// A client that resumes the program at once need not wait for its watches.
#[test]
fn what_follows_a_resumption_that_comes_while_watches_are_computed_is_for_that_run() {
    let mut d = Driver::start(TWICE, true, &[]);
    assert_eq!(d.next(), "entry main:9");
    d.ask(Request::Watch(WatchRequest::Add(AddWatch("twice(n)".into()))));
    d.send_at_stop(&[Request::Resume(Continue), Request::Query(Query::State(GetState)), Request::Pause]);
    d.send(Request::Resume(Over));
    assert_eq!(d.until("Pause"), ["8", "Step", "5", "6", "7", "Pause"]);
}

#[test]
fn what_follows_a_journey_that_is_asked_for_while_watches_are_computed_is_for_that_journey() {
    let mut d = Driver::start_with(Launch { history: true, ..Launch::default() }, TWICE, &[13]);
    assert_eq!(d.next(), "breakpoint 1 main:13");
    d.ask(Request::Watch(WatchRequest::Add(AddWatch("twice(n)".into()))));
    let travel = |how| Request::Resume(Resume::Travel(how));
    d.send_at_stop(&[
        travel(Travel::ReverseContinue),
        Request::Query(Query::State(GetState)),
        Request::Pause,
    ]);
    d.send(travel(Travel::StepBack));
    assert_eq!(d.until("Present"), ["9", "Step", "6", "7", "8", "Present"]);
}

/// A condition that is false is computed at each write: requests come while it is.
#[test]
fn requests_are_answered_while_the_condition_of_a_data_breakpoint_is_computed() {
    let mut d = Driver::start(TWICE, true, &[]);
    assert_eq!(d.next(), "entry main:9");
    d.ask(Request::Resume(Over));
    let _ = d.next();
    let options =
        BreakpointOptions { condition: Some("twice(n) < 0".into()), ..BreakpointOptions::default() };
    let target = DataTarget::Named { container: Container::Frame(0), name: "n".into() };
    let wanted = SetDataBreakpoints::new(vec![DataSpec { target, options }]);
    d.ask(Request::Breakpoint(BreakpointRequest::SetData(wanted)));
    for _ in 0..50 {
        d.ask(Request::Resume(Continue));
        for _ in 0..10 {
            d.interrupt(Request::Query(Query::State(GetState)));
            let asked = d.last().to_string();
            assert_eq!(d.until(&asked), [asked]);
        }
        d.pause();
        assert_eq!(d.until("Pause").len(), 2);
    }
}

/// What interrupted a condition says nothing of a later one, which cannot be compiled where that is written.
#[test]
fn a_condition_that_is_wrong_in_a_frame_is_not_interrupted_again() {
    let program = "temp total int = 0

do forever(n int) -> bool {
    loop { }
    return n > 0
}

do add(amount int) {
    total += amount
}

do main() {
    add(1)
    total += 1
    add(2)
}
";
    let mut d = Driver::start(program, true, &[]);
    assert_eq!(d.next(), "entry main:13");
    let options =
        BreakpointOptions { condition: Some("forever(amount)".into()), ..BreakpointOptions::default() };
    let target = DataTarget::Named { container: Container::Frame(0), name: "total".into() };
    let wanted = SetDataBreakpoints::new(vec![DataSpec { target, options }]);
    d.ask(Request::Breakpoint(BreakpointRequest::SetData(wanted)));
    d.ask(Request::Resume(Continue));
    d.pause();
    assert_eq!(d.until("Pause").len(), 2);
    d.send(Request::Resume(Continue));
    assert_eq!(d.until("DataBreakpoint(BreakpointId(1))").len(), 2);
}
