//! The bodies of the targets that need nothing private: each takes any bytes, and panics if something is not as it is to
//! be. `fuzz/src` gives them to libFuzzer, and `tests/random` gives them the inputs of `fuzz/corpus`.

mod cells;
mod check;
pub mod cost;
mod dap;
pub mod format;
mod guests;
mod recording;
mod same;
mod serving;
mod session;
pub mod texts;

/// A target: its name, and its body.
pub type Target = (&'static str, fn(&[u8]));

/// All targets but those within our packages (`fuzz/inside`).
pub const TARGETS: [Target; 9] = [
    ("cells", cells::target),
    ("check", check::target),
    ("dap", dap::target),
    ("format", format::target),
    ("guests", guests::target),
    ("recording", recording::target),
    ("rpc", session::of_rpc),
    ("same", same::target),
    ("session", session::of_lines),
];
