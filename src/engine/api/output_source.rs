//! What has written output.

use ez_runtime::value::Stream;
use serde::{Deserialize, Serialize};

/// What has written output, and where to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutputSource {
    pub stream: Stream,
    /// Whether it was something that a client has evaluated (an expression, a condition, a watch, a log point), and not
    /// the program itself.
    pub by_client: bool,
}

/// Output of the program itself.
impl From<Stream> for OutputSource {
    fn from(stream: Stream) -> OutputSource {
        OutputSource { stream, by_client: false }
    }
}
