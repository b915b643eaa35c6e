//! What counts when texts are compared.

use serde::{Deserialize, Serialize};

/// What counts when texts are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mode {
    /// Spaces and tabs at the ends of lines do not count, nor line ends at the end of the text; `\r\n` is a line end.
    #[default]
    Lines,
    /// Every byte counts.
    Exact,
}

/// Whether a character does not count at the end of a line.
pub(super) fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t')
}
