//! Where a value comes from.

use compact_str::CompactString;
use serde::{Deserialize, Serialize};

use super::{Described, Limits, Location};

/// Asks where a variable, element, entry or field got the value that it has at this stop. Possible if the
/// program's history is kept ([`super::Launch::history`]).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastChangeQuery {
    /// The variable, element, entry or field, as an expression without effects: `x`, `p.x`, `items[i]`.
    pub expression: String,
    /// Index of the frame in whose scope it stands.
    pub frame: usize,
    /// How much of the values is described.
    pub limits: Limits,
}

/// Where something got its value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LastChange {
    /// What was asked about.
    pub expression: CompactString,
    /// What gave it the value.
    pub cause: ChangeCause,
    /// The step of the last place before that: a journey there shows what was about to happen.
    pub step: u64,
    /// The statement that did it.
    pub location: Location,
    /// A sentence that says so.
    pub description: String,
    /// What it was before; `None` if it did not exist.
    pub old: Option<Described>,
    /// What it has been since; `None` if it does not exist any more. Neither of the two has a handle.
    pub new: Option<Described>,
}

impl ChangeCause {
    /// Its name in protocols.
    pub fn name(self) -> &'static str {
        match self {
            ChangeCause::Written => "written",
            ChangeCause::Declared => "declared",
            ChangeCause::Passed => "passed",
            ChangeCause::Created => "created",
        }
    }
}

/// What has given something its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ChangeCause {
    /// It was assigned, or changed by a function of the library.
    Written,
    /// The variable was declared, and has not changed since.
    Declared,
    /// The parameter was passed, and has not changed since.
    Passed,
    /// The array, map or struct that it is a part of was created or copied, and it has not changed since.
    Created,
}
