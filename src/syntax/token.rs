//! Tokens: their kinds, how messages name them, and which words are reserved.

use logos::Logos;

use super::lexer::{self, Extras};
use crate::source::Span;

macro_rules! kinds {
    ($($(#[$attr:meta])* $kind:ident $name:literal;)*) => {
        /// Kind of a token.
        #[derive(Logos, Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[logos(extras = Extras, skip r"[ \t\r\n]+", skip(r"//[^\n]*", allow_greedy = true))]
        #[allow(missing_docs)]
        pub enum TokenKind { $($(#[$attr])* $kind),* }

        impl TokenKind {
            /// Every kind.
            const ALL: &[TokenKind] = &[$(TokenKind::$kind),*];

            /// As messages write it ("expected X, got Y"): its text in quotes, or what it is.
            pub fn name(self) -> &'static str {
                match self { $(TokenKind::$kind => $name),* }
            }
        }
    };
}

kinds! {
    #[regex("[A-Za-z_][A-Za-z0-9_]*", priority = 2)] Ident "a name";
    #[regex("[0-9]", lexer::int)] Int "a whole number";
    Float "a number";
    #[token("\"", lexer::string)] Str "a string";
    #[token("`", lexer::raw_string)] RawStr "a raw string";
    #[token("'", lexer::char_literal)] Char "a character";
    #[token("/*", lexer::comment)] Comment "a comment";
    #[token("#")] Illegal "'#'";
    Eof "the end of the file";

    #[token("temp", priority = 20)] Temp "'temp'";
    #[token("const", priority = 20)] Const "'const'";
    #[token("do", priority = 20)] Do "'do'";
    #[token("return", priority = 20)] Return "'return'";
    #[token("if", priority = 20)] If "'if'";
    #[token("or", priority = 20)] OrKw "'or'";
    #[token("otherwise", priority = 20)] Otherwise "'otherwise'";
    #[token("for", priority = 20)] For "'for'";
    #[token("for_each", priority = 20)] ForEach "'for_each'";
    #[token("as_long_as", priority = 20)] AsLongAs "'as_long_as'";
    #[token("loop", priority = 20)] Loop "'loop'";
    #[token("break", priority = 20)] Break "'break'";
    #[token("continue", priority = 20)] Continue "'continue'";
    #[token("in", priority = 20)] In "'in'";
    #[token("not_in", priority = 20)] NotIn "'not_in'";
    #[token("!in")] BangIn "'!in'";
    #[token("range", priority = 20)] Range "'range'";
    #[token("import", priority = 20)] Import "'import'";
    #[token("using", priority = 20)] Using "'using'";
    #[token("struct", priority = 20)] Struct "'struct'";
    #[token("enum", priority = 20)] Enum "'enum'";
    #[token("nil", priority = 20)] Nil "'nil'";
    #[token("new", priority = 20)] New "'new'";
    #[token("true", priority = 20)] True "'true'";
    #[token("false", priority = 20)] False "'false'";
    #[token("_", priority = 20)] Blank "'_'";
    #[token("module", priority = 20)] Module "'module'";
    #[token("private", priority = 20)] Private "'private'";
    #[token("use", priority = 20)] Use "'use'";
    #[token("when", priority = 20)] When "'when'";
    #[token("is", priority = 20)] Is "'is'";
    #[token("default", priority = 20)] Default "'default'";
    #[token("cast", priority = 20)] Cast "'cast'";
    #[token("ensure", priority = 20)] Ensure "'ensure'";

    #[token("#suppress")] Suppress "'#suppress'";
    #[token("#strict")] Strict "'#strict'";
    #[token("#flags")] Flags "'#flags'";
    #[token("#enum")] EnumAttr "'#enum'";
    #[token("#doc")] Doc "'#doc'";

    #[token("+")] Plus "'+'";
    #[token("-")] Minus "'-'";
    #[token("*")] Star "'*'";
    #[token("/")] Slash "'/'";
    #[token("%")] Percent "'%'";
    #[token("=")] Assign "'='";
    #[token("+=")] PlusAssign "'+='";
    #[token("-=")] MinusAssign "'-='";
    #[token("*=")] StarAssign "'*='";
    #[token("/=")] SlashAssign "'/='";
    #[token("%=")] PercentAssign "'%='";
    #[token("++")] Increment "'++'";
    #[token("--")] Decrement "'--'";
    #[token("==")] EqEq "'=='";
    #[token("!=")] NotEq "'!='";
    #[token("<")] Less "'<'";
    #[token(">")] Greater "'>'";
    #[token("<=")] LessEq "'<='";
    #[token(">=")] GreaterEq "'>='";
    #[token("&&")] AndAnd "'&&'";
    #[token("||")] OrOr "'||'";
    #[token("!")] Bang "'!'";
    #[token("&")] Amp "'&'";
    #[token(",")] Comma "','";
    #[token(":")] Colon "':'";
    #[token(";")] Semicolon "';'";
    #[token(".")] Dot "'.'";
    #[token("->")] Arrow "'->'";
    #[token("@")] At "'@'";
    #[token("(")] LeftParen "'('";
    #[token(")")] RightParen "')'";
    #[token("{")] LeftBrace "'{'";
    #[token("}")] RightBrace "'}'";
    #[token("[")] LeftBracket "'['";
    #[token("]")] RightBracket "']'";
}

impl TokenKind {
    /// Whether it is a keyword; the blank identifier `_` does not count.
    pub fn is_keyword(self) -> bool {
        self.in_range(TokenKind::Temp, TokenKind::Ensure)
            && !matches!(self, TokenKind::Blank | TokenKind::BangIn)
    }

    /// Whether it is one of the `#…` attributes.
    pub fn is_attribute(self) -> bool {
        self.in_range(TokenKind::Suppress, TokenKind::Doc)
    }

    /// Kinds are declared in groups, so that a group is a range.
    fn in_range(self, first: TokenKind, last: TokenKind) -> bool {
        (first as u8..=last as u8).contains(&(self as u8))
    }
}

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'t> {
    /// What it is.
    pub kind: TokenKind,
    /// Its text; of strings, raw strings and chars the text between the quotes, as written.
    pub text: &'t str,
    /// Where it stands, quotes included.
    pub span: Span,
    /// Where it starts in the text that was lexed (which is not the file inside `${…}`).
    pub(crate) offset: u32,
}

/// Names that no declaration may use: keywords and what the language itself provides.
pub fn is_reserved(text: &str) -> bool {
    matches!(
        text,
        "temp"
            | "const"
            | "do"
            | "return"
            | "if"
            | "or"
            | "otherwise"
            | "for"
            | "for_each"
            | "as_long_as"
            | "loop"
            | "break"
            | "continue"
            | "in"
            | "not_in"
            | "range"
            | "import"
            | "using"
            | "struct"
            | "enum"
            | "nil"
            | "new"
            | "true"
            | "false"
            | "module"
            | "private"
            | "from"
            | "use"
            | "ensure"
    ) || matches!(
        text,
        "len" | "typeof" | "input" | "println" | "print" | "read_int" | "copy" | "append" | "error" | "map"
    ) || (text != "any" && is_primitive(text))
}

/// The names of the types that the language itself provides (`any` included, `nil` is a keyword).
const PRIMITIVES: &[&str] = &[
    "int", "float", "string", "bool", "char", "byte", "i8", "i16", "i32", "i64", "i128", "i256", "u8", "u16",
    "u32", "u64", "u128", "u256", "uint", "f32", "f64", "any",
];

/// Whether it is the name of a type that the language itself provides.
pub fn is_primitive(text: &str) -> bool {
    PRIMITIVES.contains(&text)
}

/// Every word and sign that `ez man` explains as part of the syntax: keywords, names of types and
/// attributes.
pub fn words() -> impl Iterator<Item = &'static str> {
    let kinds = TokenKind::ALL.iter().filter(|kind| kind.in_range(TokenKind::Temp, TokenKind::Doc));
    kinds.map(|kind| kind.name().trim_matches('\'')).chain(PRIMITIVES.iter().copied())
}
