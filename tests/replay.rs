//! Programs that touch the outside run again from a record, with nothing outside.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)] // A test may panic.

mod plain;

use std::cell::RefCell;
use std::io::{self, Cursor, Write};
use std::rc::Rc;
use std::time::{Duration, Instant};

use ez_debugger::host::SystemHost;
use ez_debugger::library::{MODULES, RowKind};
use ez_debugger::recording::{RecordHost, Replay, ReplayHost};
use ez_debugger::value::{Host, Stream, Waited};
use plain::{example, forward, on_big_stack, run};

/// Output as the tests keep it: what goes to standard error between brackets.
fn marked(stream: Stream, text: &str) -> String {
    match stream {
        Stream::Stdout => text.into(),
        Stream::Stderr => format!("[{text}]"),
    }
}

/// The real world, but for the streams.
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

/// A writer that can be looked at.
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

/// Runs a program and gives how it ended with its output, and its record.
fn recorded(program: &str, input: &[&'static str]) -> (String, Vec<u8>) {
    let (output, record) = (Rc::<RefCell<String>>::default(), Shared::default());
    let world = World { system: SystemHost::new(None), input: input.to_vec(), output: output.clone() };
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

const EVERYTHING: &str = r#"
import @std, @io, @os, @time, @random, @crypto, @uuid, @math, @arrays, @db
using std

do main() {
    temp name = input()
    println("hello ${name}")
    temp n, e0 = read_int()
    println(n)
    temp more = input()
    eprintln("then ${more}")
    println(time.now_ns(), " ", random.int(1000000), " ", random.float(), " ", uuid.create())
    println(crypto.random_hex(8), " ", math.random())
    temp mixed [int] = {1, 2, 3, 4, 5}
    arrays.shuffle(mixed)
    println(mixed)
    temp path string = os.temp_dir() + "/ez_replay_" + crypto.random_hex(8)
    println(io.write_file(path, "one\ntwo\n"))
    println(io.append_line(path, "three"))
    println(io.read_lines(path))
    temp h, e = io.open(path, io.READ_WRITE)
    println(h, " ", io.read_string(h, 3))
    println(io.seek(h, 0, io.SEEK_END), io.write(h, "four"), io.close(h))
    println(io.file_mod_time(path), io.file_size(path), io.read_file(path))
    temp s, e2 = db.open(path + ".ezdb")
    db.set(s, "k", "v")
    db.close(s)
    println(io.read_file(path + ".ezdb"), db.exists(path + ".ezdb"))
    println(io.remove(path), io.remove(path + ".ezdb"), io.exists(path))
    println(io.read_file(path + "/none"))
    println(os.exec_output("echo $$; exit 3"))
    println(os.set_env("EZ_REPLAY", "x"), os.get_env("EZ_REPLAY"), os.pid())
    time.sleep(0.01)
    println(time.elapsed_ms(time.tick()), time.format("YYYY-MM-DD HH:mm:ss.SSS"))
    println(mixed[7])
}
"#;

#[test]
fn a_program_that_touches_everything_replays() {
    on_big_stack(|| {
        let (said, record) = recorded(EVERYTHING, &["Ann\n", "12\n", "last"]);
        assert!(said.contains("hello Ann\n12\n[then last\n]") && said.contains("E9001"), "{said}");
        assert!(said.contains("one\\ntwo\\nthree\\nfour"), "{said}");
        let (again, replay) = replayed(EVERYTHING, record.clone());
        assert_eq!(again, said);
        assert_eq!(replay.problem(), None);
        assert_eq!(replay.lines(), record.iter().filter(|b| **b == b'\n').count());
        let (other, _) = recorded(EVERYTHING, &["Ann\n", "12\n", "last"]);
        assert_ne!(other, said);
    });
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
        let (said, record) = recorded(&program("/no/such/file"), &[]);
        assert!(said.contains("no such file"), "{said}");
        let (said, replay) = replayed(&program("/no/other"), record.clone());
        let problem = replay.problem().unwrap();
        let wanted = "the program asks for Status { path: \"/no/other\", follow: true }, \
                      but line 2 of the record has Status { path: \"/no/such/file\", follow: true }";
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

/// Whatever an example does outside, it prints the same again without it.
#[test]
fn examples_replay() {
    on_big_stack(|| {
        let directory = std::env::temp_dir().join(format!("ez-replay-{}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        std::env::set_current_dir(&directory).unwrap();
        for module in MODULES {
            for row in module.rows {
                if (module.name, row.name) == ("server", "listen") || row.kind == RowKind::Constant {
                    continue;
                }
                let program = example(module, row);
                let (said, record) = recorded(&program, &["a line\n"]);
                assert!(said.ends_with("ended 0"), "{}.{}: {said}", module.name, row.name);
                let (again, replay) = replayed(&program, record);
                assert_eq!((again, replay.problem()), (said, None), "{}.{}", module.name, row.name);
            }
        }
        let _ = std::fs::remove_dir_all(&directory);
    });
}
