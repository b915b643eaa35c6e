//! `ez man`: the words of the language and the functions of its library, explained.

use crate::clients::show::print;
use ez_language::syntax::foreign;
use ez_runtime::library;

pub(super) fn man(query: Option<&str>) -> u8 {
    let Some(query) = query else {
        print(&library::contents());
        return 0;
    };
    match library::man(query) {
        Ok(text) => {
            print(&text);
            0
        }
        Err(message) => {
            match foreign::translation(query) {
                Some(translation) => eprintln!("Error: there is no '{query}'\n  = help: {translation}"),
                None => eprintln!("Error: {message}"),
            }
            1
        }
    }
}
