//! The child processes of this process.

use std::process::Child;
use std::time::Duration;
use std::{fs, io};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, WaitOptions, kill_process, wait, waitid};

/// A child process that has ended.
pub struct Reaped {
    /// Its process id.
    pub process: u32,
    /// Its status, as returned by `wait(2)`.
    pub status: i32,
}

pub fn adopt_orphans() {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
}

/// Number of generations that [`end_family`] kills, and how long it waits for each to end.
const GENERATIONS: u32 = 200;
const ROUND: Duration = Duration::from_millis(5);

pub fn end_family(child: &mut Child) -> io::Result<()> {
    child.kill()?;
    child.wait()?;
    // The children of what was killed have become children of this process.
    for _ in 0..GENERATIONS {
        if !kill_children() {
            break;
        }
        std::thread::sleep(ROUND);
        reap_all();
    }
    Ok(())
}

pub fn reap_all() {
    while reap().is_some() {}
}

/// Waits until a child has ended, without reaping it; returns `false` if there are no children.
pub fn wait_for_ended_child() -> bool {
    ended_child(WaitIdOptions::EXITED | WaitIdOptions::NOWAIT)
}

fn ended_child(options: WaitIdOptions) -> bool {
    loop {
        match waitid(WaitId::All, options) {
            Ok(_) => return true,
            Err(rustix::io::Errno::INTR) => {}
            Err(_) => return false,
        }
    }
}

/// Reaps a child that has ended, if there is one.
pub fn reap() -> Option<Reaped> {
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some((process, status))) => {
                let process = process.as_raw_pid().unsigned_abs();
                return Some(Reaped { process, status: status.as_raw() });
            }
            Ok(None) => return None,
            Err(rustix::io::Errno::INTR) => {}
            Err(_) => return None,
        }
    }
}

/// Kills all children; returns `false` if there are none that it can kill.
pub fn kill_children() -> bool {
    kill(children())
}

pub fn kill_children_except(kept: &[u32]) {
    let is_kept = |child: &Pid| kept.contains(&child.as_raw_pid().unsigned_abs());
    kill(children().into_iter().filter(|child| !is_kept(child)));
}

fn kill(children: impl IntoIterator<Item = Pid>) -> bool {
    let mut killed = false;
    for child in children {
        killed |= kill_process(child, Signal::KILL).is_ok();
    }
    killed
}

fn children() -> Vec<Pid> {
    let children = listed_children();
    // The list is not reliable while processes are started and end.
    let any = || ended_child(WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG);
    if children.is_empty() && any() { searched_children() } else { children }
}

fn pid(text: &str) -> Option<Pid> {
    text.parse().ok().and_then(Pid::from_raw)
}

/// The children according to the system's list.
fn listed_children() -> Vec<Pid> {
    let Ok(threads) = fs::read_dir("/proc/self/task") else { return Vec::new() };
    let lists =
        threads.flatten().filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    lists.flat_map(|list| list.split_whitespace().filter_map(pid).collect::<Vec<_>>()).collect()
}

/// The children, found by searching all processes.
fn searched_children() -> Vec<Pid> {
    let Ok(processes) = fs::read_dir("/proc") else { return Vec::new() };
    let this = std::process::id().to_string();
    let found = processes.flatten().filter_map(|process| {
        let child = pid(process.file_name().to_str()?)?;
        let status = fs::read_to_string(process.path().join("stat")).ok()?;
        // The name is in brackets and may contain spaces; state and parent follow it.
        let (_, rest) = status.rsplit_once(')')?;
        (rest.split_whitespace().nth(1)? == this).then_some(child)
    });
    found.collect()
}
