//! Records: each library function is replayed, without access to the system. Recordings in files are
//! tested in `recordings.rs`.

use std::cell::RefCell;
use std::io;
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

use crate::plain::{example, on_big_stack, run};
use ez_engine::recording::{HostCall, Record, RecordHost, Replay, ReplayHost};
use ez_runtime::host::{Capability, DenyHost, SystemHost};
use ez_runtime::library::{MODULES, RowKind};
use ez_runtime::value::{Host, Stream, Waited, WrapsHost};

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

impl WrapsHost for World {
    fn inner(&self) -> &dyn Host {
        &self.system
    }

    fn inner_mut(&mut self) -> &mut dyn Host {
        &mut self.system
    }

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

/// Runs a program in a directory; returns its output with its end, and its record.
fn recorded(directory: &Path, program: &str, input: &[&'static str]) -> (String, Record) {
    recorded_without(directory, program, input, Vec::new())
}

/// The same, with capabilities denied.
fn recorded_without(
    directory: &Path,
    program: &str,
    input: &[&'static str],
    denied: Vec<Capability>,
) -> (String, Record) {
    let (output, record) = (Rc::<RefCell<String>>::default(), Record::default());
    let system = SystemHost::new(None).with_directory(directory);
    let world = World { system, input: input.to_vec(), output: output.clone() };
    let world = DenyHost::new(Box::new(world), denied);
    let end = run(program, Box::new(RecordHost::in_memory(Box::new(world), record.clone())));
    let said = format!("{}{end}", output.borrow());
    (said, record)
}

/// Runs a program with a record; returns its output with its end.
fn replayed(
    program: &str,
    record: impl Iterator<Item = Result<HostCall, String>> + 'static,
) -> (String, Replay) {
    let output = Rc::<RefCell<String>>::default();
    let sink = output.clone();
    let mut record = record;
    let (host, replay) = ReplayHost::new(
        Box::new(move || record.next().transpose()),
        Box::new(move |to, text| sink.borrow_mut().push_str(&marked(to, text))),
    );
    let end = run(program, Box::new(host));
    let said = format!("{}{end}", output.borrow());
    (said, replay)
}

/// The calls of a record.
fn calls(record: Record) -> impl Iterator<Item = Result<HostCall, String>> {
    (0..).map_while(move |number| record.get(number).map(Ok))
}

#[test]
fn replayed_time_does_not_pass() {
    on_big_stack(|| {
        let record = std::iter::once(Ok(HostCall::Sleep(Duration::from_secs(100_000))));
        let (said, replay) = replayed("import @time\ndo main() { time.sleep(100000) }", record);
        assert_eq!((said.as_str(), replay.problem()), ("ended 0", None));
    });
}

// invariant 6
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
        let (said, replay) = replayed(&program("/no/other"), calls(record.clone()));
        let problem = replay.problem().unwrap();
        let wanted = "the program asks for the status of \"/no/other\", \
                      but line 2 of the record has the status of \"/no/such/file\"";
        assert_eq!(problem, wanted);
        assert_eq!(said, "ended 0", "the output is refused");
        let (_, replay) = replayed(&program("/no/such/file"), calls(record).take(2));
        let problem = replay.problem().unwrap();
        assert!(problem.ends_with("but line 3 of the record is the end"), "{problem}");
        let (_, replay) = replayed(&program("/no/such/file"), std::iter::once(Err("unknown variant".into())));
        let problem = replay.problem().unwrap();
        assert!(problem.contains("line 1 of the record cannot be read (unknown variant"), "{problem}");
    });
}

/// Each example prints the same again when it is replayed.
// invariant 6
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
                let (again, replay) = replayed(&program, calls(record));
                assert_eq!((again, replay.problem()), (said, None), "{}.{}", module.name, row.name);
            }
        }
    });
}

/// The same where something is denied: a refusal is something that the program has received.
// invariant 6
#[test]
fn examples_that_are_denied_something_replay() {
    on_big_stack(|| {
        let directory = tempfile::tempdir().unwrap();
        let rows = MODULES.iter().flat_map(|module| module.rows.iter().map(move |row| (module, row)));
        for (module, row) in rows.filter(|(_, row)| row.kind != RowKind::Constant) {
            let program = example(module, row);
            for denied in [Capability::Net, Capability::Fs, Capability::Exec, Capability::Env] {
                if (module.name, row.name) == ("server", "listen") && denied != Capability::Net {
                    continue;
                }
                let (said, record) =
                    recorded_without(directory.path(), &program, &["a line\n"], vec![denied]);
                let (again, replay) = replayed(&program, calls(record));
                let what = (module.name, row.name, denied);
                assert_eq!((again, replay.problem()), (said, None), "{what:?}");
            }
        }
    });
}
