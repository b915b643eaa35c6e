//! Tests of the library's functions, and of all rows.

mod bytes;
mod core;
mod json;
mod offload;
mod regex;
#[cfg(unix)] // What it expects has the paths and words of Unix in it.
mod system;
mod time;

use super::MODULES;
use super::signature::ParamType;
use super::testing::{Bench, call_with};

#[test]
fn signatures_mean_what_they_say() {
    for module in MODULES {
        for row in module.rows {
            let parsed = row.parsed();
            for param in parsed.params.iter() {
                let said = format!("{} any", param.name);
                if param.ty == ParamType::Any {
                    assert!(row.signature.contains(&said), "{}.{row:?}: {param:?}", module.name);
                }
            }
            assert_eq!(row.signature.contains("->"), !parsed.results.is_empty(), "{}.{row:?}", module.name);
            if parsed.results.contains(&ParamType::Any) {
                assert!(
                    row.signature.ends_with(" any") || row.signature.contains("any,"),
                    "{}.{row:?}",
                    module.name
                );
            }
            let count = row.signature.matches(',').count();
            assert!(parsed.params.len() + parsed.results.len() <= count + 2, "{row:?}");
        }
    }
}

// invariant 21
#[test]
fn names_are_unique_and_everything_is_documented() {
    for module in MODULES {
        let mut names: Vec<&str> = module.rows.iter().map(|r| r.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), module.rows.len(), "{}", module.name);
        for row in module.rows {
            assert!(
                row.doc.ends_with('.') && !row.doc.contains('\n'),
                "{}.{}: {}",
                module.name,
                row.name,
                row.doc
            );
            assert!(!row.example.is_empty(), "{}.{}", module.name, row.name);
        }
    }
}

/// Functions named without a call are called without arguments: that is an error or harmless.
#[test]
fn no_arguments_are_refused_in_order() {
    for module in MODULES {
        for row in module.rows {
            if row.parsed().min_args() == 0 || (module.name, row.name) == ("server", "listen") {
                continue;
            }
            let name = format!("{}.{}", module.name, row.name);
            let result = call_with(&mut Bench::default(), &name, &[]);
            if matches!(name.as_str(), "math.sum") {
                continue;
            }
            let error = result.expect_err(&name);
            assert!(error.starts_with("E7001 "), "{name}: {error}");
            let named = if module.name == "std" { row.name.to_string() } else { name.clone() };
            assert!(error.contains(&format!("{named}() ")), "{name}: {error}");
        }
    }
}
