//! Joins what a program prints to fewer messages.

use std::time::{Duration, Instant};

use crate::protocol::jupyter::content;
use ez_runtime::value::Stream;

/// How long text waits for more.
const DELAY: Duration = Duration::from_millis(50);

/// Bytes of text that are not held back any longer.
const ENOUGH: usize = 1 << 18;

/// Text of one stream that is not sent yet.
#[derive(Debug, Default)]
pub(super) struct Output {
    held: Option<Held>,
}

#[derive(Debug)]
struct Held {
    stream: Stream,
    text: String,
    since: Instant,
}

impl Output {
    /// Adds text; returns what has to be sent now: text of the other stream, or enough of this one.
    pub fn add(&mut self, stream: Stream, text: &str) -> Vec<content::Stream> {
        let mut out = Vec::new();
        if self.held.as_ref().is_some_and(|held| held.stream != stream) {
            out.extend(self.take());
        }
        let held =
            self.held.get_or_insert_with(|| Held { stream, text: String::new(), since: Instant::now() });
        held.text.push_str(text);
        if held.text.len() >= ENOUGH {
            out.extend(self.take());
        }
        out
    }

    /// When the text has to be sent.
    pub fn due(&self) -> Option<Instant> {
        self.held.as_ref().map(|held| held.since + DELAY)
    }

    /// Takes the text, to send it.
    pub fn take(&mut self) -> Option<content::Stream> {
        let held = self.held.take()?;
        let name = match held.stream {
            Stream::Stdout => "stdout",
            Stream::Stderr => "stderr",
        };
        Some(content::Stream { name, text: held.text })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_a_stream_are_joined() {
        let mut output = Output::default();
        assert!(output.add(Stream::Stdout, "a").is_empty());
        assert!(output.add(Stream::Stdout, "b").is_empty());
        let sent = output.add(Stream::Stderr, "c");
        assert_eq!(
            sent.iter().map(|stream| (stream.name, &*stream.text)).collect::<Vec<_>>(),
            [("stdout", "ab")]
        );
        assert!(output.due().is_some());
        assert_eq!(output.take().map(|stream| stream.text).as_deref(), Some("c"));
        assert_eq!(output.due(), None);
        assert_eq!(output.add(Stream::Stdout, &"x".repeat(ENOUGH)).len(), 1);
    }
}
