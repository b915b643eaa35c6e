//! Advice for words of other debugger programs, such as gdb and pdb.

use ez_language::syntax::token::{Class, TokenKind};

/// What does here what a command of another debugger does; `None` for other words.
pub(super) fn counterpart(word: &str) -> Option<&'static str> {
    Some(match word {
        "advance" => "'until 20' runs to a line",
        "alias" | "define" => "commands can be put into a file, which 'load' executes",
        "attach" | "detach" => "'ez run --debug-listen' starts a program to which an editor can attach",
        "call" | "eval" | "interact" | "pp" => {
            "'print f(3)' calls f and shows its result; any line of EZ works alone, too"
        }
        "expression" | "expr" => "'print EXPRESSION' shows a value, 'print/x' in hexadecimal",
        "handle" | "signal" => "Ctrl+C pauses the program, 'catch' stops it at errors",
        "ignore" => {
            "'break 12 hit >= 3' ignores the first two hits of a breakpoint; 'continue 3' ignores two hits now"
        }
        "jump" | "return" => {
            "the program cannot be made to go elsewhere: 'until 20' runs to a line, 'out' to the end of the function, and \
             'goto 3' goes to a step of the history"
        }
        "kill" => "'quit' ends the program and the debugger, 'restart' starts the program again",
        "nexti" | "stepi" | "ni" | "si" => "'unfold' shows how a statement was computed, part by part",
        "ptype" | "whatis" => "'type NAME' shows the type of a value",
        "rwatch" | "awatch" => "'watch NAME' stops where a value is changed",
        "start" => "the program has been started; 'restart' does it again",
        "inspect" => "'print NAME' shows a value, 'tree NAME' its parts",
        "thread" | "threads" | "goroutine" | "goroutines" => {
            "a program has one thread: 'backtrace' shows its calls; 'processes' lists the programs that it has started"
        }
        _ => return None,
    })
}

/// The command that shows what 'info WORD' shows in gdb; `None` for other words.
pub(super) fn counterpart_of_info(word: &str) -> Option<&'static str> {
    Some(match word {
        "args" => "'args' shows the parameters",
        "breakpoints" | "break" | "b" | "watchpoints" => "'breakpoints' lists them",
        "display" => "'display' lists the displays",
        "frame" | "f" => "'frame' shows where the program is",
        "functions" | "sources" | "source" | "line" => "'list' shows the source",
        "inferiors" | "threads" => "'processes' lists the programs that this one has started",
        "locals" => "'vars' shows the variables",
        "stack" => "'backtrace' shows the calls in progress",
        "variables" => "'globals' shows the variables of the files, 'vars' those of the function",
        _ => return None,
    })
}

/// Whether the text after a word makes the line an expression about a variable of that name. With `may_be_signed`, a
/// `-` begins an argument.
pub(super) fn is_computed(rest: &str, may_be_signed: bool) -> bool {
    let first = TokenKind::all_in(rest).next();
    first.is_some_and(|(kind, at)| match kind {
        TokenKind::Minus if may_be_signed => false,
        // They stand before a value.
        TokenKind::Bang | TokenKind::Amp => false,
        _ => kind.class() == Class::Operator && at.end < rest.len(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_told_from_arguments() {
        for rest in ["+ 1", "* 2", "- 1", "-5", "== 3", "&& b", "!in b"] {
            assert!(is_computed(rest, false), "{rest}");
        }
        for rest in ["", "5", "+", "x + 1", "\"+ 1\"", "!b", "&b", "= 1"] {
            assert!(!is_computed(rest, false), "{rest}");
        }
        assert!(!is_computed("- 1", true));
    }
}
