//! The queue of what is to be sent, without threads.

use ez_runtime::value::Stream;

use super::*;
use crate::api::{
    Company, Done, Event, Failure, FailureKind, Location, RequestId, Response, StopReason, Stopped,
};

fn texts(outbox: &dyn Outgoing) -> Vec<String> {
    let mut items = VecDeque::new();
    outbox.take(&mut items);
    outbox.done();
    let text = |item| match item {
        Item::Output { source, text } => format!("{:?} {text}", source.stream),
        other => format!("{other:?}"),
    };
    items.into_iter().map(text).collect()
}

fn write(outbox: &Outbox, stream: Stream, text: &str) {
    outbox.write(stream.into(), text, || false);
}

// invariant 11
#[test]
fn lines_are_joined_and_order_is_kept() {
    let outbox = Outbox::default();
    write(&outbox, Stream::Stdout, "a\n");
    write(&outbox, Stream::Stdout, "b\n");
    write(&outbox, Stream::Stdout, "c");
    outbox.finish_line();
    write(&outbox, Stream::Stdout, "d\n");
    write(&outbox, Stream::Stderr, "e\n");
    outbox.event(Event::InputRequested(None));
    write(&outbox, Stream::Stderr, "f\n");
    let expected =
        ["Stdout a\nb\nc", "Stdout d\n", "Stderr e\n", "Event(InputRequested(None))", "Stderr f\n"];
    assert_eq!(texts(&outbox), expected);
    assert!(texts(&outbox).is_empty());
}

#[test]
fn nothing_follows_the_response_to_a_disconnect() {
    let outbox = Outbox::default();
    write(&outbox, Stream::Stdout, "a\n");
    outbox.respond(RequestId(1), Ok(Response::Done(Done::Disconnected)), false);
    write(&outbox, Stream::Stdout, "b\n");
    outbox.close_client();
    assert_eq!(texts(&outbox), ["Stdout a\n", "Response(RequestId(1), Ok(Done(Disconnected)))"]);
    outbox.take_back(VecDeque::new());
    outbox.expect_client();
    outbox.open_client(None, None);
    assert_eq!(texts(&outbox), ["Stdout b\n"]);
}

#[test]
fn unfinished_lines_wait_for_their_end_but_hold_nothing_up() {
    let outbox = Outbox::default();
    write(&outbox, Stream::Stdout, "a");
    assert!(texts(&outbox).is_empty());
    write(&outbox, Stream::Stdout, "b\nc");
    assert_eq!(texts(&outbox), ["Stdout ab\n"]);
    write(&outbox, Stream::Stderr, "d");
    write(&outbox, Stream::Stdout, "e\n");
    assert_eq!(texts(&outbox), ["Stdout c", "Stderr d", "Stdout e\n"]);
    write(&outbox, Stream::Stdout, "f");
    outbox.event(Event::InputRequested(None));
    assert_eq!(texts(&outbox), ["Stdout f", "Event(InputRequested(None))"]);
    write(&outbox, Stream::Stdout, "g");
    assert!(outbox.wait(), "the line is let go by itself");
    assert_eq!(texts(&outbox), ["Stdout g"]);
}

#[test]
fn a_full_queue_lets_urgent_programs_go() {
    let outbox = Outbox::default();
    let big = "x\n".repeat(crate::session::pace::LEAST);
    write(&outbox, Stream::Stdout, &big);
    outbox.write(Stream::Stdout.into(), "y\n", || true);
    assert_eq!(texts(&outbox).concat().len(), "Stdout ".len() + big.len() + 2);
    outbox.close();
    outbox.event(Event::InputRequested(None));
    assert!(texts(&outbox).is_empty());
}

/// How often the program can add something before it has to wait.
fn filled_with(add: impl Fn(&Outbox)) -> usize {
    let outbox = Outbox::default();
    let waits = std::cell::Cell::new(false);
    for count in 0.. {
        outbox.wait_for_space(|| {
            waits.set(true);
            true
        });
        if waits.get() {
            return count;
        }
        add(&outbox);
    }
    unreachable!()
}

#[test]
fn a_program_is_not_far_before_its_client() {
    let lines = |text: &'static str| filled_with(|outbox| write(outbox, Stream::Stdout, text));
    // As many as a client that shows lines takes in some 50 ms.
    let few = 200..400;
    assert!(few.contains(&lines("\n")), "{}", lines("\n"));
    assert!(few.contains(&lines("line 1\n")), "{}", lines("line 1\n"));
    let logged = filled_with(|outbox| outbox.event(Event::Log("x = 1\n".into())));
    assert!(few.contains(&logged), "{logged}");
    let text = "x".repeat(2000) + "\n";
    let long = filled_with(|outbox| write(outbox, Stream::Stdout, &text));
    assert!(long < 10, "{long}");
}

#[test]
fn a_guest_gets_all_that_it_asks_for() {
    let outbox = Outbox::<ToGuest>::default();
    let long = || "x".repeat(ToGuest::QUEUE);
    for number in 1..4 {
        let failure = Failure::new(FailureKind::NotFound, long());
        outbox.respond(RequestId(number), Err(failure));
    }
    outbox.add(Item::Event(Event::Failed(long())), false);
    assert!(!outbox.is_closed());
    assert_eq!(texts(&outbox).len(), 4);
    outbox.add(Item::Event(Event::Failed(long())), false);
    outbox.write(Stream::Stdout.into(), &"a line\n".repeat(ToGuest::QUEUE / 4));
    assert!(!outbox.is_closed());
    let told = texts(&outbox);
    assert!(told.len() == 2 && told[1].contains("left out"), "{}", told[1]);
    for _ in 0..3 {
        outbox.add(Item::Event(Event::Failed(long())), false);
    }
    assert!(outbox.is_closed(), "what others cause is limited");
    assert_eq!(texts(&outbox).len(), 1);
}

