//! What is inserted into programs and messages.

/// Tokens and pieces of EZ programs, some of other languages.
#[rustfmt::skip]
pub const WORDS: &[&str] = &[
    "const", "mut", "temp", "do", "return", "if", "or", "otherwise", "for", "for_each", "as_long_as", "loop",
    "break", "continue", "in", "not_in", "!in", "range", "import", "using", "struct", "enum", "nil", "new",
    "true", "false", "module", "private", "when", "is", "default", "ensure", "ref", "copy", "int", "uint",
    "i8", "i16", "i32", "i64", "i128", "i256", "u8", "u16", "u32", "u64", "u128", "u256", "float", "f32",
    "f64", "string", "char", "bool", "byte", "error", "Error", "map", "any", "File", "Range<int>", "len",
    "typeof", "input", "println", "print", "eprintln", "append", "cast", "error(", "panic", "assert", "addr",
    "size_of", "exit", "sleep_seconds", "#strict", "#enum(string)", "#enum(float, 0.5)", "#flags",
    "#suppress(W1001)", "#suppress(ALL)", "#doc(\"x\")", "#json(\"k\")", "@std", "@arrays", "@maps",
    "@strings", "@math", "@json", "@io", "@os", "@time", "@random", "@bytes", "@db", "@errors", "@http",
    "@uuid", "@encoding", "@crypto", "@binary", "@csv", "@regex", "@server", "@sqlite", "@net", "import @std",
    "using std", "import & use @std", "import \"./x\"", "import \"../x.ez\"", "import m\"./x\"", "(", ")", "[",
    "]", "{", "}", "{}", "{:}", "[]", "()", ",", ".", ":", ";", "=", "==", "!=", "<", "<=", ">", ">=", "+",
    "-", "*", "/", "%", "**", "++", "--", "+=", "-=", "*=", "/=", "%=", "&&", "||", "!", "&", "->", "@", "#",
    "${", "_", "`", "\"", "'", "\\", "//", "/*", "*/", "[int]", "[int, 3]", "[[int]]", "map[string:int]",
    "map[string:[int]]", "&x", "0", "1", "-1", "255", "256", "0x7f", "0b1", "0o7", "1_000", "1.5", "1e9",
    "9223372036854775807", "9223372036854775808", "340282366920938463463374607431768211456", "\"a\"",
    "\"${x}\"", "\"${\"${x}\"}\"", "'a'", "'\\n'", "'\\u{1F600}'", "`raw`", "\"\\x41\"", "\"é😀\"", "\n", " ",
    "\t", "\r\n", "\u{feff}", "é", "😀", "\u{200b}", "\u{202e}", "\0", "do f() -> int {",
    "do f(x int, y int = 1) -> (int, string) {", "do main() {", "x", "y", "f", "f(x)", "x[0]", "x.y", "x.y.z",
    "E.A", "P{}", "P{a: 1}", "new(P)", "mut x int = 1\n", "const x = 1\n", "temp a, b = f()\n",
    "temp _, b = f()\n", "if x {", "} or y {", "} otherwise {", "for i in range(0, 3) {", "for_each v in x {",
    "as_long_as x {", "when x {", "is 1, 2 {", "is range(1, 5) {", "default {", "struct P {",
    "const P struct {\n", "const E enum {\n", "return x\n", "return\n", "import @std\n", "while", "def",
    "func", "fn", "let", "var", "else", "elif", "switch", "case", "try", "catch", "class", "null", "None",
    "self", "this", "lambda", "=>", "?", "??", "and", "not", "xor", "<<", ">>", "^", "~", ":=", "...",
];

/// JSON values.
#[rustfmt::skip]
pub const VALUES: &[&str] = &[
    "0", "1", "2", "3", "5", "7", "-1", "1e3", "1.5", "4294967295", "4294967296", "9223372036854775807",
    "9223372036854775808", "18446744073709551615", "-9223372036854775808", "1e400", "true", "false", "null",
    "\"\"", "\"x\"", "\"main\"", "\"/p/main.ez\"", "\"main.ez\"", "\"a.ez\"", "\"x + 1\"", "\"x = 2\"",
    "\"x[0]\"", "\"f(1)\"", "\"x ==\"", "\"${x}\"", "\"{x}\"", "\"temp y int = 3\"", "\"hex\"", "\"watch\"",
    "\"repl\"", "\"hover\"", "\"clipboard\"", "\"uncaught\"", "\"caught\"", "\"read\"", "\"write\"",
    "\"readWrite\"", "\">= 2\"", "\"% 2\"", "\"2\"", "\"println(1)\"", "\"len(x)\"", "\"a\\u0000b\"",
    "\"\\ud83d\\ude00\"", "\"\\ud83d\"", "\"global\"", "\"local\"", "\"net\"", "\"fs\"", "\"exec\"", "\"env\"",
    "[]", "{}", "[1]", "[\"x\"]", "[{}]", "[{\"expression\":\"x\"}]", "[{\"name\":\"f\"}]", "[{\"line\":3}]",
    "[{\"line\":3,\"condition\":\"x > 1\",\"hitCondition\":\"2\",\"logMessage\":\"x is {x}\"}]",
    "[\"uncaught\"]", "[\"any\",\"caught\"]",
];
