//! The live program with its past.

use crate::debug::engine::Engine;
use crate::debug::history::state::History;
use crate::debug::inspect::frames::FrameView;
use ez_runtime::interp::vm::Vm;

/// The live program, which is stopped, with its history and the workers that run it again.
pub struct TimeMachine<'a> {
    pub engine: &'a mut Engine,
    pub history: &'a mut History,
    pub vm: &'a mut Vm,
    /// The innermost frame of the live program.
    pub view: &'a FrameView,
}
