//! When the page goes on: while the engine waits, and at turns that it takes while it computes.

use std::cell::{Cell, RefCell};
use std::ops::ControlFlow;
use std::rc::Rc;
use std::time::Duration;

use super::imports;

/// What lets the page go on, until something has happened or this time has passed.
type Wait = dyn Fn(Option<Duration>);

/// What is called at each turn, until it breaks; it returns how long the next turn may be away at most.
type Look = dyn FnMut() -> ControlFlow<(), Option<Duration>>;

/// Milliseconds between two turns.
const TURN: f64 = 8.0;

/// Rounds of work between two looks at the clock: at least, at first, at most.
const ROUNDS: (i32, i32, i32) = (200, 1000, 50_000_000);

thread_local! {
    static WAIT: RefCell<Option<Rc<Wait>>> = const { RefCell::new(None) };
    static LOOKS: RefCell<Vec<Box<Look>>> = const { RefCell::new(Vec::new()) };
    static LAST_TURN: Cell<f64> = const { Cell::new(0.0) };
    static BETWEEN: Cell<i32> = const { Cell::new(ROUNDS.1) };
}

/// Sets what lets the page go on.
pub fn wait_by(wait: impl Fn(Option<Duration>) + 'static) {
    WAIT.with(|it| *it.borrow_mut() = Some(Rc::new(wait)));
}

/// Lets the page go on until something has happened, at most for this time. Whoever waits for something in particular
/// calls it again.
pub fn wait(most: Option<Duration>) {
    let sooner = look();
    // None is set before a session begins.
    let Some(wait) = WAIT.with(|it| it.borrow().clone()) else { return };
    wait(most.into_iter().chain(sooner).min());
    LAST_TURN.set(imports::monotonic());
    look();
}

/// Has `look` called before and after each wait, until it breaks; it returns how long the next may be away at most.
pub fn at_each_turn(look: impl FnMut() -> ControlFlow<(), Option<Duration>> + 'static) {
    LOOKS.with(|looks| looks.borrow_mut().push(Box::new(look)));
}

/// Calls what wants to be called at turns; returns when the first wants to be called again.
fn look() -> Option<Duration> {
    let mut looks = LOOKS.with(RefCell::take);
    let mut soonest: Option<Duration> = None;
    looks.retain_mut(|look| match look() {
        ControlFlow::Continue(time) => {
            soonest = soonest.into_iter().chain(time).min();
            true
        }
        ControlFlow::Break(()) => false,
    });
    LOOKS.with(|it| drop(it.borrow_mut().splice(..0, looks)));
    soonest
}

/// Called by computations; returns how many rounds may pass before the next call.
pub fn take_turn() -> i32 {
    let since = imports::monotonic() - LAST_TURN.get();
    if since >= TURN {
        wait(Some(Duration::ZERO));
    }
    let between = BETWEEN.get();
    let next = match since {
        ..4.0 => between.saturating_mul(2),
        12.0.. => between / 2,
        _ => between,
    };
    BETWEEN.set(next.clamp(ROUNDS.0, ROUNDS.2));
    BETWEEN.get()
}
