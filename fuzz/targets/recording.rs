//! A recording without its checksums, which are added here: it is read and played as `ez replay` does.
//!
//! Reading takes time and memory in proportion to its length; whatever it has in it, it is played to an end, and reaches
//! nothing outside; the same recording gives the same output and status again; and what is damaged is refused.

use std::cell::{Cell, RefCell};
use std::io;
use std::path::PathBuf;
use std::rc::Rc;

use ez_engine::recording::file::{AtEnd, PlaybackHost, Recording};
use ez_language::check::check_program;
use ez_runtime::diagnostics::Code;
use ez_runtime::host::{MemoryFiles, MemoryHost};
use ez_runtime::interp::flags::STEP;
use ez_runtime::interp::slots::Fp;
use ez_runtime::interp::vm::{Debugger, Stop};
use ez_runtime::interp::{self, CompiledProgram, STACK_SIZE, Vm, compile_attached};
use ez_runtime::program::StmtId;
use ez_runtime::value::{Host, Stream, WrapsHost, held_memory, set_memory_limit};

use super::cost::within;

/// How many statements are run at most.
const STATEMENTS: u64 = 20_000;

/// The memory limit of programs, in bytes.
const MEMORY: u64 = 200 << 20;

/// The file with the lines of an input, each with its checksum.
fn with_checksums(data: &[u8]) -> Vec<u8> {
    let (mut hasher, mut whole) = (crc32fast::Hasher::new(), Vec::new());
    for line in data.split_inclusive(|byte| *byte == b'\n') {
        let Some(json) = line.strip_suffix(b"\n") else {
            whole.extend_from_slice(line);
            continue;
        };
        hasher.update(json);
        whole.extend_from_slice(json);
        whole.extend_from_slice(format!("\t{:08x}\n", hasher.clone().finalize()).as_bytes());
    }
    whole
}

/// A file that is there for one input.
struct Temporary(PathBuf);

impl Temporary {
    fn new(data: &[u8]) -> Temporary {
        let folder = ["/dev/shm".into(), std::env::temp_dir()].into_iter().find(|it: &PathBuf| it.is_dir());
        let name = format!("ez-fuzz-{}-{:?}.ezr", std::process::id(), std::thread::current().id());
        let path = folder.expect("a folder").join(name);
        std::fs::write(&path, data).expect("room for a file");
        Temporary(path)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Keeps the output.
struct Shows {
    output: Rc<RefCell<String>>,
    inner: MemoryHost,
}

impl WrapsHost for Shows {
    fn inner(&self) -> &dyn Host {
        &self.inner
    }

    fn inner_mut(&mut self) -> &mut dyn Host {
        &mut self.inner
    }

    fn write(&mut self, _: Stream, text: &str) -> io::Result<()> {
        self.output.borrow_mut().push_str(text);
        Ok(())
    }
}

/// Ends the program when the recording does, or after [`STATEMENTS`].
struct Ends {
    is_over: Rc<Cell<bool>>,
    left: u64,
}

impl Ends {
    fn look(&self, vm: &mut Vm) -> Result<(), Stop> {
        if self.is_over.get() || self.left == 0 { vm.fail(Code::E5098, "over", vm.nowhere()) } else { Ok(()) }
    }
}

impl Debugger for Ends {
    fn statement(&mut self, vm: &mut Vm, _: Fp, _: StmtId, _: bool) -> Result<(), Stop> {
        self.left = self.left.saturating_sub(1);
        self.look(vm)
    }

    fn on_interrupt(&mut self, vm: &mut Vm) -> Result<(), Stop> {
        self.look(vm)
    }
}

/// Plays a recording; its output and status, and how it differs. `None` if its program is wrong.
fn played(recording: &Rc<Recording>) -> Option<(String, i32, Option<String>)> {
    let header = &recording.header;
    // A limit is one of the whole process, which may have grown between two runs.
    set_memory_limit(Some(held_memory().saturating_add(header.memory_limit.unwrap_or(MEMORY).min(MEMORY))));
    let checked = check_program(&header.sources, &header.path, &header.file).ok()?;
    let program = checked.program?;
    let compiled: CompiledProgram = compile_attached(&program);
    // Every statement is told.
    compiled.flags.set_each(STEP, true);
    let (output, is_over) = (Rc::new(RefCell::new(String::new())), Rc::new(Cell::new(false)));
    let departs = is_over.clone();
    let on_departure = Box::new(move |_: &ez_engine::recording::file::Departure| departs.set(true));
    let inner = MemoryHost::new(MemoryFiles::default(), Vec::new(), None);
    let shows = Box::new(Shows { output: output.clone(), inner });
    let made = PlaybackHost::new(recording.clone(), shows, AtEnd::Soon, on_departure);
    let (mut host, playback) = made.expect("a file that was read before");
    host.begin();
    let mut vm = Vm::new(program, Box::new(host), STACK_SIZE - STACK_SIZE / 8).expect("a machine");
    vm.debugger = Some(Box::new(Ends { is_over, left: STATEMENTS }));
    let status = interp::run(&mut vm, &compiled).status();
    drop(vm);
    let output = output.take();
    Some((output, status, playback.difference_at_end(status)))
}

pub fn target(data: &[u8]) {
    let whole = with_checksums(data);
    let file = Temporary::new(&whole);
    let Ok(recording) = within(whole.len(), "open", || Recording::open(&file.0)) else { return };
    let lines = data.iter().filter(|byte| **byte == b'\n').count() as u64;
    let counted = 1 + recording.calls + u64::from(recording.end.is_some());
    assert_eq!(counted, lines, "lines are lost");
    let recording = Rc::new(recording);
    let first = played(&recording);
    assert_eq!(played(&recording), first, "played again, it is another");

    // Another bit anywhere is noticed, but in a last line that is not whole.
    let mut damaged = whole.clone();
    let at = data.len() * 7919 % whole.len();
    if let Some(byte) = damaged.get_mut(at) {
        *byte ^= 1;
    }
    let file = Temporary::new(&damaged);
    let is_whole = whole.iter().skip(at).any(|byte| *byte == b'\n');
    assert!(
        !is_whole || Recording::open(&file.0).map_or(true, |it| it.is_cut),
        "damage at {at} is not noticed"
    );
}
