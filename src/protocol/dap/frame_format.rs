//! The `format` of a `stackTrace` request: what the names of frames have besides the function's.

use std::sync::Arc;

use foldhash::HashMap;

use crate::protocol::params::Params;
use crate::protocol::radix::Radix;
use crate::protocol::value_text::{Notation, preview};
use ez_engine::api::{Frame, GetStackTrace, GetVariables, Limits, Scope, Variable};
use ez_runtime::sync::Mutex;

use super::DapFrontEnd;
use super::decode::RequestHeader;
use super::variables::radix;

/// Maximum number of frames of an answer whose parameters are shown.
const MAX: usize = 200;

/// How much of a parameter's value is shown, in bytes.
const VALUE: usize = 80;

/// What is shown of a frame. (That a function is in another module is part of its name always.)
#[derive(Clone, Copy, Debug, Default)]
pub struct FrameFormat {
    parameters: bool,
    types: bool,
    names: bool,
    values: bool,
    line: bool,
    radix: Radix,
}

impl FrameFormat {
    /// From the arguments of `stackTrace`.
    pub fn new(params: &Params) -> Result<FrameFormat, String> {
        let radix = radix(params)?;
        let format = params.object("format", |format| {
            Ok(FrameFormat {
                parameters: format.flag("parameters")?,
                types: format.flag("parameterTypes")?,
                names: format.flag("parameterNames")?,
                values: format.flag("parameterValues")?,
                line: format.flag("line")?,
                radix,
            })
        })?;
        Ok(format.unwrap_or_default())
    }

    /// Whether the parameters of the functions have to be asked for.
    pub fn has_parameters(&self) -> bool {
        self.parameters
    }

    /// What is added to the function's name. `line` is in the client's numbering.
    pub fn suffix(&self, parameters: Option<&[Variable]>, line: u32) -> String {
        let shown = |parameter: &Variable| {
            let is_plain = !self.types && !self.names && !self.values;
            let mut text = String::new();
            if self.names || is_plain {
                text.push_str(&parameter.name);
            }
            if self.types {
                let separator = if text.is_empty() { "" } else { " " };
                text += &format!("{separator}{}", parameter.held.declared_type);
            }
            if self.values {
                let separator = if text.is_empty() { "" } else { ": " };
                let value = preview(&self.radix.variable(parameter).held.value, Notation::Braces, VALUE).0;
                text += &format!("{separator}{value}");
            }
            text
        };
        let parameters = parameters.map(|all| all.iter().map(shown).collect::<Vec<_>>().join(", "));
        let mut suffix = parameters.map_or_else(String::new, |list| format!("({list})"));
        if self.line {
            suffix += &format!(" line {line}");
        }
        suffix
    }
}

/// The parameters of frames, by the frames' indexes.
type Parameters = Arc<Mutex<HashMap<usize, Vec<Variable>>>>;

impl DapFrontEnd {
    /// Asks for the parameters of frames, and then answers `stackTrace`. All is asked for at once, so that the program
    /// does not go on in between.
    pub(super) fn describe_frames(
        &mut self,
        from: &RequestHeader,
        frames: &[Frame],
        question: GetStackTrace,
        format: FrameFormat,
    ) {
        let found = Parameters::default();
        let mut work = Vec::new();
        for index in frames.iter().map(|frame| frame.index).take(MAX) {
            let limits = Limits { parts: 10, bytes: VALUE };
            let variables = GetVariables { frame: index, scope: Some(Scope::Parameter), limits };
            let found = found.clone();
            self.ask_for_itself(variables, &mut work, move |_, all, _| {
                found.lock().insert(index, all.clone());
            });
        }
        self.ask(from, question, &mut work, move |this, from, trace, out| {
            let found = found.lock();
            let suffix =
                |frame: &Frame, line| format.suffix(found.get(&frame.index).map(Vec::as_slice), line);
            this.answer_trace(from, trace, suffix, out);
        });
        self.follow_up.append(&mut work);
    }
}
