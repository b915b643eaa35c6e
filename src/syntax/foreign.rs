//! Keywords and names of other languages, with their counterparts in EZ.

/// Help for `word`, a keyword or constant of another language; `None` for other words.
pub fn translation(word: &str) -> Option<&'static str> {
    Some(match word {
        "else" => "in EZ 'else' is written 'otherwise', and 'else if' is written 'or'",
        "elif" | "elseif" | "elsif" => "in EZ 'else if' is written 'or'",
        "while" => "in EZ 'while' is written 'as_long_as'",
        "until" => "in EZ 'until x' is written 'as_long_as !x'",
        "unless" => "in EZ 'unless x' is written 'if !x'",
        "repeat" | "forever" => {
            "in EZ a loop without an end is written 'loop { ... }', and 'break' leaves it"
        }
        "foreach" => "in EZ 'foreach' is written 'for_each'",
        "func" | "fn" | "def" | "function" | "fun" | "sub" | "proc" | "procedure" | "method" | "void" => {
            "in EZ a function begins with 'do': do name(x int) -> int { ... }"
        }
        "var" | "let" | "auto" | "mut" | "dim" => "in EZ a variable begins with 'temp': temp name = value",
        "final" | "val" | "readonly" => "in EZ a constant begins with 'const': const name = value",
        "null" | "None" | "undefined" | "NULL" | "nullptr" | "Nil" => "in EZ no value is written 'nil'",
        "True" | "TRUE" => "in EZ it is written 'true'",
        "False" | "FALSE" => "in EZ it is written 'false'",
        "not" => "in EZ 'not' is written '!'",
        "and" => "in EZ 'and' is written '&&'",
        "xor" => "in EZ 'a xor b' of two conditions is written 'a != b'",
        "switch" | "match" | "case" => {
            "in EZ a choice between values is written 'when x { is 1 { ... } default { ... } }'"
        }
        "class" | "interface" | "record" | "extends" | "implements" => {
            "EZ has no classes: const Name struct { field type }"
        }
        "try" | "catch" | "except" | "finally" | "throw" | "raise" => {
            "EZ has no exceptions: a function that may fail returns an Error; panic(\"...\") ends the program"
        }
        "then" | "begin" | "end" | "pass" => "in EZ a block stands between '{' and '}'",
        "goto" => "EZ has no 'goto': loops end with 'break', functions with 'return'",
        "async" | "await" | "yield" => "in EZ everything happens one after the other: leave it out",
        "lambda" => "EZ has no functions without a name: write one with 'do' at file level",
        "include" | "require" => "in EZ a module is imported: import @std",
        "package" | "namespace" => "a file of a module begins with 'module name'",
        "as" => "another name for a module stands before it: import m@math, import y\"./x\"",
        "static" | "public" | "protected" | "global" | "nonlocal" => {
            "leave it out; 'private' hides a name from other files"
        }
        _ => return None,
    })
}
