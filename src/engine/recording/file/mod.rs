//! Recordings in files: written while a program runs, and read to play it again.

mod format;
mod playback;
mod recorder;
mod recording;

pub use format::{End, Header, System, VERSION};
pub use playback::{AtEnd, Departure, Playback, PlaybackHost};
pub use recorder::Recorder;
pub use recording::{Recording, RecordingError};
