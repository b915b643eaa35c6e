//! The rules of the library, line by line: what an expression prints, or which error ends it.
//!
//! `testdata/library/*.txt` hold groups: `= TITLE`, declarations behind `+ `, statements that come before
//! each case behind `- `, then cases: `EXPRESSION => OUTPUT` or `; STATEMENTS => OUTPUT`. Line ends and
//! zero bytes in the output are written `\n` and `\0`; `!CODE MESSAGE` stands for an error; `# ` begins a
//! comment. Files that end in `.unix.txt` or `.windows.txt` are about these systems.

use std::cell::RefCell;
use std::io;
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

use crate::plain::{checked, errors, on_big_stack, run};
use ez_runtime::host::SystemHost;
use ez_runtime::library::MODULES;
use ez_runtime::value::{Host, HostRequest, Stream, Waited, WrapsHost};

/// The real world in UTC, but for what is printed.
struct Kept {
    inner: SystemHost,
    out: Rc<RefCell<String>>,
}

impl Kept {
    fn new(out: &Rc<RefCell<String>>) -> Kept {
        let mut inner = SystemHost::new(None);
        inner.request(HostRequest::SetVariable("TZ".into(), Some("UTC".into()))).unwrap();
        Kept { inner, out: out.clone() }
    }
}

impl WrapsHost for Kept {
    fn inner(&self) -> &dyn Host {
        &self.inner
    }

    fn inner_mut(&mut self) -> &mut dyn Host {
        &mut self.inner
    }

    fn write(&mut self, _: Stream, text: &str) -> io::Result<()> {
        self.out.borrow_mut().push_str(text);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn read_line(&mut self) -> io::Result<Waited<Option<Vec<u8>>>> {
        Ok(Waited::Done(None))
    }

    fn sleep(&mut self, _: Duration) -> Option<Duration> {
        None
    }
}

/// What the cases of a group have in common.
#[derive(Default)]
struct Group {
    declarations: String,
    before: String,
}

impl Group {
    fn program(&self, case: &str) -> String {
        let case = case.strip_prefix("; ").map_or_else(|| format!("println({case})"), str::to_string);
        let Group { declarations, before } = self;
        let body = format!("{declarations}\ndo main() {{\n{before}{case}\n}}\n");
        let is_used = |name: &str| {
            let member = format!("{name}.");
            let inside = |c: char| c.is_alphanumeric() || c == '_';
            let mut places = body.match_indices(&member).filter_map(|(at, _)| body.get(..at));
            places.any(|before| !before.ends_with(inside))
        };
        let used = MODULES.iter().map(|module| module.name).filter(|name| *name != "std" && is_used(name));
        let imports: String = used.map(|name| format!(", @{name}")).collect();
        format!("import @std{imports}\nusing std\n{body}")
    }

    fn result(&self, case: &str) -> String {
        let program = self.program(case);
        let found = errors(&checked(&program));
        if !found.is_empty() {
            let found: Vec<String> =
                found.iter().map(|(code, message)| format!("{code} {message}")).collect();
            return format!("!{}", found.join("; "));
        }
        let out = Rc::default();
        let end = run(&program, Box::new(Kept::new(&out)));
        let out = out.borrow().trim_end_matches('\n').replace('\n', "\\n").replace('\0', "\\0");
        if end == "ended 0" { out } else { format!("{out}!{end}") }
    }
}

fn differences(path: &Path) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut group = Group::default();
    for line in std::fs::read_to_string(path).unwrap().lines() {
        if line.is_empty() || line.starts_with("# ") {
            continue;
        }
        match line.split_at_checked(2) {
            Some(("= ", _)) => group = Group::default(),
            Some(("+ ", text)) => group.declarations += &format!("{text}\n"),
            Some(("- ", text)) => group.before += &format!("{text}\n"),
            _ => {
                let (case, wanted) = line.rsplit_once(" =>").unwrap_or_else(|| panic!("no case: {line}"));
                let wanted = wanted.strip_prefix(' ').unwrap_or(wanted);
                let got = group.result(case);
                if got != wanted {
                    wrong.push(format!("{case}\n    gives  {got}\n    wanted {wanted}"));
                }
            }
        }
    }
    wrong
}

#[test]
fn rules_hold() {
    on_big_stack(|| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/library");
        let mut wrong = Vec::new();
        let mut count = 0;
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let of_another_system = if cfg!(windows) { ".unix.txt" } else { ".windows.txt" };
            if !path.to_str().unwrap().ends_with(of_another_system) {
                wrong.extend(differences(&path));
                count += 1;
            }
        }
        assert!(count > 0 && wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
    });
}
