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
        "then" | "begin" | "end" => "in EZ a block is put between '{' and '}', without such a word",
        "pass" => "an empty block is written '{}': leave 'pass' out",
        "from" => "a module is imported as a whole: import @math",
        "del" | "delete" => {
            "an entry is removed with maps.remove(map, key), an element with arrays.remove_at(array, index)"
        }
        "goto" => "EZ has no 'goto': loops end with 'break', functions with 'return'",
        "async" | "await" | "yield" => "in EZ everything happens one after the other: leave it out",
        "lambda" => "EZ has no functions without a name: write one with 'do' at file level",
        "include" | "require" => "in EZ a module is imported: import @std",
        "package" | "namespace" => "a file of a module begins with 'module name'",
        "as" => "another name for a module is written before it: import m@math, import y\"./x\"",
        "static" | "public" | "protected" => "leave it out; 'private' hides a name from other files",
        "global" | "nonlocal" => {
            "a function uses the variables of its file without such a line: leave it out"
        }
        "scanf" => "a line is read with input(), a number with: temp n, problem = read_int()",
        _ => return None,
    })
}

/// How EZ writes a constant of another language.
pub fn value(word: &str) -> Option<&'static str> {
    Some(match word {
        "null" | "None" | "undefined" | "NULL" | "nullptr" | "Nil" => "nil",
        "True" | "TRUE" => "true",
        "False" | "FALSE" => "false",
        _ => return None,
    })
}

/// A construct of other languages that has a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Construct {
    /// `while`, `until`.
    While,
    /// `repeat`.
    Repeat,
    /// `forever`.
    Forever,
    /// `foreach`.
    ForEach,
    /// `unless`.
    Unless,
    /// `else`, without an `if` before it.
    Else,
    /// `elif`.
    ElseIf,
    /// `switch`, `match`.
    Switch,
    /// `try`.
    Try,
    /// `class`.
    Class,
    Function,
}

impl Construct {
    /// Whether its block follows the word at once: `forever {`.
    pub fn may_be_bare(self) -> bool {
        matches!(self, Construct::Repeat | Construct::Forever | Construct::Else | Construct::Try)
    }

    /// Whether its block has the form of statements of EZ.
    pub fn contains_statements(self) -> bool {
        !matches!(self, Construct::Switch | Construct::Class)
    }

    /// Whether a word continues it.
    pub fn goes_on_with(self, word: &str) -> bool {
        match self {
            Construct::Try => matches!(word, "catch" | "except" | "finally" | "else"),
            Construct::Unless => word == "else",
            _ => false,
        }
    }
}

/// The words of EZ before which or after which a block may be.
const STATEMENT_WORDS: [&str; 9] =
    ["if", "or", "otherwise", "for", "for_each", "as_long_as", "loop", "when", "do"];

/// A word without capitals and `_`.
fn plain(word: &str) -> String {
    word.chars().filter(|c| *c != '_').flat_map(char::to_lowercase).collect()
}

/// The word of EZ that is meant by one that is nearly the same: `asLongAs`, `For`, `loob`.
pub fn statement_word(word: &str) -> Option<&'static str> {
    let meant = plain(word);
    let limit = match meant.len() {
        0..=2 => 0,
        3..=5 => 1,
        _ => 2,
    };
    let distance = |known: &str| strsim::osa_distance(&plain(known), &meant);
    STATEMENT_WORDS
        .into_iter()
        .filter(|known| *known != word && distance(known) <= limit)
        .min_by_key(|known| distance(known))
}

/// The construct that a word begins, however it is capitalised.
pub fn construct(word: &str) -> Option<Construct> {
    Some(match plain(word).as_str() {
        "while" | "until" => Construct::While,
        "repeat" => Construct::Repeat,
        "forever" => Construct::Forever,
        "foreach" => Construct::ForEach,
        "unless" => Construct::Unless,
        "else" => Construct::Else,
        "elif" | "elseif" | "elsif" => Construct::ElseIf,
        "switch" | "match" => Construct::Switch,
        "try" => Construct::Try,
        "class" | "interface" | "record" => Construct::Class,
        _ => return None,
    })
}

