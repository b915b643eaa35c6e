//! The `ez` command.
fn main() {}
