//! The EZ debug protocol: one JSON object a line. `SPEC.md` is its normative text.

mod decode;
mod encode;
mod lines;
mod messages;
mod shorten;

pub use decode::decode;
pub use lines::LineDecoder;

use super::FrontEnd;

/// Version of the protocol that is spoken.
pub const VERSION: u32 = 1;

/// The front end.
pub fn front_end() -> FrontEnd {
    FrontEnd { decoder: Box::new(LineDecoder::default()), encoder: Box::new(encode::EzEncoder) }
}
