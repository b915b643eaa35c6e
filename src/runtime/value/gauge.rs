//! What running programs look at, at calls and at the ends of rounds of loops: whether memory has to be checked, whether a
//! request is there, and, where one thread does everything, whether others have to be let go on.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::atomic::{AtomicI64, Ordering};

use crate::sync::{ALONE, take_turn};

thread_local! {
    static GAUGE: Gauge = Gauge::default();
}

/// Shows whether the credit of a thread is used up. Running programs keep it, since variables of a thread are read by
/// functions that are not always inlined.
///
/// Where the thread is alone, it counts the rounds until the next turn, too: the same places call for that. There the
/// counter is all that they look at: it is 0 while the credit is used up, or attention is wanted.
#[derive(Clone, Debug, Default)]
pub struct Gauge(Rc<Needs>);

#[derive(Debug, Default)]
struct Needs {
    is_used_up: Cell<bool>,
    /// Rounds until the next turn.
    rounds: Cell<i32>,
    /// What `rounds` is to be again, while it is 0 for another reason; else 0.
    put_aside: Cell<i32>,
}

impl Gauge {
    pub fn of_thread() -> Gauge {
        GAUGE.try_with(Gauge::clone).unwrap_or_default()
    }

    /// Whether the credit is used up, so that [`check`](super::memory::check) has to be called, or a program has to look at its requests.
    #[inline(always)]
    pub fn is_low(&self) -> bool {
        if ALONE {
            let left = self.0.rounds.get().wrapping_sub(1);
            self.0.rounds.set(left);
            return left <= 0;
        }
        self.0.is_used_up.get() || is_attention_wanted()
    }

    #[cfg(test)]
    pub(super) fn is_used_up(&self) -> bool {
        self.0.is_used_up.get()
    }

    /// Takes a turn if that is due.
    #[inline]
    pub fn take_turn_if_due(&self) {
        if ALONE && self.0.rounds.get() <= 0 {
            self.0.renew(take_turn);
            self.0.show_all();
        }
    }
}

impl Needs {
    /// Counts rounds of work.
    fn pass_rounds(&self, count: i32) {
        self.rounds.set(self.rounds.get().saturating_sub(count));
    }

    /// Goes on with the rounds that were put aside; if there are none left, takes a turn, which tells how many follow.
    fn renew(&self, turn: impl FnOnce() -> i32) {
        let left = self.put_aside.take().saturating_add(self.rounds.get());
        self.rounds.set(if left > 0 { left } else { turn() });
    }

    /// Shows by `rounds` whether something else than a turn `is_due`.
    fn show(&self, is_due: bool) {
        let rounds = self.rounds.get();
        if is_due && rounds > 0 {
            self.put_aside.set(rounds);
            self.rounds.set(0);
        } else if !is_due && self.put_aside.get() > 0 {
            self.rounds.set(self.put_aside.take().saturating_add(rounds));
        }
    }

    /// Shows by `rounds` whether anything else than a turn is due, if this thread is alone.
    fn show_all(&self) {
        if ALONE {
            self.show(self.is_used_up.get() || is_attention_wanted());
        }
    }
}

/// Counts work between two checks that takes as long as this many rounds of a loop of the program (some ten nanoseconds
/// each).
#[inline]
pub fn pass_rounds(count: u64) {
    if ALONE {
        let count = i32::try_from(count).unwrap_or(i32::MAX);
        let _ = GAUGE.try_with(|gauge| gauge.0.pass_rounds(count));
    }
}

/// Lets others go on if this thread is alone, and it is time for that.
#[inline]
pub fn take_turn_if_due() {
    if ALONE {
        Gauge::of_thread().take_turn_if_due();
    }
}

/// Minus the number of programs, on all threads, that were asked to look at their requests ([`attention`]).
static ATTENTION: AtomicI64 = AtomicI64::new(0);

/// Makes [`Gauge::is_low`] true on all threads, or no longer. Calls count: each one that switches it on needs
/// one that switches it off.
pub fn attention(on: bool) {
    ATTENTION.fetch_add(if on { -1 } else { 1 }, Ordering::SeqCst);
    if ALONE {
        let _ = GAUGE.try_with(|gauge| gauge.0.show_all());
    }
}

/// Whether some program was asked to look at its requests.
#[inline(always)]
pub fn is_attention_wanted() -> bool {
    ATTENTION.load(Ordering::Relaxed) < 0
}

/// Shows whether the credit of this thread is used up.
#[cold]
#[inline(never)]
pub(super) fn show_used_up(is_used_up: bool) {
    let _ = GAUGE.try_with(|gauge| {
        gauge.0.is_used_up.set(is_used_up);
        gauge.0.show_all();
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_are_put_aside_while_something_else_is_due() {
        let needs = Needs::default();
        needs.renew(|| 100);
        needs.pass_rounds(30);
        needs.show(true);
        needs.show(true);
        assert_eq!((needs.rounds.get(), needs.put_aside.get()), (0, 70));
        needs.pass_rounds(10);
        needs.renew(|| unreachable!("no turn is due"));
        assert_eq!(needs.rounds.get(), 60);
        needs.show(true);
        needs.pass_rounds(5);
        needs.show(false);
        assert_eq!((needs.rounds.get(), needs.put_aside.get()), (55, 0));
        needs.show(true);
        needs.pass_rounds(60);
        needs.renew(|| 200);
        needs.show(false);
        assert_eq!((needs.rounds.get(), needs.put_aside.get()), (200, 0));
    }
}
