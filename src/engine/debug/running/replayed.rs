//! Opens a recording that is to be played instead of running a program.

use std::path::Path;
use std::rc::Rc;

use crate::api::{Event, Failure, FailureKind, Launch};
use crate::debug::control::InterruptHandle;
use crate::debug::engine::Engine;
use crate::debug::paths;
use crate::recording::file::{AtEnd, Departure, Playback, PlaybackHost, Recording, RecordingError};
use ez_language::modules::SourceLoader;
use ez_runtime::platform::{Held, reason};
use ez_runtime::value::Host;

/// An open recording.
pub struct Replayed {
    pub recording: Rc<Recording>,
    /// The parameters of the program, from request and recording.
    pub launch: Launch,
    /// What keeps its file until it is played.
    _held: Option<Held>,
}

impl Replayed {
    /// Opens the recording that a client has requested, if any. `loader` says which files may be read; `directory` is the
    /// base of relative paths.
    ///
    /// # Errors
    /// If it cannot be played, or the request has parameters that the recording determines.
    pub fn open(
        launch: &Launch,
        loader: &dyn SourceLoader,
        directory: &Path,
    ) -> Result<Option<Replayed>, Failure> {
        let Some(file) = &launch.replay else { return Ok(None) };
        let given = [
            ("file", launch.file.is_some()),
            ("source", launch.source.is_some()),
            ("args", !launch.args.is_empty()),
            ("env", !launch.env.is_empty()),
            ("deny", !launch.deny.is_empty()),
            ("memoryLimit", launch.memory_limit.is_some()),
        ];
        if let Some((name, _)) = given.into_iter().find(|(_, given)| *given) {
            return Err(Failure::in_recording(name));
        }
        let base = match &launch.working_dir {
            Some(from) => paths::absolute(directory, from),
            None => directory.to_path_buf(),
        };
        let path = paths::absolute(&base, file);
        let held = loader.hold(&path).map_err(|error| Failure::of_file(file, reason(&error)))?;
        let found = held.as_ref().map_or(&path, |held| &held.path);
        let recording = Recording::open(found).map_err(|error| match error {
            RecordingError::Unreadable(_) => Failure::of_file(file, error),
            RecordingError::Foreign | RecordingError::Newer(_) | RecordingError::Damaged { .. } => {
                Failure::new(FailureKind::NoProgram, format!("{file}: {error}"))
            }
        })?;
        let launch = Launch {
            args: recording.header.arguments.clone(),
            memory_limit: recording.header.memory_limit,
            working_dir: None,
            replay: None,
            // It starts no processes.
            children: false,
            ..launch.clone()
        };
        Ok(Some(Replayed { recording: Rc::new(recording), launch, _held: held }))
    }

    /// A host that answers from the recording; output goes to `shows`. If the program diverges from the
    /// recording, it stops.
    ///
    /// # Errors
    /// If the recording cannot be read any more.
    pub fn host(
        &self,
        shows: Box<dyn Host>,
        interrupt: &InterruptHandle,
    ) -> Result<(Box<dyn Host>, Playback), Failure> {
        let (recording, interrupt) = (self.recording.clone(), interrupt.clone());
        let on_departure = Box::new(move |departure: &Departure| {
            interrupt.stop_with(match departure {
                Departure::AtEnd => recording.ending(),
                Departure::Differs(what) => differs(what),
            });
        });
        let made = PlaybackHost::new(self.recording.clone(), shows, AtEnd::Late, on_departure);
        let (host, playback) =
            made.map_err(|error| Failure::new(FailureKind::NoProgram, error.to_string()))?;
        Ok((Box::new(host), playback))
    }
}

fn differs(what: &str) -> String {
    format!("the replay differs from the recording: {what}")
}

impl Engine {
    /// The program has ended with this status: reports a divergence that did not stop it, or a different
    /// status in the recording.
    pub fn tell_difference(&self, status: i32) {
        let at_end = || self.playback.as_ref()?.difference_at_end(status).as_deref().map(differs);
        if let Some(text) = self.inspection.connection.interrupt.take_notice().or_else(at_end) {
            self.event(Event::Log(text));
        }
    }
}
