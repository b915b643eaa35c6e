//! What events and the answers to several commands consist of, as serialized. The order of the fields is part of
//! the protocol. What only one command is answered with is in the file of the command.

use std::borrow::Cow;

use ez_engine::api::Guest;

#[cfg(test)]
use super::description::{Event, event};

pub(super) use crate::protocol::written::written;

/// The events that no command writes, or several.
#[cfg(test)]
pub const EVENTS: &[Event] = &[
    event::<Empty>("started", 1, "The program has begun."),
    event::<Stopped>("stopped", 1, "The program is stopped.").unasked(),
    event::<VariableUpdate>("variableUpdate", 1, "A variable that is new or has changed.")
        .unasked()
        .is::<VariableItem>(),
    event::<Output>("output", 1, "What the program, or the debugger, has written.").unasked(),
    event::<InputRequested>("inputRequested", 1, "The program waits for input.").unasked(),
    event::<Empty>("inputTaken", 2, "Answers an `input` with an `id`."),
    event::<Empty>("paused", 1, "Answers a `pause` that no stop answers."),
    event::<Report>("error", 1, "A command has failed, or the program has an error.")
        .unasked()
        .is::<Report>(),
    event::<Exited>("exited", 1, "The program has ended.").unasked(),
    event::<Empty>("terminated", 1, "The session ends; nothing follows.").unasked(),
    event::<Empty>("killed", 2, "Answers `kill`."),
    event::<Empty>("disconnected", 2, "The last event of a connection; the session stays."),
    event::<Progress>("progress", 2, "How far a long command has come.").unasked(),
    event::<BreakpointChanged>("breakpointChanged", 2, "A breakpoint has changed, or is removed.").unasked(),
    event::<Watch>("watchUpdate", 2, "A watch whose value has changed.").unasked().is::<Watch>(),
    event::<Process>("childStarted", 2, "A child process has started.").unasked().is::<Process>(),
    event::<ChildEnded>("childEnded", 2, "A child process has ended.").unasked(),
    event::<GuestItem>("guestJoined", 2, "A guest has joined the session.").unasked().is::<GuestItem>(),
    event::<GuestItem>("guestLeft", 2, "A guest has left the session.").unasked().is::<GuestItem>(),
    event::<Continued>("continued", 2, "Another client has resumed or started the program.").unasked(),
    event::<ByClient>("valuesChanged", 2, "Another client has evaluated or assigned something.")
        .unasked()
        .is::<ByClient>(),
    event::<Dismissed>("dismissed", 2, "The guest is sent away; nothing follows.").unasked(),
];

written! {
    /// The data of events that have none: `started`, `paused`, `terminated`.
    pub struct Empty {}

    /// A place. Without `file` it is in a text of the client (an expression, a value, a condition), or in the file that the
    /// event names.
    pub struct Location<'a> {
        /// The absolute path.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, schemars(extend("default" = "")))]
        pub file: Option<&'a str>,
        /// The line, from 1.
        pub line: u32 = 1..,
        /// The column in code points, from 1.
        pub column: u32 = 1..,
    }

    /// The data of `error`, and an item of `warnings`.
    #[derive(Default)]
    #[cfg_attr(test, schemars(rename = "Diagnostic"))]
    pub struct Report<'a> {
        /// What is wrong.
        pub message: Cow<'a, str>,
        /// The code of the diagnostic, such as `E4001`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub code: Option<&'static str>,
        /// How serious it is.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, schemars(extend("enum" = ["error", "warning"])))]
        pub severity: Option<&'static str>,
        /// Where it is.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub location: Option<Location<'a>>,
        /// The command that has failed.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub command: Option<&'a str>,
        /// What might be meant.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub help: Option<Cow<'a, str>>,
        /// The calls in progress, innermost first.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub stack: Vec<Frame<'a>>,
        /// The breakpoint whose condition is wrong.
        #[serde(rename = "breakpointId", skip_serializing_if = "Option::is_none")]
        pub breakpoint_id: Option<u32> = 1..,
        /// Why the program of an `initialize` or `restart` cannot be run.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, schemars(extend("enum" = ["unreadable", "noProgram"]), extend("x-since" = 2)))]
        pub kind: Option<&'static str>,
    }

    /// A guest of the session.
    #[cfg_attr(test, schemars(rename = "Guest"))]
    pub struct GuestItem<'a> {
        /// Its name.
        pub name: &'a str,
        /// What it may do.
        #[cfg_attr(test, schemars(extend("enum" = ["participant", "observer"])))]
        pub role: &'static str,
    }
}

