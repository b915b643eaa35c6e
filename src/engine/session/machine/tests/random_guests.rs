//! Random sessions with guests.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use proptest::prelude::*;

use super::guests::{attach, connection, door, id, leave, share, state};
use super::*;
use crate::api::{Access, GetState, Input, Query, Role};

/// What is known of the clients in a random session.
#[derive(Default)]
struct World {
    roles: BTreeMap<ConnectionId, Role>,
    /// The requests that are not answered.
    open: BTreeSet<u64>,
    sent: u64,
    guests: u64,
    asked: VecDeque<(RequestId, Request)>,
    /// What each client was told, of events for all.
    events: Vec<String>,
    running: bool,
}

impl World {
    fn act(&mut self, play: &mut Play) {
        loop {
            let actions = play.machine.take_actions();
            if actions.is_empty() {
                return;
            }
            for action in actions {
                self.action(play, action);
            }
        }
    }

    fn action(&mut self, play: &mut Play, action: Action) {
        match action {
            Action::Respond(id, _) => {
                let client = ConnectionId::of(id);
                assert!(
                    client == ConnectionId::ONLY || self.roles.contains_key(&client),
                    "{client:?} has gone"
                );
                assert!(self.open.remove(&id.0), "answered twice, or not asked: {id:?}");
            }
            Action::OpenGuest(client, answer) => {
                assert!(self.roles.contains_key(&client));
                assert!(self.open.remove(&answer.0.0), "{answer:?}");
            }
            Action::CloseGuest(client, _) => {
                assert!(self.roles.remove(&client).is_some(), "{client:?} is closed twice");
                let open = self.open.iter().find(|id| ConnectionId::of(RequestId(**id)) == client);
                assert_eq!(open, None, "not answered before {client:?} is closed");
            }
            Action::Ask { id, request, .. } => {
                let role = self.roles.get(&ConnectionId::of(id));
                assert!(
                    role.is_none_or(|role| role.obstacle_to(&request).is_none()),
                    "{role:?} asks {request:?}"
                );
                assert!(
                    role != Some(&Role::Observer) || request.access() == Access::Anybody,
                    "an observer changes nothing: {request:?}"
                );
                self.asked.push_back((id, request));
            }
            Action::Open(answer) => panic!("the owner is there already: {answer:?}"),
            Action::Share { id, .. } => play.machine.shared(id, None, Ok(door()), play.now),
            Action::Tell(event) => self.events.push(format!("{event:?}")),
            _ => {}
        }
    }

    fn request(&mut self, play: &mut Play, client: ConnectionId, request: Request) {
        self.sent += 1;
        let id = id(client, self.sent);
        self.open.insert(id.0);
        play.machine.receive(Incoming { id, request: Ok(request) }, play.now);
        self.act(play);
    }

    /// The engine answers its oldest request.
    fn answer(&mut self, play: &mut Play) {
        let Some((id, request)) = self.asked.pop_front() else { return };
        let is_about_state = matches!(request, Request::Query(Query::State(_)));
        let result = if is_about_state { Ok(state(vec![])) } else { answer(&request) };
        self.running |= matches!(request, Request::Start(_) | Request::Resume(_) | Request::Restart(_));
        play.machine.engine(Message::Response(id, result), play.now);
        self.act(play);
    }

    fn step(&mut self, play: &mut Play, (what, who, choice): (u8, u8, u8)) {
        let clients: Vec<ConnectionId> = self.roles.keys().copied().chain([ConnectionId::ONLY]).collect();
        let client = clients[usize::from(who) % clients.len()];
        match what % 10 {
            0 => {
                self.guests += 1;
                let (guest, role) = (connection(self.guests), Role::ALL[usize::from(choice) % 2]);
                if play.machine.connect_guest(guest, role).is_ok() {
                    self.roles.insert(guest, role);
                    self.request(play, guest, attach("Bob"));
                }
            }
            1 if client != ConnectionId::ONLY => {
                play.machine.client_gone(client, leave(), play.now);
                self.act(play);
            }
            1 => self.request(play, client, share()),
            2 if choice < 20 => self.request(play, client, Request::Session(SessionRequest::Unshare)),
            3 | 4 => self.answer(play),
            5 => {
                play.pass(60);
                self.act(play);
            }
            6 if self.running => {
                self.running = false;
                play.tell(stop(StopReason::Step));
                self.act(play);
            }
            _ => {
                let requests = [
                    STACK,
                    INTO,
                    CONTINUE,
                    Request::Pause,
                    evaluate(),
                    breakpoint(3),
                    GetState.into_request(),
                    Request::Session(SessionRequest::GetGuests),
                    leave(),
                    Input { text: Some("x".into()), eof: false }.into_request(),
                    Request::Restart(Box::default()),
                    GetModules.into_request(),
                ];
                let request = requests[usize::from(choice) % requests.len()].clone();
                if client != ConnectionId::ONLY || request != leave() {
                    self.request(play, client, request);
                }
            }
        }
    }
}

proptest! {
    // invariant 33
    #[test]
    fn every_request_is_answered_once_to_the_one_who_asked(
        steps in proptest::collection::vec((any::<u8>(), any::<u8>(), any::<u8>()), 1..200),
        is_terminated in any::<bool>(),
    ) {
        let mut play = Play::stopped();
        let mut world = World::default();
        world.request(&mut play, ConnectionId::ONLY, share());
        for step in steps {
            world.step(&mut play, step);
        }
        if is_terminated {
            world.request(&mut play, ConnectionId::ONLY, Request::Terminate);
        }
        // Everything comes to its end.
        for _ in 0..1000 {
            if world.open.is_empty() {
                break;
            }
            world.answer(&mut play);
            if std::mem::take(&mut world.running) {
                play.tell(stop(StopReason::Step));
            }
            play.pass(120);
            world.act(&mut play);
        }
        prop_assert!(world.open.is_empty(), "not answered: {:?}", world.open);
    }
}
