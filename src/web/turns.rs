//! Explains a difference where nobody may wait for answers, as in a page: one request, then its answer, then the next.
//!
//! The explanation begins anew after each answer, with all answers so far: what it asks depends on them alone, and there are
//! few.

use crate::clients::cause::{Line, explain};
use crate::clients::past::Past;
use ez_engine::api::{Difference, Question, Request, Response, Resume, Stopped, Travel};

/// An explanation that is made in turns.
pub struct Turns {
    difference: Difference,
    answers: Vec<Answer>,
}

/// What was answered.
enum Answer {
    Response(Result<Box<Response>, String>),
    Stop(Result<Box<Stopped>, String>),
}

/// What has to be done next.
pub enum Turn {
    /// Make this request, and give the response to [`Turns::respond`].
    Ask(Request),
    /// Make this request, and give the stop that follows to [`Turns::arrive`].
    Travel(Request),
    /// Nothing: this is the explanation, or why there is none.
    Done(Result<Vec<Line>, String>),
}

impl Turns {
    /// Explains a difference after which the program is stopped, as [`explain`] does.
    pub fn new(difference: Difference) -> Turns {
        Turns { difference, answers: Vec::new() }
    }

    /// What has to be done next.
    pub fn next(&self) -> Turn {
        let mut past = AnsweredPast { answers: self.answers.iter(), wanted: None };
        let explained = explain(&mut past, &self.difference);
        past.wanted.unwrap_or(Turn::Done(explained))
    }

    /// The response to the latest [`Turn::Ask`].
    pub fn respond(&mut self, response: Result<Response, String>) {
        self.answers.push(Answer::Response(response.map(Box::new)));
    }

    /// The stop after the latest [`Turn::Travel`], or why there is none.
    pub fn arrive(&mut self, stop: Result<Box<Stopped>, String>) {
        self.answers.push(Answer::Stop(stop));
    }
}

/// A past that knows its first answers.
struct AnsweredPast<'a> {
    answers: std::slice::Iter<'a, Answer>,
    /// What was asked first that is not answered. Nothing after it counts.
    wanted: Option<Turn>,
}

impl<'a> AnsweredPast<'a> {
    fn answer(&mut self, turn: impl FnOnce() -> Turn) -> Option<&'a Answer> {
        let answer = self.answers.next();
        if answer.is_none() {
            self.wanted.get_or_insert_with(turn);
        }
        answer
    }
}

/// Why something is not answered. What is made of it is not used.
const LATER: &str = "it is not known yet";

impl Past for AnsweredPast<'_> {
    fn ask<Q: Question>(&mut self, question: Q) -> Result<Q::Answer, String> {
        match self.answer(|| Turn::Ask(question.into_request())) {
            Some(Answer::Response(response)) => {
                Q::answer_from(*response.clone()?).map_err(|failure| failure.message)
            }
            Some(Answer::Stop(_)) | None => Err(LATER.into()),
        }
    }

    fn travel(&mut self, travel: Travel) -> Result<Box<Stopped>, String> {
        match self.answer(|| Turn::Travel(Resume::Travel(travel).into_request())) {
            Some(Answer::Stop(stop)) => stop.clone(),
            Some(Answer::Response(_)) | None => Err(LATER.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;
    use std::time::Duration;

    use super::*;
    use crate::protocol::SessionHandle;
    use ez_engine::api::{Event, ExpectedText, Launch, OutputMode, SetExpectedOutput, Start};
    use ez_engine::session::{Item, Session, Settings, run_engine};
    use ez_runtime::host::Commands;

    /// A session with a program that has printed something else than is expected.
    fn stopped(folder: &Path, program: &str, expected: String) -> (SessionHandle, Difference) {
        let session = Session::new(Duration::ZERO, Commands::unguarded());
        let settings = Settings { file: None, directory: folder.into(), root: None };
        session.start_engine(Box::new(move |link| run_engine(settings, link)), &|main| {
            let engine = std::thread::Builder::new().stack_size(256 << 20);
            engine.spawn(move || std::mem::forget(main())).is_ok()
        });
        let session = SessionHandle::own(session);
        session.ask(Launch { file: Some(program.into()), history: true, ..Launch::default() }).unwrap();
        let expected = Some(ExpectedText::Text(expected));
        session.ask(SetExpectedOutput { expected, mode: OutputMode::default() }).unwrap();
        session.send(Start { stop_on_entry: Some(false) }.into_request());
        let stop = next_stop(&session).unwrap();
        (session, *stop.difference.unwrap())
    }

    fn next_stop(session: &SessionHandle) -> Result<Box<Stopped>, String> {
        loop {
            match session.next() {
                Some(Item::Event(Event::Stopped(stop))) => return Ok(stop),
                Some(_) => {}
                None => return Err("the session has ended".into()),
            }
        }
    }

    fn explained_in_turns(session: &SessionHandle, difference: Difference) -> Result<Vec<Line>, String> {
        let mut turns = Turns::new(difference);
        loop {
            match turns.next() {
                Turn::Ask(request) => {
                    let response = session.response(session.send(request));
                    turns.respond(response.map_err(|failure| failure.message));
                }
                Turn::Travel(request) => match session.response(session.send(request)) {
                    Ok(_) => turns.arrive(next_stop(session)),
                    Err(failure) => turns.arrive(Err(failure.message)),
                },
                Turn::Done(explained) => return explained,
            }
        }
    }

    #[test]
    fn it_is_the_explanation_of_who_waits() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/causes/more");
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let expected = path.with_extension("out");
            if path.extension().is_none_or(|extension| extension != "ez") || !expected.exists() {
                continue;
            }
            let expected = fs::read_to_string(expected).unwrap();
            let name = path.file_name().unwrap().to_str().unwrap();
            let (mut session, difference) = stopped(&folder, name, expected.clone());
            let at_once = explain(&mut session, &difference);
            let (session, again) = stopped(&folder, name, expected);
            assert_eq!(difference, again, "{name}");
            assert_eq!(explained_in_turns(&session, difference), at_once, "{name}");
            assert!(at_once.is_ok_and(|lines| !lines.is_empty()), "{name}");
        }
    }
}
