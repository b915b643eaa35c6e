//! The `ez` command.
use ez_debugger::{check, diagnostics, interp, modules};
fn go() -> i32 {
    let args: Vec<String> = std::env::args().collect();
    let attached = args.get(2).is_some_and(|a| a == "--attached");
    let Some(name) = args.get(1) else { return 2 };
    let path = std::path::absolute(name).unwrap_or_default();
    let checked = match check::check_program(&modules::DiskLoader, &path, name) {
        Ok(c) => c,
        Err(e) => {
            eprintln!("Error reading file: {e}");
            return 1;
        }
    };
    if !checked.diagnostics.is_empty() {
        eprint!(
            "{}",
            diagnostics::render_all(&checked.diagnostics, &checked.sources, diagnostics::Colour::Off)
        );
    }
    let Some(program) = checked.program else { return 1 };
    let mut vm = match interp::Vm::new(
        program.clone(),
        Box::new(ez_debugger::host::SystemHost::new(None)),
        interp::STACK_SIZE * 7 / 8,
    ) {
        Ok(v) => v,
        Err(e) => {
            eprintln!("{e}");
            return 1;
        }
    };
    let built = if attached { interp::build_attached(&program) } else { interp::build_plain(&program) };
    let outcome = interp::run(&mut vm, &built);
    if let interp::Outcome::Failed(e) = &outcome {
        let mut d = diagnostics::Diagnostic::new(e.code, e.span, e.message.clone());
        d.help = e.help.clone();
        eprintln!("{}", diagnostics::render(&d, &checked.sources, diagnostics::Colour::Off));
    }
    let status = outcome.status();
    std::process::exit(status)
}
fn main() {
    let t = std::thread::Builder::new().stack_size(interp::STACK_SIZE).spawn(go);
    let s = t.ok().and_then(|t| t.join().ok()).unwrap_or(101);
    std::process::exit(s)
}
