//! Descriptions of the calls of a record, for messages: in words, on one line, and without control characters.

use ez_runtime::value::{HostAnswer, HostRequest, Job, JobResult, Stream};

use super::record::HostCall;

/// Maximum number of characters of a text from the program or the record.
const SHOWN: usize = 100;

/// A text in quotes, shortened, with control characters escaped.
pub(super) fn quoted(text: &str) -> String {
    let mut shown: String = text.chars().take(SHOWN).flat_map(escaped).collect();
    if text.chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    format!("\"{shown}\"")
}

fn escaped(c: char) -> Box<dyn Iterator<Item = char>> {
    match c {
        '"' | '\\' => Box::new(c.escape_default()),
        c if c.is_control() => Box::new(c.escape_default()),
        c => Box::new(std::iter::once(c)),
    }
}

/// What a call of the record is about.
pub(super) fn call(call: &HostCall) -> String {
    match call {
        HostCall::Write { stream, text, .. } => output(*stream, text),
        HostCall::Wrote { bytes, .. } => format!("{bytes} bytes of output"),
        HostCall::WriteFailed(_) => "output that fails".into(),
        HostCall::Line(_) => "a line of input".into(),
        HostCall::Sleep(time) => format!("sleep for {time:?}"),
        HostCall::Now(..) => "the time".into(),
        HostCall::Seed(_) => "the seed of random bits".into(),
        HostCall::Request(said, _) => request(said),
        HostCall::Start(said, _) => job(said),
        HostCall::Finish(number, _) => end_of_job(*number),
    }
}

/// Output of the program.
pub(super) fn output(stream: Stream, text: &str) -> String {
    match stream {
        Stream::Stdout => format!("the output {}", quoted(text)),
        Stream::Stderr => format!("the error output {}", quoted(text)),
    }
}

pub(super) fn end_of_job(number: u64) -> String {
    format!("the end of job {number}")
}

/// What a job does.
pub(super) fn job(job: &Job) -> String {
    match job {
        Job::ReadFile(path) => format!("the contents of {}", quoted(path)),
        Job::Request(said) => request(said),
        Job::Command { command, .. } => format!("the command {}", quoted(command)),
        Job::Fetch(fetch) => format!("a reply to {} {}", fetch.method, quoted(&fetch.url)),
        Job::Serve { port, .. } => format!("a web server at port {port}"),
    }
}

/// What a request asks for.
pub(super) fn request(request: &HostRequest) -> String {
    let about = |what: &str, path: &str| format!("{what} {}", quoted(path));
    match request {
        HostRequest::Status { path, .. } => about("the status of", path),
        HostRequest::WriteFile { path, .. } => about("writing the file", path),
        HostRequest::AppendFile { path, .. } => about("appending to the file", path),
        HostRequest::Remove(path) => about("removing", path),
        HostRequest::RemoveDirectory(path) => about("removing the directory", path),
        HostRequest::RemoveAll(path) => about("removing all of", path),
        HostRequest::Rename(from, to) => format!("renaming {} to {}", quoted(from), quoted(to)),
        HostRequest::Copy { from, to, .. } => format!("copying {} to {}", quoted(from), quoted(to)),
        HostRequest::MakeDirectory { path, .. } => about("creating the directory", path),
        HostRequest::ReadDirectory(path) => about("the names in", path),
        HostRequest::Open { path, .. } => about("opening", path),
        HostRequest::Read(..) => "reading an open file".into(),
        HostRequest::Write(..) => "writing to an open file".into(),
        HostRequest::Seek(..) => "the position in an open file".into(),
        HostRequest::Sync(_) => "flushing an open file".into(),
        HostRequest::Close(_) => "closing an open file".into(),
        HostRequest::Variable(name) => about("the environment variable", name),
        HostRequest::SetVariable(name, _) => about("setting the environment variable", name),
        HostRequest::Variables => "the environment variables".into(),
        HostRequest::Arguments => "the arguments".into(),
        HostRequest::Directory => "the working directory".into(),
        HostRequest::ChangeDirectory(path) => about("changing the working directory to", path),
        HostRequest::HostName => "the name of the computer".into(),
        HostRequest::UserName => "the name of the user".into(),
        HostRequest::ProcessId => "the process id".into(),
        HostRequest::ParentId => "the process id of the parent".into(),
        HostRequest::Processors => "the number of processors".into(),
        HostRequest::Zone(_) => "the time zone".into(),
        HostRequest::RandomBytes(count) => format!("{count} random bytes"),
    }
}

/// Whether an answer is of the kind that a request has. Errors fit every request.
pub(super) fn answers(request: &HostRequest, answer: &HostAnswer) -> bool {
    use HostRequest as R;
    match answer {
        HostAnswer::Done => matches!(
            request,
            R::WriteFile { .. }
                | R::AppendFile { .. }
                | R::Remove(_)
                | R::RemoveDirectory(_)
                | R::RemoveAll(_)
                | R::Rename(..)
                | R::Copy { .. }
                | R::MakeDirectory { .. }
                | R::Sync(_)
                | R::Close(_)
                | R::SetVariable(..)
                | R::ChangeDirectory(_)
        ),
        HostAnswer::Number(_) => matches!(
            request,
            R::Open { .. } | R::Write(..) | R::Seek(..) | R::ProcessId | R::ParentId | R::Processors
        ),
        HostAnswer::Text(_) => matches!(request, R::Directory | R::HostName | R::UserName),
        HostAnswer::MaybeText(_) => matches!(request, R::Variable(_)),
        HostAnswer::Texts(_) => matches!(request, R::ReadDirectory(_) | R::Arguments),
        HostAnswer::Pairs(_) => matches!(request, R::Variables),
        HostAnswer::Bytes(_) => matches!(request, R::Read(..) | R::RandomBytes(_)),
        HostAnswer::Status(_) => matches!(request, R::Status { .. }),
        HostAnswer::Zone { .. } => matches!(request, R::Zone(_)),
    }
}

/// Whether a result is of the kind that a job has.
pub(super) fn ends(job: &Job, result: &JobResult) -> bool {
    match (job, result) {
        (Job::Request(request), JobResult::Answer(Ok(answer))) => answers(request, answer),
        (_, JobResult::Answer(Err(_)) | JobResult::Unknown) => true,
        (Job::ReadFile(_), JobResult::Bytes(_))
        | (Job::Command { .. }, JobResult::Command(_))
        | (Job::Fetch(_), JobResult::Reply(_))
        | (Job::Serve { .. }, JobResult::Served(_)) => true,
        _ => false,
    }
}
