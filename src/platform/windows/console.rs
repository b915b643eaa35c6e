//! The console and standard streams.

use std::fs::File;
use std::io;
use std::os::windows::io::AsHandle;

use crate::platform::{NULL_DEVICE, StandardStreams};

use super::system::{self, StandardStream};

/// The number that other systems give Ctrl+C as a signal.
const INTERRUPTED: i32 = 2;

/// The exit status of a process that Ctrl+C has ended.
const STATUS_CONTROL_C_EXIT: i32 = 0xC000_013A_u32 as i32;

pub fn prepare_console() {
    // Consoles that cannot show colours are not asked to.
    let _ = anstyle_query::windows::enable_ansi_colors();
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
    // Processes that are spawned would inherit the first ones, which are closed by this, but not the copies.
    system::replace_standard_stream(StandardStream::Input, File::open(NULL_DEVICE)?)?;
    let nothing = File::options().write(true).open(NULL_DEVICE)?;
    system::replace_standard_stream(StandardStream::Output, nothing)?;
    // That nobody reads a pipe any more is only seen when it is written.
    Ok(StandardStreams { reader, writer, watch: None })
}

/// There is none: see [`take_standard_streams`].
pub enum OutputWatch {}

impl OutputWatch {
    /// Waits until nobody can read what is written.
    pub fn wait_closed(&self) -> bool {
        match *self {}
    }
}
