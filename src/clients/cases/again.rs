//! Runs a case that has failed again, from the recording of its run, in a session with a history: where it was that something
//! else was printed.

use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::Duration;

use crossbeam_channel::{Sender, bounded};

use super::folder::Case;
use super::program::{Place, Program, Settings};
use crate::clients::cause::{self, Line};
use crate::clients::past::Past;
use crate::protocol::{Duplex, SessionHandle};
use ez_engine::api::{
    Difference, Event, ExpectedText, GetOutputSteps, GetSource, Launch, Limits, OutputMode, Question,
    SetExpectedOutput, Start, StopReason,
};
use ez_engine::session::Item;
use ez_runtime::platform::{slashed, text_of, without_window};
use ez_runtime::threads;
use ez_runtime::value::Stream;
use ez_runtime::visible::quoted;

/// How much longer than the limit of the program all of it may take: the history has its price, and questions too.
const GRACE: Duration = Duration::from_secs(10);

/// How many bytes a statement has written at most before a difference between words whose cause is looked for.
const MAX_WRITE: u64 = 1000;

/// Longer texts are read by the session itself, in bytes.
const MAX_TEXT: usize = 1 << 20;

/// What is known of a difference.
pub struct Found {
    /// Where it was printed, if that can be found out.
    pub place: Option<Place>,
    /// Where it comes from.
    pub cause: Vec<Line>,
    /// Whether the program has ended since it has read more than there is.
    pub reads_on: bool,
}

/// What is known of a difference, as far as that can be found out. `output` is the beginning of what was printed.
pub fn run(
    program: &Program,
    case: &Case,
    settings: &Settings,
    recording: &Path,
    difference: &Difference,
    output: &str,
) -> Option<Found> {
    let (mut session, _ends) = session(program, settings.time * 2 + GRACE)?;
    let mode = settings.mode.in_engine();
    let expected = match mode {
        Some(mode) => Some(SetExpectedOutput { expected: Some(expected(case)?), mode }),
        None => up_to(difference, output),
    };
    let launch = Launch {
        replay: Some(text_of(recording.as_os_str())),
        history: true,
        stop_on_entry: Some(false),
        limits: Limits::PREVIEW,
        expected,
        ..Launch::default()
    };
    session.ask(launch).ok()?;
    session.send(Start { stop_on_entry: Some(false) }.into_request());
    let stop = loop {
        match session.next()? {
            Item::Event(Event::Stopped(stop)) => break stop,
            Item::Event(Event::Exited(_)) => return None,
            Item::Event(_) | Item::Response(..) | Item::Output { .. } | Item::Reply(_) => {}
        }
    };
    if mode.is_some() && stop.reason != StopReason::Output {
        return None;
    }
    let ends = stop.difference.as_ref().filter(|found| found.actual.is_none());
    let reads_on = ends.is_some_and(|found| stop.description == found.sentence(true));
    let found = stop.difference.filter(|_| mode.is_some());
    let place = difference.actual.and_then(|_| place(program, &mut session, difference.offset));
    let difference = found.map_or_else(|| with_write(&mut session, difference), |found| *found);
    let mut cause = cause::explain(&mut session, &difference).unwrap_or_default();
    // That one tells the place.
    if let (Some(first), Some(place)) = (cause.first(), &place)
        && Some(first.step) == place.step
    {
        cause.remove(0);
    }
    for line in &mut cause {
        line.location.path = within(program, &line.location.path);
    }
    Some(Found { place, cause, reads_on })
}

/// A session in a process of its own, which ends after this time, or when the second value is dropped.
fn session(program: &Program, time: Duration) -> Option<(SessionHandle, Sender<()>)> {
    let mut command = program.ez(Stdio::piped()).ok()?;
    command.arg("debugserver").stdout(Stdio::piped()).stderr(Stdio::null());
    without_window(&mut command);
    let mut child = command.spawn().ok()?;
    let (stdin, stdout) = child.stdin.take().zip(child.stdout.take())?;
    let ends = ends_after(child, time)?;
    // What the program prints is known.
    let kept = |item| if matches!(item, Item::Output { .. }) { None } else { Some(item) };
    let session = SessionHandle::of_process(Duplex::pipes(stdout, stdin), kept).ok()?;
    Some((session, ends))
}

