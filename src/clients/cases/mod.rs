//! `ez test`: runs programs with the inputs of their cases, and compares what they print with what they have to.
//!
//! A case is a few files of one name ([`folder`]).

pub mod folder;
