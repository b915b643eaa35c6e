//! Tests that need a program which neither the Rust toolchain nor gcc brings along. Each says what it needs;
//! where that is missing, it is reported as ignored, with the need in brackets before its name. None of them
//! uses the network, and each has a time limit.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice
)]

mod browser;
mod growth;
mod mcp;
mod node;
mod python;
mod tool;

use libtest_mimic::{Arguments, Trial};

fn main() {
    let arguments = Arguments::from_args();
    let trials: Vec<Trial> =
        [browser::trials(), growth::trials(), mcp::trials(), node::trials(), python::trials()]
            .into_iter()
            .flatten()
            .collect();
    libtest_mimic::run(&arguments, trials).exit();
}