#[test]
fn a_guest_that_reads_too_slowly_is_shown_the_last_stop() {
    let stop = |step| {
        let location = Location { path: "a.ez".into(), line: 1, column: 1 };
        let stopped = Stopped { step, ..Stopped::new(StopReason::Step, location) };
        Item::Event(Event::Stopped(Box::new(stopped)))
    };
    let steps = |outbox: &Outbox<ToGuest>| {
        for step in 1..20_000 {
            outbox.add(Item::Event(Event::Company(Company::Resumed("Ann".into()))), false);
            outbox.add(stop(step), false);
        }
    };
    let outbox = Outbox::<ToGuest>::default();
    steps(&outbox);
    assert!(!outbox.is_closed());
    let told = texts(&outbox);
    assert!(told[0].contains("stops are left out here"), "{}", told[0]);
    assert!(told[told.len() - 1].contains("step: 19999"));
    // But what it has asked for itself is not left out.
    outbox.respond(RequestId(1), Ok(Response::Done(Done::Resumed)));
    outbox.tell(
        Event::Stopped(Box::new(Stopped::new(
            StopReason::Step,
            Location { path: "b.ez".into(), line: 1, column: 1 },
        ))),
        100,
    );
    steps(&outbox);
    assert!(outbox.is_closed());
}

#[test]
fn the_writer_of_an_owner_rests_while_only_output_comes() {
    let outbox = Outbox::<ToOwner>::default();
    let mut items = VecDeque::new();
    let mut pass = |write: bool| {
        items.clear();
        let has_taken = outbox.take(&mut items);
        if write {
            outbox.done();
        }
        has_taken
    };
    let state = || {
        let state = outbox.state.lock();
        (state.queue.rest.is_some(), state.queue.writer_waits)
    };
    let print = || outbox.write(Stream::Stdout.into(), "line\n", || false);
    print();
    assert!(pass(true));
    assert_eq!(state(), (true, false));
    print();
    assert_eq!(state(), (true, false), "it is not woken");
    outbox.event(Event::InputRequested(None));
    assert_eq!(state(), (false, true), "it is woken");
    assert!(pass(true));
    assert!(!state().0);
    // An event comes while output is written.
    print();
    assert!(pass(false));
    outbox.event(Event::InputRequested(None));
    outbox.done();
    assert!(!state().0);
}

#[test]
fn the_writer_of_a_guest_rests_but_not_for_answers() {
    let outbox = Outbox::<ToGuest>::default();
    let mut items = VecDeque::new();
    let take = |items: &mut VecDeque<Item>| {
        items.clear();
        outbox.take(items)
    };
    let rests = || outbox.state.lock().queue.rest.is_some();
    outbox.add(Item::Event(Event::InputRequested(None)), false);
    assert!(take(&mut items));
    // An answer comes while something is written.
    outbox.respond(RequestId(1), Ok(Response::Done(Done::InputTaken)));
    outbox.done();
    assert!(!rests());
    assert!(take(&mut items));
    outbox.done();
    assert!(rests());
    outbox.add(Item::Event(Event::InputRequested(None)), false);
    assert!(rests());
    outbox.respond(RequestId(2), Ok(Response::Done(Done::Resumed)));
    assert!(!rests());
    assert!(take(&mut items));
    outbox.done();
    assert!(!rests(), "the stop that it waits for comes");
}

#[test]
fn a_long_stop_that_is_left_out_counts_no_more() {
    let outbox = Outbox::<ToGuest>::default();
    let stop = |length| {
        let location = Location { path: "a.ez".into(), line: 1, column: 1 };
        let stopped = Stopped { text: Some("x".repeat(length)), ..Stopped::new(StopReason::Step, location) };
        Item::Event(Event::Stopped(Box::new(stopped)))
    };
    outbox.add(stop(ToGuest::QUEUE), false);
    for length in [ToGuest::QUEUE / 2, ToGuest::QUEUE, 10, 10] {
        outbox.add(stop(length), false);
    }
    assert!(!outbox.is_closed());
    assert!(texts(&outbox)[0].contains("stops are left out here"));
}

#[test]
fn nobody_waits_for_a_guest_that_has_gone() {
    let outbox = Outbox::<ToGuest>::default();
    outbox.add(Item::Event(Event::Terminated), false);
    let mut taken = VecDeque::new();
    outbox.take(&mut taken);
    outbox.add(Item::Event(Event::Terminated), false);
    outbox.take_back(taken);
    outbox.wait_written(Duration::from_millis(1), &|_| panic!("all that can be is written"));
}

#[test]
fn only_a_write_under_way_stalls() {
    let outbox = Outbox::default();
    outbox.event(Event::Terminated);
    outbox.begin_shutdown();
    let pause = Duration::from_millis(1);
    let asked = std::cell::Cell::new(0);
    let mut items = VecDeque::new();
    outbox.wait_written(pause, &|stalled| {
        assert_eq!(stalled, Duration::ZERO);
        asked.set(asked.get() + 1);
        asked.get() < 5
    });
    outbox.take(&mut items);
    outbox.wait_written(pause, &|stalled| stalled < 5 * pause);
    outbox.done();
    outbox.wait_written(pause, &|_| panic!("all is written"));
}
