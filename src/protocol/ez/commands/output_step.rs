//! The command `outputStep`.

use super::{Ask, Command, Context, ask};
#[cfg(test)]
use crate::protocol::ez::description::{Event, event};
use crate::protocol::ez::encode::location;
use crate::protocol::ez::wire::{Location, written};
use crate::protocol::parameter::{Counted, Optional, Required, STREAMS, Word, parameters};
use crate::protocol::params::Params;
use ez_engine::api::{GetOutputSteps, OutputStep};
use ez_runtime::value::Stream;

pub const COMMANDS: &[Command] =
    &[Command::since_2("outputStep", "Asks which statement has written a byte of the output.", output_step)
        .takes(&[&OFFSET, &STREAM])
        .answered_by(&["outputStep"])
        .capability("outputStep")];

parameters! {
    /// The number of the byte, from 0.
    OFFSET: Required<Counted> = "offset", Counted(0);
    /// Where the bytes are counted that the program itself has written (default: all bytes, in both streams).
    STREAM: Optional<Word<Stream>> = "stream", Word(&STREAMS);
}

#[cfg(test)]
pub const EVENTS: &[Event] =
    &[event::<OutputStepData>("outputStep", 2, "The statement that has written a byte of the output.")];

written! {
    #[serde(rename_all = "camelCase")]
    struct OutputStepData<'a> {
        /// The number of the byte.
        offset: u64,
        /// The step of the statement that wrote it.
        step: u64,
        /// That statement.
        location: Location<'a>,
        /// Whether that is an `ensure`, whose call was executed after this step, when the function ended.
        #[serde(rename = "ensure", skip_serializing_if = "std::ops::Not::not")]
        at_end: bool,
        /// Whether an evaluation by the client has written it.
        #[serde(rename = "client", skip_serializing_if = "std::ops::Not::not")]
        by_client: bool,
    }
}

fn output_step(params: &Params, _: Context) -> Result<Ask, String> {
    let (offset, stream) = (OFFSET.read(params)?, STREAM.read(params)?);
    ask(GetOutputSteps { offsets: vec![offset], stream }, |_, asked, found, out| {
        for OutputStep { offset, step, location: at, at_end, by_client } in found {
            let (offset, step, at_end, by_client) = (*offset, *step, *at_end, *by_client);
            let data = OutputStepData { offset, step, location: location(at), at_end, by_client };
            out.add("outputStep", data, asked.id());
        }
    })
}
