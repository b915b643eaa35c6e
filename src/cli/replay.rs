//! `ez replay FILE`: runs a recorded program again.

use std::rc::Rc;
use std::time::Duration;

use crate::clients::show::{Style, report, unreadable, unreadable_file};
use crate::clients::subject::open_recording;
use ez_engine::recording::file::{AtEnd, Departure, End, PlaybackHost, Recording};
use ez_language::check::{Checked, check_program};
use ez_runtime::host::SystemHost;
use ez_runtime::platform::end_as_by_signal;
use ez_runtime::value::set_memory_limit;
use ez_runtime::visible::visible_line;

use super::run::{execute, exit};
use super::time_limit::TimeLimit;

/// Runs a recorded program again. Ends the process, or returns why the program was not run. `time`: the time limit.
pub(super) fn replay(file: &str, time: Option<Duration>, style: Style) -> Result<u8, String> {
    let recording = Rc::new(open_recording(file)?);
    let header = &recording.header;
    set_memory_limit(header.memory_limit);
    let checked = check_program(&header.sources, &header.path, &header.file);
    let Checked { program, sources, diagnostics, .. } =
        checked.map_err(|error| unreadable(&header.file, &error.reason))?;
    report(&diagnostics, &sources, style);
    let program = program.ok_or_else(|| {
        let by = visible_line(&header.by);
        format!("Error: the program was recorded by {by}, and has errors for this one")
    })?;
    let on_departure = Box::new({
        let recording = recording.clone();
        move |departure: &Departure| departed(&recording, departure)
    });
    let limit = time.map(TimeLimit::new);
    let shows = Box::new(SystemHost::new(limit.as_ref().map(TimeLimit::flag)));
    let (mut host, playback) = PlaybackHost::new(recording, shows, AtEnd::Soon, on_departure)
        .map_err(|error| unreadable_file(file, &ez_runtime::platform::reason(&error)))?;
    host.begin();
    let Some(status) = execute(&program, &sources, Box::new(host), limit.as_ref(), style) else {
        return Ok(1);
    };
    match playback.difference_at_end(status) {
        Some(difference) => differs(&difference),
        None => exit(status),
    }
}

/// Called when the program departs from the recording: ends the process.
fn departed(recording: &Recording, departure: &Departure) {
    match departure {
        Departure::Differs(what) => differs(what),
        Departure::AtEnd => {
            eprintln!("note: {}", recording.ending());
            match recording.end {
                Some(End::Signal(signal)) => end_as_by_signal(signal),
                Some(End::Status(_)) | None => exit(1),
            }
        }
    }
}

fn differs(what: &str) -> ! {
    eprintln!("Error: the replay differs from the recording: {what}");
    exit(1)
}
