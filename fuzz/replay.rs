//! The corpora of the targets as tests.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};

/// Gives each input of the corpus of a target to its body, on a thread with the stack of programs.
///
/// # Panics
/// With the path of the input that fails, or if there is none.
pub fn replay(target: &str, body: fn(&[u8])) {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let corpora = package.ancestors().map(|above| above.join("fuzz/corpus")).find(|corpora| corpora.exists());
    let folder = corpora.unwrap_or_default().join(target);
    let entries = fs::read_dir(&folder).map(|all| all.flatten().map(|entry| entry.path()));
    let mut paths: Vec<PathBuf> = entries.map_or_else(|_| Vec::new(), Iterator::collect);
    paths.sort();
    assert!(!paths.is_empty(), "no inputs in {}", folder.display());
    let run = move || {
        for path in paths {
            let data = fs::read(&path).unwrap_or_default();
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| body(&data))) {
                eprintln!("the input is {}", path.display());
                resume_unwind(panic);
            }
        }
    };
    let thread = std::thread::Builder::new().stack_size(ez_runtime::interp::STACK_SIZE).spawn(run);
    if let Err(panic) = thread.map_or_else(|why| Err(Box::new(why) as _), std::thread::JoinHandle::join) {
        resume_unwind(panic);
    }
}
