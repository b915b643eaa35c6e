//! Access to files that is confined to a folder, while links in it change.

#![cfg(target_os = "linux")]

use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::clock::Instant;

use super::*;

/// How long links change while files are read and written.
const RACE: Duration = Duration::from_secs(10);

fn confined(folder: &Path) -> Files {
    let mut files = Files::new(WorkingDirectory::new(folder));
    files.set_root(Some(Root::new(folder).expect("a root")));
    files
}

/// What exists outside of the root, by name and content.
fn content(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut all: Vec<(String, Vec<u8>)> = fs::read_dir(folder)
        .expect("a directory")
        .flatten()
        .map(|entry| (entry.file_name().to_string_lossy().into(), fs::read(entry.path()).unwrap_or_default()))
        .collect();
    all.sort();
    all
}

/// Ends the other threads of the race, also if an assertion fails.
struct EndsRace<'a>(&'a AtomicBool);

impl Drop for EndsRace<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

// invariant 29
#[test]
fn a_link_that_changes_meanwhile_leads_nowhere() {
    let outer = tempfile::tempdir().expect("a directory");
    let (root, out) = (outer.path().join("root"), outer.path().join("out"));
    for folder in [&root.join("real"), &root.join("goal"), &out] {
        fs::create_dir_all(folder).expect("a directory");
        fs::write(folder.join("file"), if *folder == out { "secret" } else { "own" }).expect("a file");
    }
    symlink("../out", root.join("evil")).expect("a link");
    let before = content(&out);
    let over = AtomicBool::new(false);
    let at = |name: &str| root.join(name);
    let flip_folder = || {
        while !over.load(Ordering::Relaxed) {
            for (from, to) in [("real", "x"), ("x", "real"), ("evil", "x"), ("x", "evil")] {
                let _ = fs::rename(at(from), at(to));
            }
        }
    };
    let flip_file = || {
        while !over.load(Ordering::Relaxed) {
            let _ = symlink("../out/file", at("link"));
            let _ = fs::rename(at("link"), at("y"));
            let _ = fs::write(at("plain"), "own");
            let _ = fs::rename(at("plain"), at("y"));
        }
    };
    let files = confined(&root);
    let text = |path: &str| path.to_string();
    let write = |path: &str, atomic| HostRequest::WriteFile {
        path: text(path),
        data: b"new".to_vec(),
        mode: 0o644,
        atomic,
    };
    std::thread::scope(|scope| {
        scope.spawn(flip_folder);
        scope.spawn(flip_file);
        let (mut inside, mut outside) = (0, 0);
        let begin = Instant::now();
        let _ends = EndsRace(&over);
        while begin.elapsed() < RACE || inside <= 100 || outside <= 100 {
            assert!(begin.elapsed() < 60 * RACE, "{inside} read, {outside} refused");
            for path in ["x/file", "y"] {
                match files.read_file(path) {
                    Ok(read) => {
                        assert!(read != b"secret", "{path}");
                        inside += 1;
                    }
                    Err(error) if error.reason.contains("outside of") => outside += 1,
                    Err(_) => {}
                }
                // Waits for the disk, so not each time.
                let _ = files.answer(write(path, (inside + outside) % 32 == 0));
                let data = b"more".to_vec();
                let _ =
                    files.answer(HostRequest::AppendFile { path: text(path), data, mode: 0o644, line: true });
                let _ =
                    files.answer(HostRequest::Copy { from: text("goal/file"), to: text(path), mode: None });
            }
            let _ = files.answer(write("x/new", false));
            let _ =
                files.answer(HostRequest::MakeDirectory { path: text("x/a"), mode: 0o755, parents: false });
            let _ = files.answer(HostRequest::Rename(text("goal/file"), text("x/moved")));
            let _ = files.answer(HostRequest::Rename(text("x/moved"), text("goal/file")));
            let _ = files.answer(HostRequest::Remove(text("x/file")));
            let _ = files.answer(HostRequest::RemoveAll(text("x/a")));
            if let Ok(HostAnswer::Texts(names)) = files.answer(HostRequest::ReadDirectory(text("x"))) {
                assert!(names.len() < 20, "{names:?}");
            }
        }
    });
    assert_eq!(content(&out), before);
}

#[test]
fn the_root_itself_can_be_looked_at() {
    let root = tempfile::tempdir().expect("a directory");
    fs::create_dir(root.path().join("sub")).expect("a directory");
    symlink("..", root.path().join("up")).expect("a link");
    symlink("/", root.path().join("top")).expect("a link");
    let files = confined(root.path());
    let kind = |path: &str, follow| {
        files.answer(HostRequest::Status { path: path.into(), follow }).map(|answer| match answer {
            HostAnswer::Status(status) => status.kind,
            other => panic!("{other:?}"),
        })
    };
    for path in [".", "sub/..", "sub", "./sub/.", "sub/"] {
        for follow in [true, false] {
            assert_eq!(kind(path, follow).ok(), Some(FileKind::Directory), "{path}");
        }
    }
    assert_eq!(kind("top", false).ok(), Some(FileKind::Link));
    for path in ["top", "up", "..", "/", "sub/../.."] {
        assert!(kind(path, true).is_err(), "{path}");
    }
    for path in [".", "sub/..", "..", "/"] {
        assert!(files.answer(HostRequest::RemoveAll(path.into())).is_err(), "{path}");
    }
}
