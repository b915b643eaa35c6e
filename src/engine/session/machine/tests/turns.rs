//! Whose turn it is among guests, and what they may take.

use super::guests::{asked, connection, id, join, send, stopped_with_guest};
use super::*;
use crate::api::{
    GetChanges, GetChildren, GetRich, GetVariables, Handle, Investigate, LastChangeQuery, Role,
};

/// Fifteen observers ask at once, four times each: nobody waits for all of them.
#[test]
fn guests_take_turns() {
    let (mut play, bob) = stopped_with_guest(Role::Participant);
    let observers: Vec<ConnectionId> = (2..17).map(connection).collect();
    for eve in &observers {
        join(&mut play, *eve, Role::Observer, "Eve", &[]);
    }
    for number in 2..6 {
        observers.iter().for_each(|eve| send(&mut play, *eve, number, evaluate()));
    }
    for number in 2..4 {
        send(&mut play, bob, number, evaluate());
    }
    let mut order = Vec::new();
    while let Some(asked) = play.machine.asked.front().map(|asked| asked.id) {
        order.push(asked);
        let answer = answer(&play.machine.asked.front().unwrap().request);
        play.machine.engine(Message::Response(asked, answer), play.now);
    }
    assert_eq!(order[..4], [id(observers[0], 2), id(bob, 2), id(observers[1], 2), id(bob, 3)]);
    let rounds: Vec<RequestId> =
        (2..6).flat_map(|number| observers.iter().map(move |eve| id(*eve, number))).collect();
    let of_observers: Vec<RequestId> =
        order.into_iter().filter(|asked| ConnectionId::of(*asked) != bob).collect();
    assert_eq!(of_observers, rounds);
}

#[test]
fn an_evaluation_ends_for_those_who_need_not_wait_for_it() {
    let investigate =
        || LastChangeQuery { expression: "x".into(), frame: 0, limits: Limits::PREVIEW }.into_request();
    // Who evaluates, what, who else asks something; whether it is ended after half a second.
    for (role, request, other, ends) in [
        (Role::Participant, evaluate(), Some(Role::Participant), true),
        (Role::Participant, evaluate(), Some(Role::Observer), false),
        (Role::Observer, investigate(), Some(Role::Participant), true),
        (Role::Observer, investigate(), Some(Role::Observer), true),
        (Role::Observer, investigate(), None, false),
        // It has no time limit of its own.
        (Role::Observer, GetRich { expression: "x".into(), frame: 0 }.into_request(), None, true),
    ] {
        let (mut play, bob) = stopped_with_guest(role);
        let eve = connection(2);
        other.into_iter().for_each(|other| join(&mut play, eve, other, "Eve", &[]));
        play.machine.take_actions();
        send(&mut play, bob, 2, request.clone());
        other.into_iter().for_each(|_| send(&mut play, eve, 2, STACK));
        assert_eq!(asked(&mut play), [id(bob, 2)]);
        play.pass(499);
        assert_eq!(asked(&mut play), []);
        play.pass(1);
        assert_eq!(asked(&mut play).contains(&OWN_REQUEST), ends, "{role:?} {request:?} {other:?}");
    }
}

#[test]
fn no_answer_to_a_guest_is_as_large_as_it_says() {
    let limits = Limits { parts: usize::MAX, bytes: usize::MAX };
    let handle = Handle(std::num::NonZeroU64::MIN);
    let frame = 0;
    for role in Role::ALL {
        let restricted = |request: Request| role.restrict(request);
        let children = GetChildren { handle, start: 0, count: usize::MAX, limits }.into_request();
        let Request::Inspect(Inspect::Children(children)) = restricted(children) else { panic!() };
        assert!(children.count * children.limits.bytes <= 10 << 20, "{children:?}");
        let changes = GetChanges { expression: "x".into(), frame, before: None, count: usize::MAX, limits };
        let Request::Investigate(Investigate::Changes(changes)) = restricted(changes.into_request()) else {
            panic!()
        };
        assert!(changes.count * changes.limits.bytes <= 10 << 20, "{changes:?}");
        let variables = GetVariables { frame, scope: None, limits }.into_request();
        let Request::Inspect(Inspect::Variables(variables)) = restricted(variables) else { panic!() };
        assert_eq!(variables.limits.bytes, 16 << 10);
    }
}
