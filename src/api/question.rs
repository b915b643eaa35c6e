//! Requests whose answers have a type of their own.

use super::{Answer, Attach, Attached, Done, Initialized, Launch, Request, Restart, Restarted, Resume};

/// A request with the type of its answer.
pub trait Question {
    /// What a successful response contains.
    type Answer: Answer;

    /// The request in the form in which sessions pass it on.
    fn into_request(self) -> Request;
}

/// Requests whose response says only that they are carried out, or will be.
macro_rules! orders {
    ($($(#[$doc:meta])* $order:ident,)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug)]
            pub struct $order;

            impl Question for $order {
                type Answer = Done;

                fn into_request(self) -> Request {
                    Request::$order
                }
            }
        )*
    };
}

orders! {
    /// [`Request::Start`].
    Start,
    /// [`Request::Pause`].
    Pause,
    /// [`Request::Kill`].
    Kill,
    /// [`Request::Terminate`].
    Terminate,
    /// [`Request::Disconnect`].
    Disconnect,
}

/// [`Request::Input`].
#[derive(Clone, Debug)]
pub struct Input {
    /// Lines of input; a missing line end is added to the last one.
    pub text: Option<String>,
    /// Whether this is the end of the input. If so, no line end is added.
    pub eof: bool,
}

impl Question for Input {
    type Answer = Done;

    fn into_request(self) -> Request {
        Request::Input { text: self.text, eof: self.eof }
    }
}

impl Question for Resume {
    type Answer = Done;

    fn into_request(self) -> Request {
        Request::Resume(self)
    }
}

impl Question for Launch {
    type Answer = Initialized;

    fn into_request(self) -> Request {
        Request::Initialize(Box::new(self))
    }
}

impl Question for Restart {
    type Answer = Restarted;

    fn into_request(self) -> Request {
        Request::Restart(Box::new(self))
    }
}

impl Question for Attach {
    type Answer = Box<Attached>;

    fn into_request(self) -> Request {
        Request::Attach(Box::new(self))
    }
}

/// Defines a family of questions, one row for each: its variant and type, the type of its answer, the method
/// that answers it, and the verb phrase (see [`Request::verb`]).
///
/// The family is an enum, which is a variant of [`Request`]. What answers it implements a trait with one method for
/// each question, so that no question is forgotten and none gets another's answer.
macro_rules! questions {
    (
        $(#[$about:meta])*
        $family:ident: Request::$wrapper:ident, answered by $handler:ident:
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
                        handler.$method(question).map($crate::api::Answer::into_response)
                    })*
                }
            }
        }

        #[doc = concat!("What answers each [`", stringify!($family), "`].")]
        pub(crate) trait $handler {
            $($(#[$doc])* fn $method(&mut self, question: $question) -> Result<$answer, $crate::api::Failure>;)*
        }

        $(impl $crate::api::Question for $question {
            type Answer = $answer;

            fn into_request(self) -> $crate::api::Request {
                $crate::api::Request::$wrapper($family::$variant(self))
            }
        })*
    };
}

pub(crate) use questions;
