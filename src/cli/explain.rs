//! `ez explain CODE`.

use crate::clients::show::print;
use ez_runtime::diagnostics::explanation_of;

pub(super) fn explain(code: &str) -> u8 {
    match explanation_of(code) {
        Ok(text) => {
            print(&text);
            0
        }
        Err((message, help)) => {
            eprintln!("Error: {message}\n  = help: {help}");
            1
        }
    }
}
