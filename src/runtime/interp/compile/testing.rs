//! What tests see of compiling.

use std::sync::Arc;

use crate::interp::flags::StatementFlags;
use crate::interp::vm::Stop;
use crate::program::Program;

use super::{CodeCell, Compiler, Unfinished};

fn compiler(program: &Program, flags: Option<Arc<StatementFlags>>) -> Compiler<'_> {
    let codes = program.functions.iter().map(|_| CodeCell::default()).collect();
    Compiler::new(program, codes, Vec::new(), flags)
}

/// How often the expression of a program is compiled that is compiled most often, plain or attached.
pub fn most_compiled(program: &Program) -> u32 {
    let flags = [None, Some(Arc::new(StatementFlags::new(program.statements.len())))];
    let most = flags.map(|flags| {
        let mut compiler = compiler(program, flags);
        for function in &program.functions {
            compiler.function(function);
        }
        compiler.progress.counts.values().copied().max()
    });
    most.into_iter().flatten().max().unwrap_or_default()
}

/// Compiles the main function of a program for a debugger that lets it go on this many times. Gives why it was not
/// finished, and how often the debugger was asked.
pub fn compile_main(program: &Program, goes_on: usize) -> (Option<Unfinished>, usize) {
    let mut asked = 0;
    let mut poll = || {
        asked += 1;
        if asked > goes_on { Err(Stop) } else { Ok(()) }
    };
    let mut compiler = compiler(program, None);
    compiler.poll(&mut poll);
    if let Some(main) = program.function(program.main) {
        compiler.function(main);
    }
    let unfinished = compiler.unfinished();
    drop(compiler);
    (unfinished, asked)
}
