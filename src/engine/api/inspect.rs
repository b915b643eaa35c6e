//! Questions about, and changes to, a stopped program, with their answers.

use serde::{Deserialize, Serialize};

use super::question::questions;
use super::{
    Changes, Container, CopyToGlobals, Described, Frame, GetChanges, GetOutputSteps, GetRich, GetType,
    Handle, LastChange, LastChangeQuery, Limits, OutputStep, Position, RichValue, Scope, TypeText, Unfold,
    Unfolded, Variable,
};

questions! {
    /// A question about, or a change to, a stopped program.
    Inspect: Request::Inspect, answers InspectAnswer, answered by Inspector:

    /// The variables of a frame: parameters and locals, then the globals of its file.
    Variables(GetVariables) -> Vec<Variable>, variables, "get variables";
    /// Elements, entries or fields of a value.
    Children(GetChildren) -> Children, children, "get children";
    /// The call stack.
    StackTrace(GetStackTrace) -> StackTrace, stack_trace, "get the stack trace";
    /// The calls of user-defined functions in the statement of a frame, in order of execution.
    StepTargets(GetStepTargets) -> Vec<StepTarget>, step_targets, "get step targets";
    /// The value of an expression; `nil` for an assignment.
    Evaluate(Evaluate) -> Described, evaluate, "evaluate";
    /// Assigns to a variable or part; the answer is what it is afterwards.
    SetVariable(SetVariable) -> Variable, set_variable, "set a variable";
    /// Assigns to what an expression names: a variable, element, entry or field. The expression must not change anything,
    /// since it is evaluated again for the answer, the value afterwards.
    SetExpression(SetExpression) -> Described, set_expression, "set an expression";
    /// The value of an expression, with its parts.
    Rich(GetRich) -> Box<RichValue>, rich, "show a value";
    /// Copies a value to a variable for the cells to come. In a session of cells.
    CopyToGlobals(CopyToGlobals) -> (), copy_to_globals, "copy to the variables of cells";
    /// The static type of an expression, which is not evaluated.
    TypeOf(GetType) -> TypeText, type_of, "show a type";
    /// Ways to complete a name that is being typed.
    Completions(GetCompletions) -> Vec<Completion>, completions, "complete";
}

questions! {
    /// A question about the past of a stopped program, which another run of the program has to answer.
    Investigate: Request::Investigate, answers InvestigateAnswer, answered by Investigator:

    /// What gave a variable or part its present value.
    LastChange(LastChangeQuery) -> Box<LastChange>, last_change, "tell the last change";
    /// The writes to a variable or part.
    Changes(GetChanges) -> Box<Changes>, changes, "tell the changes";
    /// What has printed bytes of the output, in the order of the request.
    OutputSteps(GetOutputSteps) -> Vec<OutputStep>, output_steps, "tell what has printed";
    /// What the expressions of a statement have computed.
    Unfold(Unfold) -> Box<Unfolded>, unfold, "unfold a statement";
}

impl Inspect {
    /// The text that is read as code; empty if there is none.
    pub fn text(&self) -> &str {
        match self {
            Inspect::Evaluate(question) => &question.expression,
            Inspect::SetVariable(question) => &question.value,
            Inspect::SetExpression(SetExpression { expression, value, .. }) => {
                if expression.len() > value.len() { expression } else { value }
            }
            Inspect::Rich(question) => &question.expression,
            Inspect::CopyToGlobals(question) => &question.expression,
            Inspect::TypeOf(question) => &question.expression,
            Inspect::Completions(question) => &question.text,
            Inspect::Variables(_)
            | Inspect::Children(_)
            | Inspect::StackTrace(_)
            | Inspect::StepTargets(_) => "",
        }
    }

    /// Whether it may change the program: its variables, what it has written, what is outside of it.
    pub fn may_change(&self) -> bool {
        match self {
            Inspect::SetVariable(_) | Inspect::SetExpression(_) | Inspect::CopyToGlobals(_) => true,
            Inspect::Evaluate(evaluate) => match evaluate.purpose {
                Purpose::Plain | Purpose::Prompt => true,
                Purpose::Look => false,
            },
            Inspect::Variables(_)
            | Inspect::Children(_)
            | Inspect::StackTrace(_)
            | Inspect::StepTargets(_)
            | Inspect::Rich(_)
            | Inspect::TypeOf(_)
            | Inspect::Completions(_) => false,
        }
    }
}