/// The condition in a header, whether or not it is in parentheses.
pub fn without_parentheses(header: &str) -> &str {
    let inner = header.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    // `(a) && (b)` begins and ends with others.
    inner.filter(|inner| !inner.contains([')', '('])).unwrap_or(header)
}

/// Whether a condition always holds.
pub fn is_always(condition: &str) -> bool {
    matches!(condition, "true" | "True" | "1")
}

/// How EZ writes a construct that begins with `word`; `header` is what follows the word before the block.
pub fn written(construct: Construct, word: &str, header: &str) -> String {
    let inner = without_parentheses(header);
    match construct {
        Construct::While if is_always(inner) => {
            "in EZ a loop without an end is written 'loop { ... }', and 'break' leaves it".into()
        }
        Construct::While if plain(word) == "until" => {
            format!("in EZ it is written: as_long_as !({inner}) {{ ... }}")
        }
        Construct::While => format!("in EZ '{word}' is written 'as_long_as': as_long_as {inner} {{ ... }}"),
        Construct::Repeat => match inner.strip_prefix("until ") {
            Some(end) => format!("in EZ it is written: as_long_as !({end}) {{ ... }}"),
            None if inner.is_empty() => {
                "in EZ a loop without an end is written 'loop { ... }', and 'break' leaves it".into()
            }
            None => format!("in EZ it is written: for i in range(0, {inner}) {{ ... }}"),
        },
        Construct::Forever => format!("in EZ '{word}' is written 'loop'"),
        Construct::ForEach => format!("in EZ '{word}' is written 'for_each': for_each {inner} {{ ... }}"),
        Construct::Unless => format!("in EZ it is written: if !({inner}) {{ ... }}"),
        Construct::Else => "in EZ 'else' is written 'otherwise', after the '}' of an 'if'".into(),
        Construct::ElseIf => {
            format!("in EZ '{word}' is written 'or', after the '}}' of an 'if': or {inner} {{ ... }}")
        }
        Construct::Switch => {
            format!("in EZ it is written: when {inner} {{ is 1 {{ ... }} default {{ ... }} }}")
        }
        Construct::Try => {
            "EZ has no exceptions: a function that may fail returns an Error as its last result, which \
                           is compared with nil"
                .into()
        }
        Construct::Class => {
            let name = inner.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
            format!(
                "EZ has no classes: const {name} struct {{ ... }} has the fields, functions are declared beside it"
            )
        }
        Construct::Function => String::new(),
    }
}

/// What a word before a name and a value does in other languages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Declares {
    /// `let`, `var`.
    Variable,
    /// `val`, `final`.
    Constant,
    /// `set`: the variable exists.
    Nothing,
}

/// What a word before a name and a value does in other languages; `None` for other words.
pub fn declares(word: &str) -> Option<Declares> {
    Some(match word {
        "var" | "let" | "auto" | "mut" | "dim" => Declares::Variable,
        "final" | "val" | "readonly" => Declares::Constant,
        "set" => Declares::Nothing,
        _ => return None,
    })
}

/// Whether a word of other languages begins a function: `def`, `void`.
pub fn begins_function(word: &str) -> bool {
    matches!(
        word,
        "func" | "fn" | "def" | "function" | "fun" | "sub" | "proc" | "procedure" | "method" | "void"
    )
}

/// Whether a word of other languages only qualifies the words after it: `public`, `static`.
pub fn is_modifier(word: &str) -> bool {
    matches!(
        word,
        "public" | "protected" | "static" | "abstract" | "export" | "async" | "override" | "inline"
    )
}

/// Whether it is a type of other languages.
pub fn is_type(word: &str) -> bool {
    type_name(word).is_some()
}

/// The type of EZ for a type of other languages.
pub fn type_name(word: &str) -> Option<&'static str> {
    Some(match word {
        "str" | "String" | "text" => "string",
        "integer" | "Integer" | "number" | "long" | "short" => "int",
        "unsigned" => "uint",
        "double" | "real" | "decimal" => "float",
        "boolean" | "Boolean" => "bool",
        "character" => "char",
        _ => return None,
    })
}
