//! The official client of the Model Context Protocol, with `ez mcp`.

use std::path::PathBuf;
use std::process::Command;

use libtest_mimic::Trial;
use support::{ez_path, project, testdata};

use crate::tool::{run, succeeds, trial};

pub fn trials() -> Vec<Trial> {
    let python = python();
    let has_client = succeeds(&python.to_string_lossy(), &["-c", "import mcp.client.client"]);
    vec![trial(
        "mcp::the_official_client_is_served",
        "python3 with the package mcp 2, which .ci/mcp installs",
        has_client,
        the_official_client_is_served,
    )]
}

/// The interpreter of the environment that `.ci/mcp` makes, or else the system's.
fn python() -> PathBuf {
    let places = ["bin/python", "Scripts/python.exe"].map(|place| project("target/mcp").join(place));
    places.into_iter().find(|place| place.is_file()).unwrap_or_else(|| "python3".into())
}

fn the_official_client_is_served() {
    let mut client = Command::new(python());
    client.arg(testdata("mcp").join("official.py")).arg(ez_path()).arg(testdata("agents"));
    let output = run(client.env("PYTHONDONTWRITEBYTECODE", "1"));
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines, ["legacy 2025-11-25", "2026-07-28 2026-07-28", "auto 2026-07-28"]);
}
