//! The debugger's output, which keeps its own messages and the program's output apart.

use std::borrow::Cow;
use std::io::{self, Write};

use crossbeam_channel::Sender;

use ez_runtime::host::note_lost_output;
use ez_runtime::value::Stream;

use super::foreign::ForeignOutput;
use super::look::{Look, Role};
use super::wrap::{joined, wrapped};

/// Precedes each line of the program's output on a terminal.
const BAR: &str = "│ ";

/// Who has written the incomplete line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unfinished {
    No,
    Program(Stream),
    /// The debugger, until something else is written.
    ForNow,
}

/// Clears the terminal line with the cursor.
const CLEAR_LINE: &str = "\r\u{1b}[K";

/// Clears the line that is being typed, and ends what the line editor has asked of the terminal: marks around pasted text.
const CLEAR_TYPED: &str = "\u{1b}[?2004l\r\u{1b}[J";

/// Writes messages and the program's output.
pub struct Console {
    out: Box<dyn Write>,
    errors: Box<dyn Write>,
    /// Whether the output is a terminal. Then all output goes there, and the program's has a bar in front of
    /// each line.
    terminal: bool,
    colour: bool,
    unfinished: Unfinished,
    closed: bool,
    /// The output of each stream, if the program is somebody else's.
    foreign: Option<[ForeignOutput; 2]>,
    /// Where texts go while a line is being typed, and what was not sent there yet.
    above: Option<(Sender<String>, String)>,
}

impl Console {
    /// Writes messages to standard output; the program's standard error goes to standard error, unless both
    /// are a terminal.
    pub fn new(terminal: bool, colour: bool) -> Console {
        let out = Box::new(io::BufWriter::new(io::stdout()));
        Console::with(out, Box::new(io::stderr()), terminal, colour)
    }

    fn with(out: Box<dyn Write>, errors: Box<dyn Write>, terminal: bool, colour: bool) -> Console {
        Console {
            out,
            errors,
            terminal,
            colour,
            unfinished: Unfinished::No,
            closed: false,
            foreign: None,
            above: None,
        }
    }

    /// Whether to use colours, and the present width of the terminal.
    pub fn look(&self) -> Look {
        let width = if self.terminal { terminal_width() } else { None };
        Look { colour: self.colour, width: width.unwrap_or(Look::PLAIN.width) }
    }

    /// Whether nobody reads the output any more.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// Writes a message of the debugger; adds a missing line end.
    pub fn say(&mut self, text: &str) {
        self.finish_line();
        let look = self.look();
        let written = look.written(text);
        if self.terminal {
            self.write(&wrapped(&written, look.width))
        } else {
            self.write(&written)
        }
        if !text.ends_with('\n') {
            self.write("\n");
        }
    }

    /// Writes text whose paragraphs are broken where the terminal ends.
    pub fn say_prose(&mut self, text: &str) {
        if self.terminal { self.say(&joined(text)) } else { self.say(text) }
    }

    /// On a terminal, shows a line until something else is written; `None` removes it.
    pub fn show_for_now(&mut self, text: Option<&str>) {
        if !self.terminal || self.above.is_some() {
            return;
        }
        self.finish_line();
        if let Some(text) = text {
            let written = self.look().written(text);
            self.write(&written);
            self.unfinished = Unfinished::ForNow;
        }
        self.flush();
    }

    /// Writes an error message.
    pub fn print_error(&mut self, message: &str) {
        let error = self.look().paint(Role::Error, "Error");
        self.say(&format!("{error}: {message}"));
    }

    /// From now on, the program is one that somebody else has started: see [`ForeignOutput`].
    pub fn begin_foreign(&mut self) {
        self.foreign = Some(Default::default());
    }

    /// Writes output of the program.
    pub fn output(&mut self, stream: Stream, text: &str) {
        let text = match (&mut self.foreign, stream) {
            (Some([foreign, _]), Stream::Stdout) | (Some([_, foreign]), Stream::Stderr) => {
                Cow::Owned(foreign.shown(text))
            }
            (None, _) => Cow::Borrowed(text),
        };
        if !text.is_empty() {
            self.own_output(stream, &text);
        }
    }

    fn own_output(&mut self, stream: Stream, text: &str) {
        if self.unfinished != Unfinished::Program(stream) {
            self.finish_line();
        }
        if self.terminal {
            for line in text.split_inclusive('\n') {
                if self.unfinished == Unfinished::No {
                    let role = if stream == Stream::Stderr { Role::Error } else { Role::Secondary };
                    let look = Look { colour: self.colour, ..Look::PLAIN };
                    self.write(&look.written(&look.paint(role, BAR)));
                }
                self.write(line);
                self.note_end(stream, line);
            }
            return;
        }
        match stream {
            Stream::Stdout => self.write(text),
            Stream::Stderr => {
                self.flush();
                self.closed |= self.errors.write_all(text.as_bytes()).is_err();
            }
        }
        self.note_end(stream, text);
    }

