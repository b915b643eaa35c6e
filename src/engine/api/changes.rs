//! Questions about what was written to a variable or part, and what gave it its present value.

use compact_str::CompactString;
use serde::{Deserialize, Serialize};

use super::{Described, Limits, Location};

/// Asks which statement gave a variable, element, entry or field the value it has at this stop. Needs the
/// program's history ([`super::Launch::history`]).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastChangeQuery {
    /// The variable, element, entry or field, as an expression without effects: `x`, `p.x`, `items[i]`.
    pub expression: String,
    /// Index of the frame in whose scope the expression is evaluated; 0 is the innermost.
    pub frame: usize,
    /// How much of the old and the new value to describe.
    pub limits: Limits,
}

/// The origin of a value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LastChange {
    /// The expression of the question.
    pub expression: CompactString,
    /// What kind of event set the value.
    pub cause: ChangeCause,
    /// The last step before the change: [`super::Travel::GoToStep`] leads to the point just before it.
    pub step: u64,
    /// The statement that made the change.
    pub location: Location,
    /// The answer as one sentence for a learner.
    pub description: String,
    /// The value before the change; `None` if the variable did not exist. Without handles, like `new`.
    pub old: Option<Described>,
    /// The value after the change; `None` if it does not exist any more.
    pub new: Option<Described>,
}

/// Asks for the writes to a variable, element, entry or field, before this stop. Needs the program's history
/// ([`super::Launch::history`]).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GetChanges {
    /// The variable, element, entry or field, as an expression without effects: `x`, `p.x`, `items[i]`. It is
    /// resolved at this stop.
    pub expression: String,
    /// Index of the frame in whose scope the expression is evaluated; 0 is the innermost.
    pub frame: usize,
    /// Only what was written before the place with this number; `None`: up to this stop.
    pub before: Option<u64>,
    /// Maximum number of changes to return; there are more if several were made by one statement.
    pub count: usize,
    /// How much of the old and the new values to describe.
    pub limits: Limits,
}

/// The writes to a variable or part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Changes {
    /// The expression of the question.
    pub expression: CompactString,
    /// The latest first. What began its life (its declaration, for instance) is the last of all.
    pub changes: Vec<Change>,
    /// [`GetChanges::before`] for earlier ones; `None` if there are none.
    pub next: Option<u64>,
}

/// A write to a variable or part, or what began its life.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// What kind of event it was.
    pub cause: ChangeCause,
    /// The step of the statement that made the change; of the client's changes, that of the stop.
    pub step: u64,
    /// That statement.
    pub location: Location,
    /// Whether that is an `ensure`: what it calls was executed when the function ended, after the last place in it, whose
    /// step this is.
    pub at_end: bool,
    /// The value before the change; `None` if there was none. Without handles, like `new`.
    pub old: Option<Described>,
    /// The value after the change; `None` if it does not exist any more.
    pub new: Option<Described>,
}

impl ChangeCause {
    /// Its name in the protocols.
    pub fn name(self) -> &'static str {
        match self {
            ChangeCause::Written => "written",
            ChangeCause::Declared => "declared",
            ChangeCause::Passed => "passed",
            ChangeCause::Created => "created",
            ChangeCause::Client => "client",
        }
    }
}

/// The kind of event that gave something its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ChangeCause {
    /// An assignment, or a library function that changes its argument.
    Written,
    /// The declaration of the variable; no change since.
    Declared,
    /// The call that passed the parameter; no change since.
    Passed,
    /// The creation, or copying, of the array, map or struct that contains it; no change since.
    Created,
    /// The client, at a stop.
    Client,
}
