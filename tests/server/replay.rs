//! Records as text: each library function is replayed, without access to the system. Recordings in files are
//! tested in `recordings.rs`.

use std::cell::RefCell;
use std::io::{self, Cursor, Write};
use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, Instant};

use crate::plain::{example, forward, on_big_stack, run};
use ez_debugger::host::SystemHost;
use ez_debugger::library::{MODULES, RowKind};
use ez_debugger::recording::{RecordHost, Replay, ReplayHost};
use ez_debugger::value::{Host, Stream, Waited};

/// Output as text, that of standard error in brackets.
fn marked(stream: Stream, text: &str) -> String {
    match stream {
        Stream::Stdout => text.into(),
        Stream::Stderr => format!("[{text}]"),
    }
}

/// The system's host, with streams of its own.
struct World {
    system: SystemHost,
    input: Vec<&'static str>,
    output: Rc<RefCell<String>>,
}

impl Host for World {
    forward!(system: sleep now random request jobs);

    fn write(&mut self, stream: Stream, text: &str) -> io::Result<()> {
        self.output.borrow_mut().push_str(&marked(stream, text));
        Ok(())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
    fn read_line(&mut self) -> io::Result<Waited<Option<Vec<u8>>>> {
        let line = if self.input.is_empty() { None } else { Some(self.input.remove(0).into()) };
        Ok(Waited::Done(line))
    }
}

/// A writer whose contents can be read.
#[derive(Clone, Default)]
struct Shared(Rc<RefCell<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Runs a program in a directory; returns its output with its end, and its record.
fn recorded(directory: &Path, program: &str, input: &[&'static str]) -> (String, Vec<u8>) {
    let (output, record) = (Rc::<RefCell<String>>::default(), Shared::default());
    let system = SystemHost::new(None).with_directory(directory);
    let world = World { system, input: input.to_vec(), output: output.clone() };
    let end = run(program, Box::new(RecordHost::new(Box::new(world), Box::new(record.clone()))));
    let said = format!("{}{end}", output.borrow());
    let record = record.0.borrow().clone();
    (said, record)
}

fn replayed(program: &str, record: Vec<u8>) -> (String, Replay) {
    let output = Rc::<RefCell<String>>::default();
    let sink = output.clone();
    let (host, replay) = ReplayHost::new(
        Box::new(Cursor::new(record)),
        Box::new(move |to, text| sink.borrow_mut().push_str(&marked(to, text))),
    );
    let end = run(program, Box::new(host));
    let said = format!("{}{end}", output.borrow());
    (said, replay)
}

#[test]
fn replayed_time_does_not_pass() {
    on_big_stack(|| {
        let record = b"{\"Sleep\":{\"secs\":100000,\"nanos\":0}}\n".to_vec();
        let start = Instant::now();
        let (said, replay) = replayed("import @time\ndo main() { time.sleep(100000) }", record);
        assert_eq!((said.as_str(), replay.problem()), ("ended 0", None));
        assert!(start.elapsed() < Duration::from_secs(1000));
    });
}

#[test]
fn a_program_that_asks_something_else_hears_of_it() {
    on_big_stack(|| {
        let program = |path: &str| {
            format!(
                "import @std, @io\nusing std\ndo main() {{\n    temp _, e = io.read_file(\"{path}\")\n    println(e.message)\n}}\n"
            )
        };
        let (said, record) = recorded(Path::new("/"), &program("/no/such/file"), &[]);
        assert!(said.contains("no such file"), "{said}");
        let (said, replay) = replayed(&program("/no/other"), record.clone());
        let problem = replay.problem().unwrap();
        let wanted = "the program asks for the status of \"/no/other\", \
                      but line 2 of the record has the status of \"/no/such/file\"";
        assert_eq!(problem, wanted);
        assert_eq!(said, "ended 0", "the output is refused");
        let cut = record.split_inclusive(|b| *b == b'\n').take(2).flatten().copied().collect();
        let (_, replay) = replayed(&program("/no/such/file"), cut);
        let problem = replay.problem().unwrap();
        assert!(problem.ends_with("but line 3 of the record is the end"), "{problem}");
        let (_, replay) = replayed(&program("/no/such/file"), b"{\"Nonsense\":1}\n".to_vec());
        let problem = replay.problem().unwrap();
        assert!(problem.contains("line 1 of the record cannot be read (unknown variant"), "{problem}");
    });
}

/// Each example prints the same again when it is replayed.
#[test]
fn examples_replay() {
    on_big_stack(|| {
        let directory = tempfile::tempdir().unwrap();
        for module in MODULES {
            for row in module.rows {
                if (module.name, row.name) == ("server", "listen") || row.kind == RowKind::Constant {
                    continue;
                }
                let program = example(module, row);
                let (said, record) = recorded(directory.path(), &program, &["a line\n"]);
                assert!(said.ends_with("ended 0"), "{}.{}: {said}", module.name, row.name);
                let (again, replay) = replayed(&program, record);
                assert_eq!((again, replay.problem()), (said, None), "{}.{}", module.name, row.name);
            }
        }
    });
}
