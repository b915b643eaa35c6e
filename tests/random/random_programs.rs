//! Random programs do the same however they are run: plain, under the debugger, step by step, interrupted,
//! asked for their variables all the time; and under a memory limit they do the same or say that memory is
//! out.
//!
//! A short run has seeds of its own. For a long one, `EZ_SEED` is the first seed and `EZ_COUNT` the number of
//! programs. A program that fails is made smaller and written to a file, whose name is in the message.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::generator::{CHOICES, Choices, Program, shrink};
use crate::runs::{Outcome, Passed, Subject, Trace, Way};
use ez_engine::api::BreakpointOptions;
use ez_engine::api::Resume::{Continue, StepInto, StepOut, StepOver};
use ez_engine::debug::Pace;

/// Programs of a short run.
const COUNT: u64 = 20;

/// How long a failing program is made smaller.
const SHRINKING: Duration = Duration::from_secs(30);

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().expect("a number"))
}

/// Runs a property for all seeds.
fn for_all_seeds(test: &str, holds: impl Fn(&Arc<Subject>, u64) -> Result<(), String>) {
    let directory =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("random-{}-{test}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let first = number("EZ_SEED").unwrap_or(1);
    for seed in first..first + number("EZ_COUNT").unwrap_or(COUNT) {
        let check = |choices: Choices| {
            let program = Program::new(choices);
            let subject = Arc::new(Subject::generated(&program, &directory));
            (holds(&subject, seed), program)
        };
        // If the process itself ends, the seed is known nevertheless.
        let under_way = directory.join("under_way");
        std::fs::write(&under_way, format!("seed {seed}\n")).unwrap();
        let choices = Choices::from_seed(seed, CHOICES);
        let (result, _) = check(choices.clone());
        if result.is_err() {
            let fails = |values: &[u32]| match check(Choices::new(values.to_vec())) {
                // Another failure than the one looked for, unless it is the only one there is.
                (Err(wrong), _) => wrong.starts_with("does not check") == is_unchecked(&result),
                (Ok(()), _) => false,
            };
            let values = shrink(choices.values().to_vec(), SHRINKING, fails);
            let (smaller, program) = check(Choices::new(values));
            let file = save(&program, seed, test);
            // It may fail now and then only.
            let wrong = smaller.err().or(result.err()).expect("a failure");
            panic!("seed {seed}: {wrong}\nin {}", file.display());
        }
    }
    let _ = std::fs::remove_dir_all(&directory);
}

fn is_unchecked(result: &Result<(), String>) -> bool {
    result.as_ref().is_err_and(|wrong| wrong.starts_with("does not check"))
}

/// Keeps a program that failed.
fn save(program: &Program, seed: u64, test: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("failed-{test}-{seed}"));
    for (name, text) in &program.files {
        let path = directory.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    directory
}

fn plain_outcome(subject: &Arc<Subject>) -> Result<Outcome, String> {
    let errors = subject.errors();
    if !errors.is_empty() {
        return Err(format!("does not check: {}", errors.join("\n")));
    }
    subject.plain(None)
}

fn same(way: &Way, wanted: &Outcome, got: Result<Outcome, String>) -> Result<(), String> {
    match got {
        Ok(got) if got == *wanted => Ok(()),
        Ok(got) => Err(format!("{way:?}\nplain: {wanted:#?}\nattached: {got:#?}")),
        Err(wrong) => Err(format!("{way:?}\n{wrong}")),
    }
}

fn all_ways(subject: &Arc<Subject>, ways: &[Way]) -> Result<(), String> {
    let wanted = plain_outcome(subject)?;
    ways.iter().try_for_each(|way| same(way, &wanted, subject.attached(way.clone(), None)))
}

// invariant 5
#[test]
fn attached_is_as_plain() {
    for_all_seeds("attached", |subject, seed| {
        all_ways(subject, &[Way { resumes: vec![Continue], seed, ..Way::default() }])
    });
}

// invariant 5
#[test]
fn stepped_is_as_plain() {
    for_all_seeds("stepped", |subject, seed| {
        let way = |resumes: &[_], questions| Way {
            stop_at_entry: true,
            resumes: resumes.to_vec(),
            questions,
            seed,
            ..Way::default()
        };
        all_ways(subject, &[way(&[StepInto], 0), way(&[StepInto], 3), way(&[StepInto, StepOver, StepOut], 3)])
    });
}

/// Traces a program with and without observing its statements.
fn observed_is_as_stepped(subject: &Arc<Subject>, compared: usize) -> Result<(), String> {
    let wanted = plain_outcome(subject)?;
    let (stepped, shown) = subject.traced(None)?;
    let (observed, seen) = subject.traced(Some(compared))?;
    if let Some((one, other)) = shown.iter().zip(&seen).find(|(one, other)| one != other) {
        return Err(format!("stepped: {one:#?}\nobserved: {other:#?}"));
    }
    match (shown.len() == seen.len(), stepped == wanted && observed == wanted) {
        (true, true) => Ok(()),
        (true, false) => Err(format!("plain: {wanted:#?}\nstepped: {stepped:#?}\nobserved: {observed:#?}")),
        (false, _) => Err(format!("{} stops stepped, {} observed", shown.len(), seen.len())),
    }
}

// invariant 5
#[test]
fn observing_statements_changes_nothing() {
    for_all_seeds("observed", |subject, _| observed_is_as_stepped(subject, 6));
}

/// The examples, and programs that tests of pages and of the debugger use.
#[test]
fn observing_programs_on_disk_changes_nothing() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut wrong = Vec::new();
    // These wait, or run for long.
    let long = ["countdown", "parameters"];
    for folder in ["examples", "testdata/trace", "testdata/debug"] {
        for entry in std::fs::read_dir(root.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let is_program = path.extension().is_some_and(|extension| extension == "ez");
            if !is_program || long.iter().any(|name| path.file_stem().is_some_and(|stem| stem == *name)) {
                continue;
            }
            let subject = Arc::new(Subject::on_disk(&path, "5\n7\nZoë 🦊\n50\n".into()));
            if subject.errors().is_empty()
                && let Err(why) = observed_is_as_stepped(&subject, 12)
            {
                wrong.push(format!("{}: {why}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{} programs:\n{}", wrong.len(), wrong.join("\n"));
}

/// The programs that say what the language does.
#[test]
fn observing_the_corpus_changes_nothing() {
    crate::corpus_runs::all_are_as_plain(|subject, number| {
        let compared = if number.is_multiple_of(16) { 3 } else { 0 };
        subject.traced(Some(compared)).map(|(outcome, _)| outcome)
    });
}

// invariant 5
#[test]
fn breakpoints_and_questions_change_nothing() {
    for_all_seeds("asked", |subject, seed| {
        let way = Way {
            resumes: vec![Continue, Continue, StepInto, StepOver, StepOut],
            questions: 4,
            breakpoints: 6,
            seed,
            ..Way::default()
        };
        all_ways(subject, &[way])
    });
}

#[test]
fn places_have_the_same_numbers_however_they_are_come_to() {
    for_all_seeds("numbered", |subject, seed| {
        let stops = |way: Way| {
            let trace = Trace::default();
            subject.attached(Way { trace: trace.clone(), seed, ..way }, None).map(|_| trace.take())
        };
        let all = stops(Way { stop_at_entry: true, resumes: vec![StepInto], ..Way::default() })?;
        if let Some(wrong) = all.windows(2).find(|two| two[0].0 > two[1].0) {
            return Err(format!("steps go back: {wrong:?}"));
        }
        let resumes = vec![Continue, StepInto, StepOver, StepOut];
        let others = [
            Way { resumes: resumes.clone(), questions: 4, breakpoints: 6, ..Way::default() },
            Way { resumes, questions: 2, pauses: Some(seed), ..Way::default() },
        ];
        for way in others {
            for stop in stops(way)? {
                // Of a place that no step stops at, the file, line and frames are those of the place before.
                let end = all.partition_point(|known| known.0 <= stop.0);
                let before = all[..end].iter().rev().scan(true, |go_on, known| {
                    let wanted = *go_on;
                    *go_on = known.0 == stop.0;
                    wanted.then_some(known)
                });
                let same = |known: &Passed| (&known.1, known.2, known.3) == (&stop.1, stop.2, stop.3);
                if end > 0 && end < all.len() && !before.clone().any(same) {
                    return Err(format!("{stop:?} is none of {:?}", before.collect::<Vec<_>>()));
                }
            }
        }
        Ok(())
    });
}

/// A condition is tested where the places of several statements are counted at once; without one, each looks at its place.
#[test]
fn conditions_choose_among_the_places() {
    for_all_seeds("chosen", |subject, seed| {
        let mut random = fastrand::Rng::with_seed(seed);
        let lines: Vec<u32> = (0..4).map(|_| random.u32(1..subject.lines.max(2))).collect();
        let stops = |lines: &[u32], condition: Option<&str>, hits: Option<&str>| {
            let options = |line: &u32| {
                let (condition, hit_condition) = (condition.map(str::to_string), hits.map(str::to_string));
                (*line, BreakpointOptions { condition, hit_condition, ..BreakpointOptions::default() })
            };
            let lines = lines.iter().map(options).collect();
            let trace = Trace::default();
            let way = Way { lines, trace: trace.clone(), resumes: vec![Continue], seed, ..Way::default() };
            subject.attached(way, None).map(|_| trace.take())
        };
        let same = |what: &str, wanted: &[Passed], got: &[Passed]| {
            let first = wanted.iter().zip(got).position(|(wanted, got)| wanted != got);
            if wanted.len() == got.len() && first.is_none() {
                return Ok(());
            }
            let first = first.unwrap_or(wanted.len().min(got.len()));
            Err(format!("{what} in lines {lines:?}: {:?} is {:?}", wanted.get(first), got.get(first)))
        };
        let all = stops(&lines, None, None)?;
        same("all", &all, &stops(&lines, Some("true"), None)?)?;
        same("hits", &all, &stops(&lines, None, Some(">= 1"))?)?;
        same("none", &[], &stops(&lines, Some("false"), None)?)?;
        same("big numbers", &all, &stops(&lines, Some("9223372036854775807 + 1 > 0"), None)?)?;
        for line in &lines {
            let all = stops(&[*line], None, None)?;
            if all.len() < crate::runs::STOPS {
                let third: Vec<Passed> = all.iter().skip(2).step_by(3).cloned().collect();
                same("each third", &third, &stops(&[*line], Some("true"), Some("% 3"))?)?;
            }
        }
        Ok(())
    });
}

// invariant 27
#[test]
fn the_past_is_what_it_was() {
    for_all_seeds("walked", |subject, seed| {
        let wanted = plain_outcome(subject)?;
        let steps = 5 + seed as usize % 40;
        let walk = |checkpoints| {
            let (got, answers) = subject.walked(steps, checkpoints)?;
            same(&Way { seed, ..Way::default() }, &wanted, Ok(got))
                .map_err(|wrong| format!("{checkpoints:?} {wrong}"))?;
            Ok::<_, String>(answers)
        };
        let whole = walk(Pace::Never)?;
        let checkpoints = Pace::Places(20 + seed * seed % 200);
        // A search from checkpoint to checkpoint finds what one of the whole past finds.
        match whole.iter().zip(&walk(checkpoints)?).find(|(whole, parts)| whole != parts) {
            Some((whole, parts)) => Err(format!("{checkpoints:?} {whole}\nis found as {parts}")),
            None => Ok(()),
        }
    });
}

#[test]
fn what_was_hit_forward_is_hit_backward() {
    for_all_seeds("returned", |subject, seed| {
        let wanted = plain_outcome(subject)?;
        let mut random = fastrand::Rng::with_seed(seed);
        let conditions = ["fuel % 3 == 0", "no == 1", "len(\"a\") == 1", "12 / (fuel % 4) > 4"];
        let breakpoint = |random: &mut fastrand::Rng| {
            let condition = random.choice(conditions).filter(|_| random.u8(..) < 80);
            let hits = random.choice(["% 2", ">= 3", "== 2"]).filter(|_| random.u8(..) < 60);
            let line = random.u32(1..subject.lines.max(2));
            (line, condition.map(str::to_string), hits.map(str::to_string))
        };
        let plan = crate::runs::Return {
            breakpoints: (0..6).map(|_| breakpoint(&mut random)).collect(),
            errors: random.bool(),
            watched: random.bool().then(|| random.usize(0..20)),
            stops: 40,
            steps: random.usize(0..20),
            ..crate::runs::Return::default()
        };
        [Pace::Never, Pace::Places(20 + seed * seed % 200)].into_iter().try_for_each(|checkpoints| {
            let got = subject.returned(plan.clone(), checkpoints);
            same(&Way { seed, ..Way::default() }, &wanted, got)
                .map_err(|wrong| format!("{checkpoints:?} {plan:?} {wrong}"))
        })
    });
}

// invariant 5
#[test]
fn pauses_change_nothing() {
    for_all_seeds("paused", |subject, seed| {
        let way = |resumes: &[_], questions, stop_at_entry| Way {
            stop_at_entry,
            resumes: resumes.to_vec(),
            questions,
            breakpoints: questions,
            pauses: Some(seed),
            seed,
            ..Way::default()
        };
        all_ways(subject, &[way(&[Continue], 0, false), way(&[Continue, StepInto, StepOut], 2, true)])
    });
}

/// A program that runs out of memory says so, and has printed the same until then.
#[test]
fn memory_limits_end_programs_only() {
    for_all_seeds("memory", |subject, seed| {
        let wanted = plain_outcome(subject)?;
        let mut random = fastrand::Rng::with_seed(seed);
        for attached in [false, true] {
            let limit = resident() + random.u64(0..4 << 20);
            let way = Way { resumes: vec![Continue], seed, ..Way::default() };
            let got = match attached {
                true => subject.attached(way, Some(limit)),
                false => subject.plain(Some(limit)),
            }?;
            let out_of_memory = got
                .error
                .as_ref()
                .is_some_and(|e| e.starts_with("E5018 out of memory") || e.starts_with("E7010"));
            if got != wanted && !(out_of_memory && follows(subject, &wanted.output, &got.output)) {
                return Err(format!(
                    "limit {limit}, attached {attached}\nwanted: {wanted:#?}\ngot: {got:#?}"
                ));
            }
        }
        Ok(())
    });
}

/// Whether the output of a program that ended early is the beginning of the whole one, but for what
/// `ensure` calls print at the end.
fn follows(subject: &Subject, whole: &str, early: &str) -> bool {
    whole.starts_with(early) || subject.files.iter().any(|(_, text)| text.contains("ensure "))
}

/// Bytes that this process holds.
fn resident() -> u64 {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: u64 = pages.split(' ').nth(1).and_then(|n| n.parse().ok()).unwrap_or(0);
    pages * 4096
}

/// The programs use the whole language, and most of them get far.
#[test]
fn programs_are_worth_running() {
    let directory = std::env::temp_dir();
    let (mut listings, mut ended, mut lines) = (String::new(), 0, 0);
    for seed in 1..=COUNT {
        let program = Program::from_seed(seed);
        listings += &program.listing();
        let outcome = plain_outcome(&Arc::new(Subject::generated(&program, &directory))).unwrap();
        ended += u64::from(outcome.error.is_none());
        lines += outcome.output.lines().count() as u64;
    }
    let missing: Vec<&&str> = WORDS.iter().filter(|word| !listings.contains(**word)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert!(ended > COUNT / 2 && ended < COUNT, "{ended} programs end without an error");
    assert!(lines > COUNT * 20, "{lines} lines of output");
}

/// What must be in the programs of a short run.
const WORDS: &[&str] = &[
    "import \"./",
    "module ",
    "private ",
    "const ",
    "struct {",
    "enum {",
    "#flags",
    "#strict",
    "#doc",
    "temp ",
    "for ",
    "for_each ",
    "as_long_as ",
    "loop {",
    "when ",
    "is range(",
    "default {",
    "if ",
    "} or ",
    "} otherwise {",
    "break",
    "continue",
    "return ",
    "ensure ",
    "ref(",
    "(&",
    ", &",
    "copy(",
    "cast(",
    "typeof(",
    "nil",
    "error(",
    "range(",
    " in ",
    " not_in ",
    " !in ",
    "&&",
    "||",
    "!(",
    "++",
    "--",
    "+=",
    "-=",
    "${",
    "map[",
    "[[int]]",
    ", 3]",
    "u8",
    "i128",
    "uint",
    "f32",
    "byte(",
    "char(",
    "exit(",
    "panic(",
    "assert(",
    "input()",
    "read_int()",
    "eprintln(",
    "json.",
    "csv.",
    "regex.",
    "bytes.",
    "time.",
    "crypto.",
    "encoding.",
    "binary.",
    "io.",
    "maps.",
    "temp _",
    "_, ",
];
