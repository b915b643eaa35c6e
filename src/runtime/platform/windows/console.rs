//! The console and standard streams.

use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::os::windows::io::AsHandle;
use std::time::Duration;

use crate::platform::{NULL_DEVICE, StandardStreams};

use super::system::{self, StandardStream};

/// The signal number of Ctrl+C on other systems.
const INTERRUPTED: i32 = 2;

/// The exit status of a process ended by Ctrl+C.
const STATUS_CONTROL_C_EXIT: i32 = 0xC000_013A_u32 as i32;

pub fn prepare_process() {
    // Has no effect on consoles without colours.
    let _ = anstyle_query::windows::enable_ansi_colors();
}

/// Works line by line, since a command may run programs with different encodings.
pub fn decoded_output(output: Vec<u8>) -> Vec<u8> {
    if str::from_utf8(&output).is_ok() {
        return output;
    }
    let lines = output.split_inclusive(|byte| *byte == b'\n');
    let decoded = lines.map(|line| match str::from_utf8(line) {
        Ok(text) => Cow::from(text),
        Err(_) => system::console_text(line).map_or_else(|_| String::from_utf8_lossy(line), Cow::from),
    });
    decoded.collect::<String>().into_bytes()
}

pub fn before_signal_ends(heard: impl FnOnce(i32) + Send + 'static) -> io::Result<()> {
    let mut heard = Some(heard);
    on_interrupt(move || {
        if let Some(heard) = heard.take() {
            heard(INTERRUPTED);
            end_as_by_signal(INTERRUPTED);
        }
    })
}

pub fn end_as_by_signal(number: i32) -> ! {
    std::process::exit(if number == INTERRUPTED { STATUS_CONTROL_C_EXIT } else { 128 + number })
}

pub fn on_interrupt(heard: impl FnMut() + Send + 'static) -> io::Result<()> {
    ctrlc::set_handler(heard).map_err(io::Error::other)
}

pub fn take_standard_streams() -> io::Result<StandardStreams> {
    let reader = File::from(io::stdin().as_handle().try_clone_to_owned()?);
    let writer = File::from(io::stdout().as_handle().try_clone_to_owned()?);
    // Spawned processes would inherit the originals, which this closes, but not the copies.
    system::replace_standard_stream(StandardStream::Input, File::open(NULL_DEVICE)?)?;
    let nothing = File::options().write(true).open(NULL_DEVICE)?;
    system::replace_standard_stream(StandardStream::Output, nothing)?;
    let watch = Some(ReaderWatch(writer.try_clone()?));
    Ok(StandardStreams { reader, writer, watch })
}

/// How the console of standard input treats what is typed.
pub struct TerminalMode(u32);

impl TerminalMode {
    /// The present one; `None` if standard input is no console.
    pub fn present() -> Option<TerminalMode> {
        winapi_util::console::mode(winapi_util::HandleRef::stdin()).ok().map(TerminalMode)
    }

    /// Makes it the present one again.
    pub fn restore(&self) {
        let _ = winapi_util::console::set_mode(winapi_util::HandleRef::stdin(), self.0);
    }
}

/// How often a pipe is checked: the system sends no notification.
const PERIOD: Duration = Duration::from_millis(50);

/// Detects that the other end of an output stream is closed.
pub struct ReaderWatch(File);

impl ReaderWatch {
    /// Waits until the other end is closed; returns `false` if that cannot be detected.
    pub fn wait_closed(&self) -> bool {
        while let Some(closed) = system::pipe_is_closed(self.0.as_handle()) {
            if closed {
                return true;
            }
            std::thread::sleep(PERIOD);
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use std::os::windows::io::OwnedHandle;

    use super::*;

    #[test]
    fn output_is_decoded_where_it_is_no_utf_8() {
        let decoded = |output: &[u8]| String::from_utf8(decoded_output(output.into())).expect("UTF-8");
        assert_eq!(decoded("größer\r\n".as_bytes()), "größer\r\n");
        // The same in code pages 437 and 850, which western consoles use.
        let text = system::console_text(b"gr\x94\xe1er").expect("text");
        assert_eq!(decoded(b"gr\x94\xe1er\r\ngr\xc3\xb6\xc3\x9fer\r\n"), format!("{text}\r\ngrößer\r\n"));
        assert!(!text.contains(char::REPLACEMENT_CHARACTER), "{text}");
        assert_eq!(decoded(b""), "");
    }

    #[test]
    fn a_closed_pipe_is_noticed() {
        let (reader, writer) = io::pipe().expect("a pipe");
        let watch = ReaderWatch(File::from(OwnedHandle::from(writer)));
        assert_eq!(system::pipe_is_closed(watch.0.as_handle()), Some(false));
        drop(reader);
        assert!(watch.wait_closed());
        let file = tempfile::tempfile().expect("a file");
        assert!(!ReaderWatch(file).wait_closed());
    }
}
