//! The same requests to files in memory and to files of the system have the same answers.

#![cfg(target_os = "linux")]

use super::*;
use crate::host::SystemHost;
use crate::value::FileKind;

/// An answer without what differs: sizes of directories, times, and the folder in which the system's files are.
fn comparable(answer: Result<HostAnswer, SystemError>, root: &str) -> String {
    let answer = answer.map(|answer| match answer {
        HostAnswer::Status(mut status) => {
            status.modified = 0;
            if status.kind == FileKind::Directory {
                status.size = 0;
            }
            HostAnswer::Status(status)
        }
        HostAnswer::Text(text) => HostAnswer::Text(text.replace(root, "")),
        other => other,
    });
    format!("{answer:?}")
}

fn requests() -> Vec<HostRequest> {
    let text = |text: &str| text.to_string();
    let write = |path: &str, data: &str, atomic| HostRequest::WriteFile {
        path: path.into(),
        data: data.into(),
        mode: 0o644,
        atomic,
    };
    let append = |path: &str, data: &str, line| HostRequest::AppendFile {
        path: path.into(),
        data: data.into(),
        mode: 0o666,
        line,
    };
    let make = |path: &str, parents| HostRequest::MakeDirectory { path: path.into(), mode: 0o777, parents };
    let status = |path: &str| HostRequest::Status { path: path.into(), follow: true };
    let open = |path: &str, flags| HostRequest::Open { path: path.into(), flags, mode: 0o666 };
    let copy = |from: &str, to: &str| HostRequest::Copy { from: from.into(), to: to.into(), mode: None };
    let list = |path: &str| HostRequest::ReadDirectory(path.into());
    use open_flags::{APPEND, CREATE, EXCLUSIVE, READ_ONLY, READ_WRITE, TRUNCATE, WRITE_ONLY};
    vec![
        status("a"),
        status(""),
        write("a", "one\n", false),
        write("a", "two", true),
        write("b/c", "x", false),
        write("a/c", "x", false),
        append("a", "three", true),
        append("new", "1", false),
        status("a"),
        status("a/b"),
        list("."),
        list("a"),
        list("none"),
        make("d", false),
        make("d", false),
        make("a", false),
        make("d/e/f", true),
        make("d/e/f", true),
        make("a/f", true),
        make("none/f", false),
        write("d", "x", false),
        write("d", "x", true),
        list("d"),
        open("a", READ_ONLY), // 1
        open("none", READ_ONLY),
        open("d", READ_ONLY), // 2
        open("d", WRITE_ONLY),
        open("w", WRITE_ONLY | CREATE | TRUNCATE), // 3
        open("w", WRITE_ONLY | CREATE | EXCLUSIVE),
        open("a", READ_WRITE | APPEND), // 4
        HostRequest::Read(1, Some(2)),
        HostRequest::Read(1, None),
        HostRequest::Read(1, Some(5)),
        HostRequest::Read(2, Some(5)),
        HostRequest::Read(3, Some(5)),
        HostRequest::Write(1, b"no".to_vec()),
        HostRequest::Write(3, b"hello".to_vec()),
        HostRequest::Seek(3, 1, 0),
        HostRequest::Write(3, b"EY".to_vec()),
        HostRequest::Seek(3, 2, 2),
        HostRequest::Write(3, b"!".to_vec()),
        HostRequest::Seek(3, -1, 0),
        HostRequest::Seek(3, 0, 7),
        HostRequest::Seek(1, -3, 2),
        HostRequest::Read(1, None),
        HostRequest::Write(4, b"end".to_vec()),
        HostRequest::Seek(4, 0, 0),
        HostRequest::Read(4, None),
        HostRequest::Remove(text("a")),
        HostRequest::Seek(1, 0, 0),
        HostRequest::Read(1, None),
        HostRequest::Sync(3),
        HostRequest::Sync(77),
        HostRequest::Close(1),
        HostRequest::Read(1, None),
        HostRequest::Remove(text("a")),
        HostRequest::RemoveDirectory(text("d")),
        HostRequest::RemoveDirectory(text("d/e/f")),
        HostRequest::RemoveDirectory(text("w")),
        copy("w", "v"),
        copy("w", "w"),
        copy("none", "v"),
        HostRequest::Rename(text("v"), text("d/v")),
        HostRequest::Rename(text("d"), text("e")),
        HostRequest::Rename(text("w"), text("e")),
        HostRequest::Rename(text("e"), text("w")),
        HostRequest::Rename(text("none"), text("w")),
        list("e"),
        HostRequest::ChangeDirectory(text("e")),
        HostRequest::Directory,
        list("../e/./"),
        HostRequest::ChangeDirectory(text("v")),
        HostRequest::ChangeDirectory(text("..")),
        HostRequest::RemoveAll(text("e")),
        HostRequest::RemoveAll(text("e")),
        HostRequest::RemoveAll(text(".")),
        open("/dev/null", READ_WRITE), // 5
        HostRequest::Write(5, b"gone".to_vec()),
        HostRequest::Read(5, Some(3)),
        HostRequest::ReadDirectory(text("/dev/null")),
        make("/dev/null/x", true),
        write("/dev/null", "x", true),
        write("f", "x", false),
        status("f/"),
        status("f/."),
        status("a\0b"),
        status(&"a/".repeat(3000)),
        copy("f", "."),
        list("."),
    ]
}

