//! The standard library: one file per module, one row per function or constant.
//!
//! Checker, interpreter, `ez man`, the reference page and tests read the same rows. Functions see values and
//! a [`Runtime`]; the interpreter and the debugger are not known here.

mod args;
mod arrays;
mod binary;
mod bytes;
mod crypto;
mod csv;
mod db;
pub mod elementary;
mod encoding;
mod http;
mod io;
mod json;
mod manual;
mod maps;
mod math;
mod names;
mod offload;
mod os;
mod outside;
mod page;
mod random;
mod regex;
mod row;
mod server;
mod signature;
mod std;
mod strings;
#[cfg(any(test, debug_assertions))]
pub mod testing;
#[cfg(test)]
mod tests;
mod time;
mod uuid;
mod words;

pub use manual::{contents, man, names};
pub use names::{RENAMED, mistaken_function, mistaken_module};
pub use offload::{ROUNDS, offload_detached, poll_interrupt, write_display};
pub use page::reference_page;
pub use row::{Call, Fail, Failure, Module, Native, ResultCheck, Row, RowKind, Runtime, invoke};
pub use signature::{ParamType, Signature, SignatureParam};
pub use words::{Word, word, words};

/// Every library module, in the fixed order in which unqualified names are looked up.
pub const MODULES: &[&Module] = &[
    &std::MODULE,
    &math::MODULE,
    &arrays::MODULE,
    &strings::MODULE,
    &time::MODULE,
    &maps::MODULE,
    &io::MODULE,
    &os::MODULE,
    &random::MODULE,
    &json::MODULE,
    &bytes::MODULE,
    &binary::MODULE,
    &db::MODULE,
    &uuid::MODULE,
    &encoding::MODULE,
    &crypto::MODULE,
    &http::MODULE,
    &csv::MODULE,
    &regex::MODULE,
    &server::MODULE,
];

/// The module called `name` (`math`).
pub fn module(name: &str) -> Option<&'static Module> {
    MODULES.iter().copied().find(|m| m.name == name)
}

/// The row `name` of module `module`.
pub fn row(module_name: &str, name: &str) -> Option<&'static Row> {
    module(module_name)?.row(name)
}
