//! A debug session without a client: commands go in through a pipe, events come out as lines. The same as
//! `examples/pipe.sh`, for systems without a shell.
//!
//!     cargo run --example session

use std::error::Error;
use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

const COMMANDS: [&str; 8] = [
    r#"{"type":"command","command":"initialize","params":{"file":"factorial.ez"}}"#,
    r#"{"type":"command","command":"setBreakpoint","params":{"file":"factorial.ez","line":7}}"#,
    r#"{"type":"command","command":"start"}"#,
    r#"{"type":"command","command":"getStackTrace"}"#,
    r#"{"type":"command","command":"getVariables"}"#,
    r#"{"type":"command","command":"stepOut"}"#,
    r#"{"type":"command","command":"clearBreakpoint","params":{"file":"factorial.ez","line":7}}"#,
    r#"{"type":"command","command":"continue"}"#,
];

fn main() -> Result<(), Box<dyn Error>> {
    let project = Path::new(env!("CARGO_MANIFEST_DIR"));
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let mut ez = Command::new(cargo);
    ez.args(["run", "--quiet", "--bin", "ez", "--", "debugserver", "factorial.ez"]);
    let mut server = ez.current_dir(project.join("examples")).stdin(Stdio::piped()).spawn()?;
    let mut input = server.stdin.take().ok_or("the server has no input")?;
    for command in COMMANDS {
        writeln!(input, "{command}")?;
    }
    // At the end of the commands a stopped program is ended; a running one runs on to its end.
    drop(input);
    let status = server.wait()?;
    if status.success() { Ok(()) } else { Err(status.to_string().into()) }
}
