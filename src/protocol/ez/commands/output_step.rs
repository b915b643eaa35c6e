//! The command `outputStep`.

use serde::Serialize;

use super::{Ask, Command, Context, ask};
use crate::api::{GetOutputSteps, OutputStep};
use crate::protocol::ez::encode::location;
use crate::protocol::ez::wire::Location;
use crate::protocol::params::Params;

pub const COMMANDS: &[Command] = &[Command::new("outputStep", output_step).capability("outputStep")];

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct OutputStepData<'a> {
    offset: u64,
    step: u64,
    location: Location<'a>,
    /// Whether an evaluation by the client has printed it.
    #[serde(rename = "client", skip_serializing_if = "std::ops::Not::not")]
    by_client: bool,
}

fn output_step(params: &Params, _: Context) -> Result<Ask, String> {
    let offset = params.required("offset", params.count("offset", 0)?)?;
    ask(GetOutputSteps { offsets: vec![offset] }, |_, asked, found, out| {
        for OutputStep { offset, step, location: at, by_client } in found {
            let (offset, step, by_client) = (*offset, *step, *by_client);
            let data = OutputStepData { offset, step, location: location(at), by_client };
            out.add("outputStep", data, asked.id());
        }
    })
}