    fn note_end(&mut self, stream: Stream, text: &str) {
        let ended = text.ends_with('\n');
        self.unfinished = if ended { Unfinished::No } else { Unfinished::Program(stream) };
    }

    /// Ends an incomplete line of the program's output.
    pub fn finish_line(&mut self) {
        match std::mem::replace(&mut self.unfinished, Unfinished::No) {
            Unfinished::No => {}
            Unfinished::ForNow => self.write(CLEAR_LINE),
            Unfinished::Program(Stream::Stderr) if !self.terminal => {
                self.closed |= self.errors.write_all(b"\n").is_err();
            }
            Unfinished::Program(_) => self.write("\n"),
        }
    }

    /// While a line is being typed, everything is shown above it, in whole lines; `None`: no more.
    pub fn show_above(&mut self, above: Option<Sender<String>>) {
        self.flush();
        self.above = above.map(|sender| (sender, String::new()));
    }

    /// Shows what was to be shown above the line that is being typed instead of it, beginning with these texts.
    pub fn replace_line(&mut self, texts: impl Iterator<Item = String>) {
        self.finish_line();
        let last = self.above.take().map(|(_, waiting)| waiting);
        self.write(CLEAR_TYPED);
        texts.chain(last).for_each(|text| self.write(&text));
        self.flush();
    }

    /// Writes a text that was written before, to be shown above a line.
    pub fn pass_on(&mut self, text: &str) {
        self.write(text);
    }

    fn write(&mut self, text: &str) {
        if let Some((_, waiting)) = &mut self.above {
            return waiting.push_str(text);
        }
        let written = self.out.write_all(text.as_bytes());
        self.note(written);
    }

    /// Flushes the output.
    pub fn flush(&mut self) {
        if self.above.is_some() {
            self.finish_line();
        }
        if let Some((sender, waiting)) = &mut self.above {
            if !waiting.is_empty() {
                let _ = sender.send(std::mem::take(waiting));
            }
            return;
        }
        let written = self.out.flush();
        self.note(written);
    }

    fn note(&mut self, written: io::Result<()>) {
        if let Err(error) = written {
            self.closed = true;
            note_lost_output(&error);
        }
    }
}

fn terminal_width() -> Option<usize> {
    let (width, _) = terminal_size::terminal_size_of(io::stdout())?;
    Some(usize::from(width.0)).filter(|width| *width > 0)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ez_runtime::sync::Mutex;

    use super::*;

    #[derive(Clone, Default)]
    struct Sink(Arc<Mutex<Vec<u8>>>);

    impl Write for Sink {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().write(bytes)
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn text(sink: &Sink) -> String {
        String::from_utf8(sink.0.lock().clone()).unwrap()
    }

    #[test]
    fn a_line_for_now_leaves_nothing_behind() {
        for (terminal, expected) in [
            (true, "│ a\n10 %\r\u{1b}[K20 %\r\u{1b}[Kb\n30 %\r\u{1b}[K40 %\r\u{1b}[K│ c"),
            (false, "a\nb\nc"),
        ] {
            let out = Sink::default();
            let mut console =
                Console::with(Box::new(out.clone()), Box::new(Sink::default()), terminal, false);
            console.output(Stream::Stdout, "a");
            console.show_for_now(Some("10 %"));
            console.show_for_now(Some("20 %"));
            console.say("b");
            console.show_for_now(Some("30 %"));
            console.show_for_now(None);
            console.show_for_now(Some("40 %"));
            console.output(Stream::Stdout, "c");
            assert_eq!(text(&out), expected);
        }
    }

    fn written(terminal: bool) -> (String, String) {
        let (out, errors) = (Sink::default(), Sink::default());
        let mut console = Console::with(Box::new(out.clone()), Box::new(errors.clone()), terminal, false);
        console.output(Stream::Stdout, "a\nb");
        console.output(Stream::Stdout, "c");
        console.say("one");
        console.output(Stream::Stdout, "d\n");
        console.say("two\n");
        console.output(Stream::Stdout, "e");
        console.output(Stream::Stderr, "f\ng");
        console.say("three");
        (text(&out), text(&errors))
    }

    #[test]
    fn output_is_apart_whole_and_in_order() {
        let (out, errors) = written(false);
        assert_eq!(out, "a\nbc\none\nd\ntwo\ne\nthree\n");
        assert_eq!(errors, "f\ng\n");
        let (out, errors) = written(true);
        assert_eq!(out, "│ a\n│ bc\none\n│ d\ntwo\n│ e\n│ f\n│ g\nthree\n");
        assert_eq!(errors, "");
    }
}
