//! Requests whose answers have a type of their own.

use super::{
    Attach, Attached, Done, Failure, Initialized, Launch, Request, Response, Restart, Restarted, Resume,
    SessionRequest,
};

/// A request with the type of its answer.
pub trait Question: Sized {
    /// What a successful response contains.
    type Answer;

    /// The request in the form in which sessions pass it on.
    fn into_request(self) -> Request;

    /// The response that contains an answer.
    fn response(answer: Self::Answer) -> Response;

    /// The answer in a response.
    ///
    /// # Errors
    /// If the response is one to another question.
    fn answer_in(response: &Response) -> Result<&Self::Answer, Failure>;

    /// The answer from a response.
    ///
    /// # Errors
    /// If the response is one to another question.
    fn answer_from(response: Response) -> Result<Self::Answer, Failure>;
}

/// Implements [`Question`] for a type: how it becomes a request, and the response that contains its answer.
macro_rules! question {
    ($question:ty: $request:expr, $answer:ty, $content:ident => $($response:tt)*) => {
        impl $crate::api::Question for $question {
            type Answer = $answer;

            fn into_request(self) -> $crate::api::Request {
                let request: fn($question) -> $crate::api::Request = $request;
                request(self)
            }

            fn response($content: $answer) -> $crate::api::Response {
                $($response)*
            }

            fn answer_in(
                response: &$crate::api::Response,
            ) -> Result<&$answer, $crate::api::Failure> {
                match response {
                    $($response)* => Ok($content),
                    _ => Err($crate::api::Failure::another_answer()),
                }
            }

            fn answer_from(
                response: $crate::api::Response,
            ) -> Result<$answer, $crate::api::Failure> {
                match response {
                    $($response)* => Ok($content),
                    _ => Err($crate::api::Failure::another_answer()),
                }
            }
        }
    };
}

pub(crate) use question;

/// Requests whose response says only that they are carried out, or will be.
macro_rules! orders {
    ($($(#[$doc:meta])* $order:ident,)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug)]
            pub struct $order;

            question!($order: |_| Request::$order, Done, done => Response::Done(done));
        )*
    };
}

orders! {
    /// [`Request::Pause`].
    Pause,
    /// [`Request::Kill`].
    Kill,
    /// [`Request::Terminate`].
    Terminate,
}

/// [`Request::Start`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Start {
    /// Whether the program stops at its first place; `None`: as it was launched.
    pub stop_on_entry: Option<bool>,
}

question!(
    Start: |Start { stop_on_entry }| Request::Start(stop_on_entry),
    Done, done => Response::Done(done)
);

/// [`SessionRequest::Disconnect`].
#[derive(Clone, Copy, Debug)]
pub struct Disconnect {
    /// Whether the program goes on as if no client had been there.
    pub resume: bool,
}

question!(
    Disconnect: |Disconnect { resume }| Request::Session(SessionRequest::Disconnect { resume }),
    Done, done => Response::Done(done)
);

/// [`SessionRequest::Input`].
#[derive(Clone, Debug)]
pub struct Input {
    /// Lines of input; a missing line end is added to the last one.
    pub text: Option<String>,
    /// Whether this is the end of the input. If so, no line end is added.
    pub eof: bool,
}

question!(Input: |Input { text, eof }| Request::Session(SessionRequest::Input { text, eof }), Done, done => Response::Done(done));
question!(Resume: Request::Resume, Done, done => Response::Done(done));
question!(
    Launch: |launch| Request::Initialize(Box::new(launch)),
    Initialized, program => Response::Initialized(program)
);
question!(
    Restart: |restart| Request::Restart(Box::new(restart)),
    Restarted, program => Response::Restarted(program)
);
question!(
    Attach: |attach| Request::Session(SessionRequest::Attach(Box::new(attach))),
    Box<Attached>, attached => Response::Attached(attached)
);

/// Defines a family of questions, one row for each: its variant and type, the type of its answer, the method
/// that answers it, and the verb phrase (see [`Request::verb`]).
///
/// The family is an enum, which is a variant of [`Request`]; its answers are an enum with the same variants, which
/// is a variant of [`Response`], so that questions may have answers of the same type. What answers them implements a
/// trait with one method for each question, so that no question is forgotten and none gets another's answer.
macro_rules! questions {
    (
        $(#[$about:meta])*
        $family:ident: Request::$wrapper:ident, answers $answers:ident, answered by $handler:ident:
        $($(#[$doc:meta])* $variant:ident($question:ty) -> $answer:ty, $method:ident, $verb:literal;)*
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        pub enum $family {
            $($(#[$doc])* $variant($question),)*
        }

        impl $family {
            /// What the question is for, as the verb phrase in `Cannot …: …`.
            pub fn verb(&self) -> &'static str {
                match self {
                    $($family::$variant(_) => $verb,)*
                }
            }

            /// Has the question answered.
            ///
            /// # Errors
            /// Why it cannot be answered.
            pub(crate) fn answered_by(
                self,
                handler: &mut impl $handler,
            ) -> Result<$crate::api::Response, $crate::api::Failure> {
                match self {
                    $($family::$variant(question) => {
                        handler.$method(question).map(<$question as $crate::api::Question>::response)
                    })*
                }
            }
        }

        #[doc = concat!("The answer to each [`", stringify!($family), "`].")]
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        pub enum $answers {
            $(
                #[doc = concat!("To [`", stringify!($family), "::", stringify!($variant), "`].")]
                $variant($answer),
            )*
        }

        #[doc = concat!("What answers each [`", stringify!($family), "`].")]
        pub(crate) trait $handler {
            $($(#[$doc])* fn $method(&mut self, question: $question) -> Result<$answer, $crate::api::Failure>;)*
        }

        $($crate::api::question::question!(
            $question: |question| $crate::api::Request::$wrapper($family::$variant(question)),
            $answer, answer => $crate::api::Response::$wrapper($answers::$variant(answer))
        );)*
    };
}

pub(crate) use questions;
