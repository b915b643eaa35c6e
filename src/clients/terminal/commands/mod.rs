//! The commands by subject. Each file has its part of the table and the functions that carry the commands
//! out.

pub mod breakpoints;
pub mod changes;
pub mod expected;
pub mod frames;
pub mod lists;
pub mod output;
pub mod past;
pub mod processes;
pub mod running;
pub mod session;
pub mod sharing;
pub mod source;
pub mod unfold;
pub mod values;
pub mod watching;
pub mod why;
