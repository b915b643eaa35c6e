//! What a database has saved stays saved, whatever happens during the next save.

use std::io::{self, BufRead, BufReader};
use std::path::PathBuf;
use std::process::Stdio;

use crate::plain::{on_big_stack, run};
use ez_runtime::host::SystemHost;
use ez_runtime::value::{Host, HostRequest, Job, JobResult, Stream, SystemError, SystemErrorKind, WrapsHost};
use serde_json::Value;

/// A directory of a test.
fn directory(test: &str) -> PathBuf {
    let directory = std::env::temp_dir().join(format!("ez-database-{}-{test}", std::process::id()));
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).unwrap();
    directory
}

const SAVES: &str = r#"
import @std, @db
using std

do main() {
    temp s, _ = db.open("s.ezdb")
    temp round int = 0
    loop {
        round += 1
        for i in range(0, 5000) {
            db.set(s, "key ${i}", string(round))
        }
        db.save(s)
        eprintln(round)
    }
}
"#;

#[test]
fn a_crash_during_a_save_loses_nothing_saved_before() {
    let directory = directory("crash");
    std::fs::write(directory.join("a.ez"), SAVES).unwrap();
    for rounds in 1..12u64 {
        let mut child =
            support::ez().arg("a.ez").current_dir(&directory).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        // Another save begins at once; how far it comes differs from round to round.
        let mut saved = 0;
        while saved < rounds {
            saved = lines.next().unwrap().unwrap().parse().unwrap();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let text = std::fs::read_to_string(directory.join("s.ezdb")).unwrap();
        let Value::Object(entries) = serde_json::from_str(&text).unwrap() else { panic!("{text}") };
        assert_eq!(entries.len(), 5000);
        let first: u64 = entries["key 0"].as_str().unwrap().parse().unwrap();
        assert!(first >= saved, "{first} is older than {saved}");
        assert!(entries.values().all(|value| value.as_str() == Some(&first.to_string())));
    }
    let _ = std::fs::remove_dir_all(&directory);
}

/// A world whose disk fills up after so many writes.
struct Full {
    system: SystemHost,
    writes: usize,
}

impl WrapsHost for Full {
    fn inner(&self) -> &dyn Host {
        &self.system
    }

    fn inner_mut(&mut self) -> &mut dyn Host {
        &mut self.system
    }

    fn write(&mut self, _: Stream, _: &str) -> io::Result<()> {
        Ok(())
    }

    fn start(&mut self, job: Job) -> Result<u64, JobResult> {
        if matches!(job, Job::Request(HostRequest::WriteFile { .. })) {
            match self.writes.checked_sub(1) {
                Some(left) => self.writes = left,
                None => return Err(JobResult::Answer(Err(no_space()))),
            }
        }
        self.system.start(job)
    }
}

fn no_space() -> SystemError {
    SystemError {
        kind: SystemErrorKind::StorageFull,
        operation: "write".into(),
        path: String::new(),
        reason: "no space left on device".into(),
    }
}

#[test]
fn a_save_that_fails_says_so_and_leaves_the_file() {
    on_big_stack(|| {
        let directory = directory("full");
        let path = directory.join("s.ezdb");
        for end in ["save", "close"] {
            let program = format!(
                "import @db\ndo main() {{\n    temp s, _ = db.open(\"{}\")\n    db.set(s, \"a\", \"kept\")\n    \
                 db.save(s)\n    db.set(s, \"a\", \"lost\")\n    db.{end}(s)\n}}\n",
                path.display().to_string().replace('\\', "/")
            );
            let _ = std::fs::remove_file(&path);
            // Opening writes an empty file.
            let host = Full { system: SystemHost::new(None), writes: 2 };
            assert_eq!(
                run(&program, Box::new(host)),
                format!("E17003 db.{end}() failed to write to database")
            );
            assert_eq!(std::fs::read_to_string(&path).unwrap(), "{\"a\":\"kept\"}");
            let names: Vec<_> =
                std::fs::read_dir(&directory).unwrap().map(|e| e.unwrap().file_name()).collect();
            assert_eq!(names, ["s.ezdb"]);
        }
        let _ = std::fs::remove_dir_all(&directory);
    });
}