impl Investigate {
    /// The text that is read as code; empty if there is none.
    pub fn text(&self) -> &str {
        match self {
            Investigate::LastChange(question) => &question.expression,
            Investigate::Changes(question) => &question.expression,
            Investigate::OutputSteps(_) | Investigate::Unfold(_) => "",
        }
    }
}

/// Asks for the variables of a frame.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GetVariables {
    /// Index of the frame.
    pub frame: usize,
    /// Only variables of this scope; `None`: all.
    pub scope: Option<Scope>,
    /// How much of each value is described.
    pub limits: Limits,
}

/// Asks for the parts of a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GetChildren {
    /// Handle of the value.
    pub handle: Handle,
    /// Index of the first part to return, from 0.
    pub start: usize,
    /// Maximum number of parts to return.
    pub count: usize,
    /// How much of each part is described.
    pub limits: Limits,
}

/// Parts of a value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Children {
    /// The requested parts; their names are `[0]`, `["key"]`, `field`.
    pub children: Vec<Variable>,
    /// Number of parts that the value has in all.
    pub total: usize,
}

/// Asks for the call stack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GetStackTrace {
    /// Index of the first frame to return; 0 is the innermost.
    pub start: usize,
    /// Maximum number of frames to return.
    pub count: usize,
}

/// The call stack, or a part of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StackTrace {
    /// The requested frames, innermost first.
    pub frames: Vec<Frame>,
    /// Number of frames in all.
    pub total: usize,
}

/// Asks for the calls in the statement of a frame.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GetStepTargets {
    /// Index of the frame.
    pub frame: usize,
}

/// A call of a user-defined function that a step can go into.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepTarget {
    /// Its number, for [`super::Resume::StepIntoTarget`]; valid until the program resumes.
    pub id: u32,
    /// The source text of the call, shortened.
    pub label: String,
    /// Where the call begins.
    pub start: Position,
    /// Where it ends, just after its last character.
    pub end: Position,
}

/// An expression to evaluate, or an assignment to execute.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evaluate {
    /// Its text.
    pub expression: String,
    /// Index of the frame in whose scope it is evaluated; 0 is the innermost.
    pub frame: usize,
    /// Who asked for it, which decides about side effects.
    pub purpose: Purpose,
    /// Time limit in milliseconds; `None`: five seconds.
    pub timeout_ms: Option<u32>,
    /// How much of the result to describe.
    pub limits: Limits,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Purpose {
    /// Requested by the user: may have side effects.
    Plain,
    /// Typed by the user at a prompt: may have side effects, and declare variables that exist until the
    /// program resumes.
    Prompt,
    /// Made by the client for display: refused if it would have side effects.
    Look,
}

/// Assigns to a variable or part of a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetVariable {
    /// Where to look up the name.
    pub container: Container,
    /// Name of the variable or part.
    pub name: String,
    /// The expression whose value is assigned.
    pub value: String,
    /// How much of the new value to describe.
    pub limits: Limits,
}

/// Assigns to what an expression names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetExpression {
    /// The expression to which is assigned.
    pub expression: String,
    /// The expression whose value is assigned.
    pub value: String,
    /// Index of the frame in whose scope both are evaluated.
    pub frame: usize,
    /// How much of the new value to describe.
    pub limits: Limits,
}

/// Asks for ways to complete a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GetCompletions {
    /// The text of the input so far, and the text after the cursor.
    pub text: String,
    /// Column of the cursor in code points, from 1.
    pub column: u32,
    /// Index of the frame in whose scope to complete.
    pub frame: usize,
}

/// A completion of the name before the cursor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Completion {
    /// The complete name.
    pub label: String,
    /// What it refers to.
    pub kind: CompletionKind,
    /// Column of the first character to replace, in code points, from 1.
    pub start: u32,
    /// How many code points to replace.
    pub length: u32,
    /// Its type or signature.
    pub detail: String,
}

/// What a completed name refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CompletionKind {
    /// A parameter, local or global.
    Variable,
    Constant,
    Function,
    /// A field of a struct.
    Field,
    /// A member of an enum.
    Member,
    Type,
    Module,
    Keyword,
}