impl<'a> From<&'a Guest> for GuestItem<'a> {
    fn from(guest: &'a Guest) -> GuestItem<'a> {
        GuestItem { name: &guest.name, role: guest.role.name() }
    }
}

written! {
    pub struct Continued<'a> {
        /// The name of that client.
        pub by: &'a str,
        /// Whether it has started the program again, whose text was read again.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        pub restarted: bool,
    }

    /// What another client has done.
    pub struct ByClient<'a> {
        /// The name of that client.
        pub by: &'a str,
    }

    pub struct Dismissed {
        /// Why.
        pub message: String,
    }

    pub struct InputRequested<'a> {
        /// The call that reads the line.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, schemars(extend("x-since" = 2)))]
        pub location: Option<Location<'a>>,
        /// The step of its statement.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, schemars(extend("x-since" = 2)))]
        pub step: Option<u64>,
    }

    pub struct Stopped<'a> {
        /// Why the program stopped.
        #[cfg_attr(test, schemars(with = "crate::protocol::ez::description::StopReason"))]
        pub reason: &'static str,
        /// The place before which it is stopped.
        pub location: Location<'a>,
        /// The breakpoint; of several, the lowest id.
        #[serde(rename = "breakpointId", skip_serializing_if = "Option::is_none")]
        pub breakpoint_id: Option<u32> = 1..,
        /// What there is more to say, such as why a condition failed.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub text: Option<Cow<'a, str>>,
        #[serde(flatten, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, schemars(with = "StoppedMore"))]
        pub more: Option<StoppedMore<'a>>,
    }

    /// Position of a stop in the program's history.
    #[cfg_attr(test, schemars(transform = crate::protocol::ez::description::since_2))]
    #[serde(rename_all = "camelCase")]
    pub struct Moment {
        /// The step of the present.
        pub present: u64 = 1..,
        /// Whether the stop is before the present.
        pub past: bool,
        /// How many bytes the program had written by then.
        pub output_length: u64,
    }
}

impl From<ez_engine::api::Moment> for Moment {
    fn from(moment: ez_engine::api::Moment) -> Moment {
        let ez_engine::api::Moment { present, is_past, output_length, after_return: _, error_values: _ } =
            moment;
        Moment { present, past: is_past, output_length }
    }
}