#[test]
fn they_are_like_files_of_the_system() {
    let folder = std::env::temp_dir().join(format!("ez_memory_files_{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let folder = dunce::canonicalize(&folder).expect("its path");
    let mut system = SystemHost::new(None).with_directory(&folder);
    let files = MemoryFiles::default();
    files.add("/own/file", "").expect("adds");
    let mut memory = MemoryHost::new(files, Vec::new(), None);
    for request in [HostRequest::ChangeDirectory("own".into()), HostRequest::Remove("file".into())] {
        assert_eq!(memory.request(request), Ok(HostAnswer::Done));
    }
    let (mut wrong, root) = (Vec::new(), folder.to_string_lossy().into_owned());
    for request in requests() {
        let wanted = comparable(system.request(request.clone()), &root);
        let got = comparable(memory.request(request.clone()), "/own");
        if wanted != got {
            let request: String = format!("{request:?}").chars().take(100).collect();
            wrong.push(format!("{request}\n  system: {wanted}\n  memory: {got}"));
        }
    }
    std::fs::remove_dir_all(&folder).expect("removes");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn given_files_have_their_folders() {
    let files = MemoryFiles::default();
    files.add("/a/b.txt", "x").expect("adds");
    assert!(files.add("/a/b.txt/c", "x").is_err());
    let mut host = MemoryHost::new(files, Vec::new(), None);
    let listed = host.request(HostRequest::ReadDirectory("/a".into()));
    assert_eq!(listed, Ok(HostAnswer::Texts(vec!["b.txt".into()])));
    let job = host.start(Job::ReadFile("a/../a/b.txt".into())).unwrap();
    assert_eq!(host.finish(job), Waited::Done(JobResult::Bytes(Ok(b"x".to_vec()))));
    assert_eq!(host.finish(job), Waited::Done(JobResult::Unknown));
}

#[test]
fn files_are_shown_and_removed_from_outside() {
    let files = MemoryFiles::default();
    files.add("/main.ez", "text").unwrap();
    let mut host = MemoryHost::new(files.clone(), Vec::new(), None);
    let write = |path: &str, data: &[u8]| HostRequest::WriteFile {
        path: path.into(),
        data: data.to_vec(),
        mode: 0o644,
        atomic: false,
    };
    host.answer(write("/dev/null", b"gone")).unwrap();
    host.answer(write("notes.txt", &[0xff, 0])).unwrap();
    let shown = || {
        let mut all = Vec::new();
        files.each(|path, data| all.push((path.to_string(), data.to_vec())));
        all
    };
    let text = ("/main.ez".to_string(), b"text".to_vec());
    assert_eq!(shown(), [text.clone(), ("/notes.txt".to_string(), vec![0xff, 0])]);
    files.remove("/notes.txt").unwrap();
    assert_eq!(shown(), [text]);
    assert!(host.answer(HostRequest::Open { path: "notes.txt".into(), flags: 0, mode: 0 }).is_err());
    assert!(files.remove("/notes.txt").is_err());
    assert!(files.remove("/tmp").is_err());
}

#[test]
fn what_is_drawn_follows_from_the_seed() {
    let mut host = MemoryHost::new(MemoryFiles::default(), Vec::new(), None);
    let mut same = fastrand::Rng::with_seed(host.seed());
    assert_eq!([host.random(), host.random()], [same.u64(..), same.u64(..)]);
}
