//! One program for all targets: the variable EZ_FUZZ_TARGET names the one that libFuzzer runs. See README.md.

#![no_main]

mod allocator;
mod commands;
#[path = "../../tests/random/generator/mod.rs"]
#[allow(dead_code)]
mod generator;
mod mutate;
#[path = "../../tests/random/runs/mod.rs"]
#[allow(dead_code, unused_imports)]
mod runs;
#[path = "../targets/mod.rs"]
mod targets;
mod words;

use std::sync::LazyLock;

use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};

use mutate::Random;
use targets::Target;
use targets::texts::PART;

/// What an input consists of.
#[derive(Clone, Copy)]
enum Form {
    Bytes,
    /// A program.
    Program,
    /// Lines, and how a new one is made.
    Lines(fn(&mut Random) -> String),
    /// A program, and behind [`PART`] lines.
    Both(fn(&mut Random) -> String),
    /// A program, and bytes.
    Steps,
}

/// The target that runs.
static RUNS: LazyLock<(Target, Form)> = LazyLock::new(|| {
    let name = std::env::var("EZ_FUZZ_TARGET").unwrap_or_default();
    let inside: [Target; 3] = [
        ("lsp", ez_debugger::fuzzing::lsp),
        ("machine", ez_engine::fuzzing::machine),
        ("zmtp", ez_debugger::fuzzing::zmtp),
    ];
    let mut all = targets::TARGETS.into_iter().chain(inside);
    let Some(target) = all.find(|(known, _)| *known == name) else {
        eprintln!("EZ_FUZZ_TARGET names no target: '{name}'");
        std::process::exit(2);
    };
    let form = match target.0 {
        "cells" | "check" | "format" => Form::Program,
        "session" => Form::Both(commands::ez),
        "rpc" => Form::Both(commands::rpc),
        "dap" => Form::Both(commands::dap),
        "guests" => Form::Both(commands::of_a_client),
        "lsp" => Form::Steps,
        "recording" => Form::Lines(commands::call),
        _ => Form::Bytes,
    };
    (target, form)
});

fuzz_target!(|data: &[u8]| (RUNS.0.1)(data));

fuzz_mutator!(|data: &mut [u8], size: usize, most: usize, seed: u32| {
    let mut random = Random::new(seed);
    let changed = changed(&data[..size], most, &mut random);
    match changed.filter(|changed| changed.len() <= most) {
        Some(changed) => {
            data[..changed.len()].copy_from_slice(&changed);
            changed.len()
        }
        None => fuzzer_mutate(data, size, most),
    }
});

/// An input with changes of whole pieces; `None` if libFuzzer is to change its bytes.
fn changed(data: &[u8], most: usize, random: &mut Random) -> Option<Vec<u8>> {
    let form = RUNS.1;
    if random.one_in(if matches!(form, Form::Steps) { 2 } else { 6 }) {
        return None;
    }
    let text = String::from_utf8_lossy(data);
    let (before, behind) = text.split_once(PART).unwrap_or((&text, ""));
    match form {
        Form::Bytes => None,
        Form::Program => Some(mutate::program(&text, random, most).into_bytes()),
        Form::Lines(new) => Some(mutate::lines(&text, random, most, &new)?.into_bytes()),
        Form::Both(new) => {
            let (mut before, mut behind) = (before.to_string(), behind.to_string());
            if random.one_in(3) {
                before = mutate::program(&before, random, most / 2);
            } else {
                behind = mutate::lines(&behind, random, most, &new)?;
            }
            Some([before, behind].join(PART).into_bytes())
        }
        Form::Steps => {
            let at = data.windows(PART.len()).position(|it| it == PART.as_bytes())?;
            let before = mutate::program(before, random, most / 2).into_bytes();
            Some([&before, &data[at..]].concat())
        }
    }
}