/// What the program has to print, for the session.
fn expected(case: &Case) -> Option<ExpectedText> {
    let text = case.output.as_ref()?;
    if text.len() <= MAX_TEXT {
        return Some(ExpectedText::Text(text.to_string()));
    }
    let path = std::path::absolute(case.output_path()).ok()?;
    Some(ExpectedText::File(text_of(path.as_os_str())))
}

/// What stops the session at the first character of a word that differs: what was printed before it, and then another one.
/// `None` where nothing more was printed, or too much before.
fn up_to(words: &Difference, output: &str) -> Option<SetExpectedOutput> {
    let end = usize::try_from(between_characters(words)?.offset).ok().filter(|end| *end <= MAX_TEXT)?;
    let (before, after) = output.split_at_checked(end)?;
    let other = if after.starts_with('.') { ',' } else { '.' };
    let expected = Some(ExpectedText::Text(format!("{before}{other}")));
    Some(SetExpectedOutput { expected, mode: OutputMode::Exact })
}

/// The difference between two words as one between their first characters that differ; `None` where nothing more was
/// printed.
fn between_characters(words: &Difference) -> Option<Difference> {
    let last = words.actual?;
    let (mut expected, mut actual) = (words.expected_line.chars(), words.actual_line.chars());
    let (mut offset, mut column) = (words.offset, words.column);
    let (expected, actual) = loop {
        match (expected.next(), actual.next()) {
            (Some(one), Some(other)) if one == other => {
                offset += one.len_utf8() as u64;
                column += 1;
            }
            (one, other) => break (one, other.or(Some(last))),
        }
    };
    Some(Difference { offset, column, expected, actual, ..words.clone() })
}

/// The difference between two words as one between characters, with its place in the write that has made it.
fn with_write(session: &mut SessionHandle, words: &Difference) -> Difference {
    let Some(found) = between_characters(words) else { return words.clone() };
    match within_write(session, found.offset) {
        Some(within) => Difference { within: Some(within), ..found },
        // The output ends with the word.
        None => Difference { within: within_write(session, words.offset), ..words.clone() },
    }
}

/// How many bytes the statement has written before this byte that has written it, if they are not too many.
fn within_write(session: &mut SessionHandle, offset: u64) -> Option<u64> {
    let offsets = (offset.saturating_sub(MAX_WRITE)..=offset).rev().collect();
    let steps = session.ask(GetOutputSteps { offsets, stream: Some(Stream::Stdout) }).ok()?;
    let same = steps.iter().take_while(|step| steps.first().is_some_and(|first| first.step == step.step));
    let within = same.count().checked_sub(1)? as u64;
    (within < MAX_WRITE).then_some(within)
}

/// The path of a file, relative to the folder of the program if it is in that.
fn within(program: &Program, path: &Path) -> PathBuf {
    path.strip_prefix(program.root.path()).unwrap_or(path).to_path_buf()
}

/// The statement that has printed a byte.
fn place(program: &Program, session: &mut SessionHandle, offset: u64) -> Option<Place> {
    let found = session.printed_by(offset).ok()?;
    let path = &found.location.path;
    let line = found.location.line;
    // The file may be another one meanwhile.
    let text = session.ask(GetSource { file: text_of(path.as_os_str()) }).ok()?.text;
    let text = text.lines().nth((line as usize).saturating_sub(1)).unwrap_or_default().trim();
    Some(Place { file: slashed(&within(program, path)), line, step: Some(found.step), text: quoted(text) })
}

/// Ends a process when the time is over, or what is returned is dropped.
fn ends_after(mut child: Child, time: Duration) -> Option<Sender<()>> {
    let (held, is_dropped) = bounded::<()>(0);
    let work = move || {
        let _ = is_dropped.recv_timeout(time);
        // Fails if it has ended already.
        let _ = child.kill();
        let _ = child.wait();
    };
    threads::spawn("case", work).ok().map(|_| held)
}
