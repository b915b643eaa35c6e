//! The commands, by what they are about. Each file has its rows of the table and the functions that carry
//! them out.

pub mod breakpoints;
pub mod frames;
pub mod lists;
pub mod past;
pub mod running;
pub mod session;
pub mod source;
pub mod values;
pub mod watching;
