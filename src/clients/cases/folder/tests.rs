//! Cases in folders.

use super::*;

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn found(folder: &tempfile::TempDir, given: &[&str]) -> Result<Cases, String> {
    let at = |name: &str| text_of(folder.path().join(name).as_os_str());
    let given: Vec<String> = given.iter().map(|name| at(name)).collect();
    let shorter = |text: String| text.replace(&(slashed(folder.path()) + "/"), "");
    Cases::of_program(&at("a.ez"), &given).map_err(shorter)
}

fn names(cases: &Cases) -> Vec<&str> {
    cases.cases.iter().map(|case| case.name.as_str()).collect()
}

#[test]
fn a_case_is_its_files() {
    let folder = folder(&[
        ("a.cases/10.out", "ten"),
        ("a.cases/2.in", "x\n"),
        ("a.cases/2.ans", "two\r\n"),
        ("a.cases/2.args", "one\n\n-x y"),
        ("a.cases/2.status", " 3\n"),
        ("a.cases/b.in", ""),
        ("a.cases/.hidden.out", ""),
        ("a.cases/README.md", ""),
        ("a.cases/more/c.out", ""),
        ("tests/d.out", ""),
    ]);
    let cases = found(&folder, &[]).unwrap();
    assert!(cases.place.ends_with("/a.cases"), "{}", cases.place);
    assert_eq!(names(&cases), ["2", "10", "b"]);
    let two = cases.named("2").unwrap();
    assert_eq!((two.output.as_deref().map(String::as_str), two.status), (Some("two\r\n"), 3));
    assert_eq!(
        (two.arguments.as_slice(), two.input().as_deref()),
        (["one", "", "-x y"].map(String::from).as_slice(), Ok("x\n"))
    );
    assert!(two.open_input().unwrap().is_some() && two.output_path().ends_with("a.cases/2.ans"));
    let b = cases.named("b").unwrap();
    assert_eq!((b.output.as_deref(), b.status, b.output_path().ends_with("a.cases/b.out")), (None, 0, true));
    let ten = cases.named("10").unwrap();
    assert!(ten.open_input().unwrap().is_none() && ten.input().unwrap().is_empty());
    let wrong = cases.named("1").unwrap_err();
    assert!(wrong.starts_with("there is no case '1' in ") && wrong.ends_with("did you mean '2'?"), "{wrong}");
    // What it reads may have changed meanwhile, what it has to print is kept.
    fs::remove_dir_all(folder.path()).unwrap();
    assert!(two.open_input().unwrap_err().ends_with("a.cases/2.in: no such file or directory"));
}

#[test]
fn cases_are_where_they_are_named() {
    let folder =
        folder(&[("x/1.out", ""), ("x/2.out", ""), ("y/3.in", ""), ("tests/4.out", ""), ("y/2.ans", "")]);
    assert_eq!(names(&found(&folder, &[]).unwrap()), ["4"]);
    assert_eq!(names(&found(&folder, &["y/3.in", "x"]).unwrap()), ["1", "2", "3"]);
    assert_eq!(found(&folder, &["x", "y"]).unwrap_err(), "two cases have the same name: x/2.out and y/2.ans");
    assert_eq!(found(&folder, &["z"]).unwrap_err(), "z: no such file or directory");
    let main = text_of(folder.path().join("main.ez").as_os_str());
    fs::rename(folder.path().join("x"), folder.path().join("cases")).unwrap();
    assert_eq!(names(&Cases::of_program(&main, &[]).unwrap()), ["1", "2"]);
}

#[test]
fn what_is_no_case_is_refused_by_its_name() {
    let refused = |files: &[(&str, &str)]| found(&folder(files), &["c"]).unwrap_err();
    assert!(refused(&[("c/x.txt", "")]).ends_with("what it reads in NAME.in"));
    assert_eq!(
        refused(&[("c/x.out", ""), ("c/x.ans", "")]),
        "c/x.ans and c/x.out are for the same: one of them has to go"
    );
    assert_eq!(refused(&[("c/x.status", "256")]), "c/x.status: '256' is no exit status: these are 0 to 255");
    assert_eq!(refused(&[("c/x.args", "a\nb\0")]), "c/x.args: line 2 has a NUL, which no argument can have");
    assert_eq!(refused(&[("c/x.in/y", "")]), "c/x.in: it is a folder, not a file");
    let none = found(&folder(&[]), &[]).unwrap_err();
    assert!(none.contains("neither a.cases nor tests is a folder\n"), "{none}");
    let other = found(&folder(&[("a.txt", "")]), &["a.txt"]).unwrap_err();
    assert!(other.starts_with("a.txt: it is no file of a case"), "{other}");
    let latin = folder(&[]);
    fs::create_dir(latin.path().join("c")).unwrap();
    fs::write(latin.path().join("c/x.out"), b"1\n\xe4\n").unwrap();
    assert_eq!(
        found(&latin, &["c"]).unwrap_err(),
        "c/x.out: not UTF-8 text (byte 0xe4 in line 2); save it as UTF-8"
    );
}

#[test]
fn there_are_not_too_many() {
    let many = folder(&[]);
    for number in 0..=MAX_CASES {
        File::create(many.path().join(format!("{number}.in"))).unwrap();
    }
    assert!(found(&many, &["."]).unwrap_err().ends_with("there are more than 10000 cases"));
    fs::remove_file(many.path().join("7.in")).unwrap();
    assert_eq!(found(&many, &["."]).unwrap().cases.len(), MAX_CASES);
}

#[cfg(unix)]
#[test]
fn links_pipes_and_devices_are_refused() {
    use std::os::unix::fs::symlink;
    let folder = folder(&[("secret", ""), ("c/x.out", ""), ("c/text", "5")]);
    let at = |name: &str| folder.path().join(name);
    symlink("text", at("c/x.in")).unwrap();
    assert_eq!(found(&folder, &["c"]).unwrap().cases[0].input().as_deref(), Ok("5"));
    for target in ["../secret", "/dev/zero"] {
        fs::remove_file(at("c/x.in")).unwrap();
        symlink(target, at("c/x.in")).unwrap();
        assert_eq!(found(&folder, &["c"]).unwrap_err(), "c/x.in: it is a link that leads out of the folder");
    }
    fs::remove_file(at("c/x.in")).unwrap();
    rustix::fs::mknodat(rustix::fs::CWD, at("c/x.in"), rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    assert_eq!(found(&folder, &["c"]).unwrap_err(), "c/x.in: it is a pipe or a device, not a file");
}

#[test]
fn numbers_count_by_their_values() {
    let mut names = ["b", "10", "a10b", "a2", "2", "a02", "", "a10a"];
    names.sort_by_cached_key(|name| natural(name));
    assert_eq!(names, ["", "2", "10", "a02", "a2", "a10a", "a10b", "b"]);
}
