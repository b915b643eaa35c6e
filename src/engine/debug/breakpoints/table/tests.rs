use super::*;

fn line(directory: &Path, file: &str, line: u32) -> Requested {
    Requested::Line(RequestedLine::new(directory, file, LineLocation { line, column: None }))
}

fn condition(text: &str) -> BreakpointOptions {
    BreakpointOptions { condition: Some(text.into()), ..BreakpointOptions::default() }
}

fn plain() -> BreakpointOptions {
    BreakpointOptions::default()
}

fn placed(stmts: &[u32]) -> Result<Placed, String> {
    let at = Span { file: ez_runtime::source::FileId(0), start: 0, end: 0 };
    let entries = stmts.iter().map(|stmt| StmtId(*stmt)).collect();
    let resolved = Resolved { line: 3, at, entries, headers: Vec::new() };
    Ok(Placed { resolved, compiled: HashMap::default() })
}

fn hit(all: &BreakpointTable, stmt: u32) -> Vec<u32> {
    all.candidates(FuncId(0), StmtId(stmt), false).iter().map(|candidate| candidate.id.0).collect()
}

// invariant 19
#[test]
#[cfg(unix)] // Links take a privilege elsewhere.
fn a_line_has_one_breakpoint_whatever_its_file_is_called() {
    let directory = tempfile::tempdir().unwrap();
    let base = directory.path();
    std::fs::write(base.join("a.ez"), "").unwrap();
    std::os::unix::fs::symlink(base.join("a.ez"), base.join("link.ez")).unwrap();
    let mut all = BreakpointTable::default();
    let mut set = |file: &str, at| all.set(line(base, file, at), plain(), None).0.0;
    assert_eq!([set("a.ez", 3), set("./a.ez", 3), set("link.ez", 3)], [1, 1, 1]);
    assert_eq!([set("a.ez", 4), set("missing/../b.ez", 4)], [2, 3]);
    assert_eq!(all.find(&line(base, "link.ez", 3)), Some(BreakpointId(1)));
    all.remove(BreakpointId(1));
    assert_eq!(all.find(&line(base, "a.ez", 3)), None);
    assert_eq!(all.set(line(base, "a.ez", 3), plain(), None).0, BreakpointId(4));
}

#[test]
fn names_that_turn_out_to_be_one_file_leave_one_breakpoint() {
    let directory = tempfile::tempdir().unwrap();
    let base = directory.path();
    let mut all = BreakpointTable::default();
    let full = base.join("a.ez");
    let elsewhere = Path::new("/elsewhere");
    all.set(line(elsewhere, "a.ez", 3), condition("x"), None);
    all.set(line(elsewhere, full.to_str().unwrap(), 3), condition("y"), None);
    assert_eq!(all.ids(|_| true).len(), 2);
    all.rebase(base);
    assert_eq!(all.ids(|_| true), [BreakpointId(1)]);
    assert_eq!(all.get(BreakpointId(1)).unwrap().options.condition.as_deref(), Some("y"));
}

#[test]
fn statements_know_their_breakpoints() {
    let root = Path::new("/");
    let mut all = BreakpointTable::default();
    let (one, _) = all.set(line(root, "a.ez", 3), plain(), None);
    let (two, _) = all.set(line(root, "a.ez", 2), plain(), None);
    assert_eq!(all.place(two, placed(&[7])), [StmtId(7)]);
    assert_eq!(all.place(one, placed(&[7, 8])), [StmtId(7), StmtId(8)]);
    assert_eq!((hit(&all, 7), hit(&all, 8)), (vec![1, 2], vec![1]));
    assert_eq!(all.remove(one), [StmtId(7), StmtId(8)]);
    assert_eq!((hit(&all, 7), hit(&all, 8)), (vec![2], vec![]));
    let seen = all.describe(two, |_| Location { path: "/a.ez".into(), line: 3, column: 1 }).unwrap();
    assert_eq!(seen.message.as_deref(), Some("line 2 has no statement: moved to line 3"));
    assert!(seen.verified);
}

#[test]
fn disabled_breakpoints_are_known_and_not_hit() {
    let mut all = BreakpointTable::default();
    let options = BreakpointOptions { enabled: false, ..plain() };
    let (id, _) = all.set(Requested::Function("f".into()), options, None);
    assert!(all.place(id, placed(&[7])).is_empty());
    assert!(hit(&all, 7).is_empty());
    assert!(all.none_enabled());
    assert!(all.describe(id, |_| Location { path: "/a.ez".into(), line: 3, column: 1 }).unwrap().verified);
}

#[test]
fn functions_are_entered_once_a_call() {
    let mut all = BreakpointTable::default();
    let (id, _) = all.set(Requested::Function("f".into()), plain(), None);
    all.place(id, placed(&[7]));
    assert_eq!(all.candidates(FuncId(0), StmtId(7), true).len(), 0, "the back edge is no call");
    assert_eq!(all.candidates(FuncId(0), StmtId(7), false).len(), 1);
}
