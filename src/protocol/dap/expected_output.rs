//! The custom request `setExpectedOutput`, the attribute `expectedOutput` of `launch`, and a stop at a difference.

use serde_json::{Value, json};

use crate::protocol::expected_output::{both_lines, expected_output};
use crate::protocol::params::Params;
use ez_engine::api::{Difference, ExpectedText, OutputMode, SetExpectedOutput};

use super::writing::Refusal;
use super::{Call, DapFrontEnd, Handler};

pub const REQUESTS: &[(&str, Handler)] = &[("setExpectedOutput", DapFrontEnd::set_expected_output)];

/// The attribute of `launch`.
pub(super) const ATTRIBUTE: &str = "expectedOutput";

/// What the attribute says: it is the path of a file, or an object with the parameters of `setExpectedOutput`.
///
/// # Errors
/// What is wrong with it.
pub(super) fn attribute(params: &Params) -> Result<Option<SetExpectedOutput>, String> {
    match params.get(ATTRIBUTE) {
        Some(Value::Object(_)) => params.object(ATTRIBUTE, expected_output),
        _ => {
            let file = params.path(ATTRIBUTE)?.map(ExpectedText::File);
            Ok(file.map(|file| SetExpectedOutput { expected: Some(file), mode: OutputMode::default() }))
        }
    }
}

/// What the user is shown of a difference.
pub(super) fn exception(difference: &Difference, description: &str) -> Value {
    let lines = both_lines(difference);
    json!({
        "exceptionId": "output",
        "description": format!("{description}\n{lines}"),
        "breakMode": "always",
        "details": {"message": lines, "typeName": "output"},
    })
}

impl DapFrontEnd {
    fn set_expected_output(&mut self, Call { from, params, work }: Call) -> Result<(), Refusal> {
        self.ask(from, expected_output(params)?, work, |this, from, _, out| {
            this.numbering.success(out, from, None::<()>);
        });
        Ok(())
    }
}
