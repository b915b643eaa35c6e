//! The `ez` command.
use std::io::{BufRead, Write};
use std::time::Duration;
use ez_debugger::{check, diagnostics, interp, modules, value};
use value::{Host, Stream, Waited};
struct H { out: std::io::BufWriter<std::io::Stdout> }
impl Host for H {
    fn write(&mut self, s: Stream, t: &str) -> std::io::Result<()> { match s { Stream::Stdout => self.out.write_all(t.as_bytes()), Stream::Stderr => { self.out.flush()?; std::io::stderr().write_all(t.as_bytes()) } } }
    fn flush(&mut self) -> std::io::Result<()> { self.out.flush() }
    fn read_line(&mut self) -> std::io::Result<Waited<Option<Vec<u8>>>> { let mut v = vec![]; self.out.flush()?; let n = std::io::stdin().lock().read_until(b'\n', &mut v)?; Ok(Waited::Done(if n == 0 { None } else { Some(v) })) }
    fn sleep(&mut self, t: Duration) -> Option<Duration> { let _ = self.out.flush(); std::thread::sleep(t); None }
    fn now(&mut self) -> (i64, u32) { let d = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default(); (d.as_secs() as i64, d.subsec_nanos()) }
    fn random(&mut self) -> u64 { 4 }
}
fn go() -> i32 {
    let args: Vec<String> = std::env::args().collect();
    let attached = args.get(2).is_some_and(|a| a == "--attached");
    let Some(name) = args.get(1) else { return 2 };
    let path = std::path::absolute(name).unwrap_or_default();
    let checked = match check::check_program(&modules::DiskLoader, &path, name) { Ok(c) => c, Err(e) => { eprintln!("Error reading file: {e}"); return 1 } };
    if !checked.diagnostics.is_empty() { eprint!("{}", diagnostics::render_all(&checked.diagnostics, &checked.sources, diagnostics::Colour::Off)); }
    let Some(program) = checked.program else { return 1 };
    let mut vm = match interp::Vm::new(program.clone(), Box::new(H { out: std::io::BufWriter::with_capacity(65536, std::io::stdout()) }), interp::STACK_SIZE * 7 / 8) { Ok(v) => v, Err(e) => { eprintln!("{e}"); return 1 } };
    let built = if attached { interp::build_attached(&program) } else { interp::build_plain(&program) };
    let outcome = interp::run(&mut vm, &built);
    if let interp::Outcome::Failed(e) = &outcome {
        let mut d = diagnostics::Diagnostic::new(e.code, e.span, e.message.clone()); d.help = e.help.clone();
        eprintln!("{}", diagnostics::render(&d, &checked.sources, diagnostics::Colour::Off));
    }
    let status = outcome.status();
    std::process::exit(status)
}
fn main() { let t = std::thread::Builder::new().stack_size(interp::STACK_SIZE).spawn(go); let s = t.ok().and_then(|t| t.join().ok()).unwrap_or(101); std::process::exit(s) }