written! {
    /// Additions of version 2 to `stopped`.
    #[cfg_attr(test, schemars(transform = crate::protocol::ez::description::since_2))]
    #[serde(rename_all = "camelCase")]
    pub struct StoppedMore<'a> {
        /// The reason as a sentence.
        pub description: Cow<'a, str>,
        /// The thread: 1.
        #[cfg_attr(test, schemars(extend("default" = 1)))]
        pub thread_id: u32 = 1..,
        /// How many calls are in progress.
        pub frame_count: usize,
        /// As [`ez_engine::api::Stopped::step`].
        #[cfg_attr(test, schemars(description = ez_engine::api::STEP))]
        pub step: u64,
        #[serde(flatten, skip_serializing_if = "Option::is_none")]
        pub moment: Option<Moment>,
        /// In a shared session, the client that has resumed or paused the program.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub by: Option<&'a str>,
        /// The hits of the breakpoint.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub hits: Option<u32>,
        /// The result of the function that has just returned.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub return_value: Option<ReturnValue<'a>>,
        /// The value before the write, at a data breakpoint.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub old_value: Option<String>,
        /// The value after the write, at a data breakpoint.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub new_value: Option<String>,
        /// The statement that has written, at a data breakpoint.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub written_at: Option<Location<'a>>,
        /// The code of the error, at an exception.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub code: Option<Cow<'a, str>>,
        /// What might be meant, at an exception.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub help: Option<Cow<'a, str>>,
        /// The calls in progress, at an exception.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub stack: Vec<Frame<'a>>,
        /// All breakpoints that were hit here.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(test, schemars(inner(range(min = 1))))]
        pub breakpoint_ids: Vec<u32>,
        /// The first difference between the output and what is expected, where the program is stopped for it.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub difference: Option<Difference<'a>>,
    }

    /// How far the output is as it is expected.
    pub struct OutputState<'a> {
        /// How many lines have come as they are expected.
        pub matched: u64,
        /// The first difference, once the program was stopped there, or has ended.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub difference: Option<Difference<'a>>,
    }

    /// The first difference between what the program has written to standard output and what is expected.
    #[serde(rename_all = "camelCase")]
    pub struct Difference<'a> {
        /// How many bytes the program has written to standard output before it.
        pub offset: u64,
        /// The line of the output.
        pub line: u64 = 1..,
        /// The column, in characters.
        pub column: u64 = 1..,
        /// The character that is expected there; missing: nothing more.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, schemars(with = "Option<String>"))]
        pub expected: Option<char>,
        /// The character that was written there; missing: nothing more.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, schemars(with = "Option<String>"))]
        pub actual: Option<char>,
        /// The line that is expected.
        pub expected_line: &'a str,
        /// The line that was written.
        pub actual_line: &'a str,
        /// How many characters of both lines are left out at their beginning.
        #[serde(skip_serializing_if = "is_zero")]
        pub left_out: u64,
        /// How many characters are left out at the end of `expectedLine`.
        #[serde(skip_serializing_if = "is_zero")]
        pub expected_more: u64,
        /// How many characters are left out at the end of `actualLine`.
        #[serde(skip_serializing_if = "is_zero")]
        pub actual_more: u64,
        /// Whether `actualLine` was not written to its end.
        #[serde(rename = "unfinished", skip_serializing_if = "std::ops::Not::not")]
        pub is_unfinished: bool,
        /// The statement that has written it.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub written_at: Option<Location<'a>>,
        /// The step of that statement; missing if it has made calls, or is an `ensure`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub step: Option<u64>,
        /// How many bytes the same call has written before it.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub within: Option<u64>,
        /// The statement of the call that has written before that one, or last.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub before_at: Option<Location<'a>>,
        /// The step of that statement, as `step`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub before_step: Option<u64>,
    }

    /// The result of a function that has just returned.
    #[serde(rename_all = "camelCase")]
    pub struct ReturnValue<'a> {
        /// The function.
        pub function: Cow<'a, str>,
        /// The value, as it is shown.
        pub value: String,
        /// The type of the value.
        #[serde(rename = "type")]
        pub type_name: Cow<'a, str>,
        /// The type of the function's result.
        pub declared_type: Cow<'a, str>,
        /// With it, the parts can be asked for; missing if there are none.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, schemars(extend("default" = 0)))]
        pub reference: Option<u64> = 1..,
    }

    /// A frame in `stackTrace` and in the `stack` of an error.
    pub struct Frame<'a> {
        /// The place in the stack, from 0, the innermost.
        pub index: usize,
        /// The function's name, with its module if that is not the main one.
        pub function: Cow<'a, str>,
        /// The file.
        pub file: &'a str,
        /// The line of the place, or of the call in progress.
        pub line: u32 = 1..,
        /// The column.
        pub column: u32 = 1..,
        #[serde(flatten, skip_serializing_if = "Option::is_none")]
        pub more: Option<FrameMore<'a>>,
    }

    /// Additions of version 2 to a frame in `stackTrace`.
    #[cfg_attr(test, schemars(transform = crate::protocol::ez::description::since_2))]
    #[serde(rename_all = "camelCase")]
    pub struct FrameMore<'a> {
        /// Counted from the outermost frame, from 1.
        pub id: usize = 1..,
        /// The module.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub module: Option<&'a str>,
        /// Whether it is `main`.
        pub is_main: bool,
        /// The line in which the statement ends.
        pub end_line: u32 = 1..,
        /// The column in which the statement ends.
        pub end_column: u32 = 1..,
    }

    /// The number of this part of a divided answer.
    #[derive(Clone, Copy)]
    #[cfg_attr(test, schemars(transform = crate::protocol::ez::description::since_2))]
    pub struct PartOf {
        /// The number of this part, from 1.
        pub part: usize = 1..,
        /// How many parts the answer has.
        pub parts: usize = 1..,
    }

    pub struct Exited<'a> {
        /// The program's exit code.
        #[serde(rename = "exitCode")]
        pub exit_code: i32,
        /// How far the output was as it is expected.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, schemars(extend("x-since" = 2)))]
        pub output: Option<OutputState<'a>>,
    }

    /// Text for the debugger's console.
    pub struct Output<'a> {
        /// Where it is written; `console` is what the debugger says.
        #[cfg_attr(test, schemars(extend("enum" = ["stdout", "stderr", "console"])))]
        pub category: &'static str,
        /// The text, with its line end if it is finished.
        pub text: Cow<'a, str>,
        /// Whether something has written it that a client has evaluated, and not the program itself.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        #[cfg_attr(test, schemars(extend("x-since" = 2)))]
        pub client: bool,
    }

    /// The data of `childStarted`, and an item of `processes`.
    #[serde(rename_all = "camelCase")]
    pub struct Process<'a> {
        /// The process id.
        pub pid: u32 = 1..,
        /// The file, as on its command line.
        pub file: Cow<'a, str>,
        /// The arguments.
        pub args: Vec<Cow<'a, str>>,
        /// Where clients can attach, if they can.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub host: Option<&'static str>,
        /// The port for clients.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub port: Option<u16> = 1..,
        /// The token for clients.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub token: Option<&'a str>,
        /// Whether it waits before its first statement.
        pub held: bool,
        /// The process id of its parent.
        pub parent: u32,
        /// Its working directory.
        pub working_dir: Cow<'a, str>,
        /// Whether arguments are left out.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        pub truncated: bool,
    }

    #[serde(rename_all = "camelCase")]
    pub struct ChildEnded {
        /// The process id.
        pub pid: u32 = 1..,
        /// Its exit code; missing if it was killed.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub exit_code: Option<i32>,
    }

    pub struct Progress<'a> {
        /// What is done, in words.
        pub title: Cow<'a, str>,
        /// How much is done, from 0 to 100.
        pub percentage: u32,
        /// Whether it is over.
        pub done: bool,
    }

    #[cfg_attr(test, schemars(rename = "BareVariable"))]
    pub struct Variable<'a> {
        /// The name; of a part `[0]`, `["key"]` or the field.
        pub name: Cow<'a, str>,
        /// The value, as it is shown.
        pub value: String,
        /// The type of the value.
        #[serde(rename = "type")]
        pub type_name: Cow<'a, str>,
    }

    /// Additions of version 2 to a variable.
    #[cfg_attr(test, schemars(transform = crate::protocol::ez::description::since_2))]
    #[serde(rename_all = "camelCase")]
    pub struct VariableMore<'a> {
        /// The type with which it was declared.
        pub declared_type: Cow<'a, str>,
        /// Where it belongs; missing for parts.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, schemars(extend("enum" = ["parameter", "local", "global"])))]
        pub scope: Option<&'static str>,
        /// Whether `setVariable` can set it.
        pub mutable: bool,
        /// With it, the parts can be asked for; missing if there are none.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, schemars(extend("default" = 0)))]
        pub reference: Option<u64> = 1..,
        /// How many parts there are.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, schemars(extend("default" = 0)))]
        pub children: Option<usize>,
        /// The number of the array, map or struct.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub object_id: Option<u64> = 1..,
        /// An expression for it.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub evaluate_name: Option<Cow<'a, str>>,
        /// Whether the value is cut.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        pub truncated: bool,
        /// Whether it has changed since the last stop.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        pub changed: bool,
    }

    /// Additions of version 2 to a value that is no variable: a result, or what a watch shows.
    #[cfg_attr(test, schemars(transform = crate::protocol::ez::description::since_2))]
    #[serde(rename_all = "camelCase")]
    pub struct ValueMore<'a> {
        /// The type with which it was declared.
        pub declared_type: Cow<'a, str>,
        /// With it, the parts can be asked for; missing if there are none.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, schemars(extend("default" = 0)))]
        pub reference: Option<u64> = 1..,
        /// How many parts there are.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, schemars(extend("default" = 0)))]
        pub children: Option<usize>,
        /// The number of the array, map or struct.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub object_id: Option<u64> = 1..,
        /// Whether the value is cut.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        pub truncated: bool,
    }

    /// A variable in a list, and the data of `variableSet`.
    #[cfg_attr(test, schemars(rename = "Variable"))]
    pub struct VariableItem<'a> {
        #[serde(flatten)]
        pub variable: Variable<'a>,
        #[serde(flatten, skip_serializing_if = "Option::is_none")]
        pub more: Option<VariableMore<'a>>,
    }

    pub struct VariableUpdate<'a> {
        #[serde(flatten)]
        pub variable: Variable<'a>,
        /// The frame: 0.
        #[serde(rename = "frameIndex")]
        pub frame_index: usize,
        #[serde(flatten, skip_serializing_if = "Option::is_none")]
        pub more: Option<VariableMore<'a>>,
    }

    /// The data of `watchUpdate`, and an item of `watches`.
    #[serde(rename_all = "camelCase")]
    pub struct Watch<'a> {
        /// The watch.
        pub id: u32 = 1..,
        /// The expression.
        pub expression: Cow<'a, str>,
        /// The value, as it is shown.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub value: Option<String>,
        /// Why there is no value.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub error: Option<Cow<'a, str>>,
        /// The type of the value.
        #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
        pub type_name: Option<Cow<'a, str>>,
        /// Whether it has changed since the last stop.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        pub changed: bool,
        #[serde(flatten, skip_serializing_if = "Option::is_none")]
        pub more: Option<ValueMore<'a>>,
    }

    /// A breakpoint of any kind.
    pub struct Breakpoint<'a> {
        /// The breakpoint.
        pub id: u32 = 1..,
        /// Whether it can be hit.
        pub verified: bool,
        /// The function's name, for a function breakpoint.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub name: Option<Cow<'a, str>>,
        /// What is watched, for a data breakpoint.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub description: Option<Cow<'a, str>>,
        /// The file as it was requested; of a function breakpoint, the function's.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub file: Option<&'a str>,
        /// The line as it was requested.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub line: Option<u32> = 1..,
        #[serde(flatten)]
        pub more: BreakpointMore<'a>,
    }

    /// The options and the state of a breakpoint; additions of version 2.
    #[cfg_attr(test, schemars(transform = crate::protocol::ez::description::since_2))]
    #[serde(rename_all = "camelCase")]
    pub struct BreakpointMore<'a> {
        /// Whether it can be hit.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub verified: Option<bool>,
        /// The line where it is.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub actual_line: Option<u32> = 1..,
        /// The column where it is.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub column: Option<u32> = 1..,
        /// Whether it is hit.
        #[cfg_attr(test, schemars(extend("default" = true)))]
        pub enabled: bool,
        /// The condition.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub condition: Option<Cow<'a, str>>,
        /// At which hits it stops.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub hit_condition: Option<Cow<'a, str>>,
        /// What is written instead of stopping.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub log_message: Option<Cow<'a, str>>,
        /// How often it was hit.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub hits: Option<u32>,
        /// Why it is not verified, or that it has moved.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub message: Option<Cow<'a, str>>,
    }

    pub struct BreakpointChanged<'a> {
        /// What has happened to it.
        #[cfg_attr(test, schemars(extend("enum" = ["new", "changed", "removed"])))]
        pub reason: &'static str,
        /// The breakpoint.
        pub breakpoint: Breakpoint<'a>,
        /// The client that has changed it, if another one has.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub by: Option<&'a str>,
    }

    /// Errors at which the program stops.
    #[serde(rename_all = "camelCase")]
    pub struct ExceptionFilter<'a> {
        /// The filter.
        #[cfg_attr(test, schemars(extend("enum" = ["uncaught", "errorValue"])))]
        pub filter_id: &'static str,
        /// Its condition.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub condition: Option<Cow<'a, str>>,
        /// What is wrong with the condition.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub message: Option<Cow<'a, str>>,
    }
}

/// Whether a number of things that are left out need not be told.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}
