//! The environment variable by which EZ programs that are started by a debugged program find its session.
//!
//! It is private to the engine: programs do not see it, but all commands inherit it.

use std::fmt;
use std::sync::Arc;

/// The variable's name.
pub const FOLLOW_VARIABLE: &str = "EZ_DEBUG_PARENT";

/// Gives the variable's value when the first command is started; `None` if there is none.
pub type MakeValue = dyn Fn() -> Option<String> + Send + Sync;

/// The value of the variable for the commands of a program.
#[derive(Clone, Default)]
pub enum Followed {
    /// That of this process, if it has the variable.
    #[default]
    Inherited,
    /// That of the program's own session.
    By(Arc<MakeValue>),
}

impl fmt::Debug for Followed {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str(match self {
            Followed::Inherited => "Inherited",
            Followed::By(_) => "By(…)",
        })
    }
}

/// The value that this process has inherited, if it was started by a program whose session follows it.
pub fn inherited_value() -> Option<String> {
    std::env::var(FOLLOW_VARIABLE).ok()
}
