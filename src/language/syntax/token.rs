//! Tokens: their kinds, how messages name them, and which words are reserved.

use std::ops::Range;

use logos::Logos;

use super::scan::{self, LexicalErrors};
use ez_runtime::source::Span;

/// What kind of text a token has, and where it may stand. A token has one class, on which it depends how the parser
/// goes on after an error, which words may be names, and how source text is coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Any text that has a certain form.
    Form,
    /// A word of the language with which only statements begin, and which declarations may not use as a name.
    Statement,
    /// Any other word of the language that declarations may not use as a name.
    Reserved,
    /// A word of the language that is a name where it cannot mean anything else.
    Word,
    /// A word that begins with `#`.
    Attribute,
    /// An operator that a value follows, of one to three characters.
    Operator,
    /// An operator that changes the variable or part before it.
    Assignment,
    /// One of `(`, `[`, `{`.
    Opener,
    /// One of `)`, `]`, `}`.
    Closer,
    /// Any other character that is no letter.
    Separator,
}

/// The table of tokens: of forms how they are recognised and what messages call them, of all others their text.
macro_rules! kinds {
    (
        Form { $($(#[$pattern:meta])? $form:ident $what:tt;)* }
        $($class:ident { $($kind:ident $text:tt;)* })*
    ) => {
        /// Kind of a token.
        ///
        /// The longest text that is a token counts, of two of the same length the one of higher priority.
        #[derive(Logos, Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[logos(extras = LexicalErrors)]
        #[logos(skip(r"[ \t\r\n]+"))]
        #[logos(skip("//", scan::line_comment))]
        #[logos(skip(r"/\*", scan::block_comment))]
        pub enum TokenKind {
            $($(#[$pattern])? $form,)*
            $($(#[token($text)] $kind,)*)*
        }

        impl TokenKind {
            /// Every kind.
            const ALL: &[TokenKind] = &[$(TokenKind::$form,)* $($(TokenKind::$kind,)*)*];

            pub fn class(self) -> Class {
                match self {
                    $(TokenKind::$form)|* => Class::Form,
                    $($(TokenKind::$kind)|* => Class::$class,)*
                }
            }

            /// The text of every token of this kind; of forms what they are, for messages.
            pub fn text(self) -> &'static str {
                match self {
                    $(TokenKind::$form => $what,)*
                    $($(TokenKind::$kind => $text,)*)*
                }
            }

            /// The token as messages write it ("expected X, got Y"): its text in quotes, or what it is.
            pub fn name(self) -> &'static str {
                match self {
                    $(TokenKind::$form => $what,)*
                    $($(TokenKind::$kind => concat!("'", $text, "'"),)*)*
                }
            }
        }
    };
}

kinds! {
    Form {
        #[regex("[A-Za-z_][A-Za-z0-9_]*", priority = 1)] Ident "a name";
        #[regex("[0-9]", number)] Int "a whole number";
        Float "a number";
        #[token("\"", scan::string)] Str "a string";
        #[token("`", scan::raw_string)] RawStr "a raw string";
        #[token("'", scan::char_literal)] Char "a character";
        #[regex("(?s:.)", scan::illegal, priority = 0)] Illegal "'#'";
        Eof "the end of the file";
    }
    Statement {
        Temp "temp";
        Const "const";
        Do "do";
        Return "return";
        If "if";
        For "for";
        ForEach "for_each";
        AsLongAs "as_long_as";
        Loop "loop";
        Break "break";
        Continue "continue";
        Import "import";
        Using "using";
        Private "private";
        Ensure "ensure";
    }
    Reserved {
        OrKw "or";
        Otherwise "otherwise";
        In "in";
        NotIn "not_in";
        Range "range";
        Struct "struct";
        Enum "enum";
        Nil "nil";
        New "new";
        True "true";
        False "false";
        Module "module";
        Use "use";
    }
    Word {
        Blank "_";
        When "when";
        Is "is";
        Default "default";
        Cast "cast";
    }
    Attribute {
        Suppress "#suppress";
        Strict "#strict";
        Flags "#flags";
        EnumAttr "#enum";
        Doc "#doc";
    }
    Operator {
        BangIn "!in";
        Plus "+";
        Minus "-";
        Star "*";
        Slash "/";
        Percent "%";
        EqEq "==";
        NotEq "!=";
        Less "<";
        Greater ">";
        LessEq "<=";
        GreaterEq ">=";
        AndAnd "&&";
        OrOr "||";
        Bang "!";
        Amp "&";
        Arrow "->";
    }
    Assignment {
        Assign "=";
        PlusAssign "+=";
        MinusAssign "-=";
        StarAssign "*=";
        SlashAssign "/=";
        PercentAssign "%=";
        Increment "++";
        Decrement "--";
    }
    Opener {
        LeftParen "(";
        LeftBracket "[";
        LeftBrace "{";
    }
    Closer {
        RightParen ")";
        RightBracket "]";
        RightBrace "}";
    }
    Separator {
        Comma ",";
        Colon ":";
        Semicolon ";";
        Dot ".";
        At "@";
    }
}

fn number(lexer: &mut logos::Lexer<'_, TokenKind>) -> TokenKind {
    if scan::number(lexer) { TokenKind::Float } else { TokenKind::Int }
}

impl TokenKind {
    /// The kinds of the tokens in a text, and where they are in it. What is no token is left out.
    pub fn all_in(text: &str) -> impl Iterator<Item = (TokenKind, Range<usize>)> {
        TokenKind::lexer(text).spanned().filter_map(|(kind, place)| Some((kind.ok()?, place)))
    }

    /// The kind of a text that is one token; `None` if it is not.
    fn of(text: &str) -> Option<TokenKind> {
        let (kind, place) = TokenKind::all_in(text).next()?;
        (place == (0..text.len())).then_some(kind)
    }

    /// Whether a value has to follow it.
    pub fn wants_value(self) -> bool {
        match self.class() {
            Class::Operator => true,
            Class::Assignment => !self.counts(),
            Class::Separator => matches!(self, TokenKind::Comma | TokenKind::Dot),
            Class::Reserved => matches!(self, TokenKind::In | TokenKind::NotIn),
            Class::Form
            | Class::Statement
            | Class::Word
            | Class::Attribute
            | Class::Opener
            | Class::Closer => false,
        }
    }

    /// Whether it is `++` or `--`.
    pub fn counts(self) -> bool {
        matches!(self, TokenKind::Increment | TokenKind::Decrement)
    }

    /// Whether it is a keyword; the blank identifier `_` does not count.
    pub fn is_keyword(self) -> bool {
        matches!(self.class(), Class::Statement | Class::Reserved | Class::Word) && self != TokenKind::Blank
    }

    /// Whether a statement can begin with it and an expression cannot.
    pub fn starts_statement(self) -> bool {
        matches!(self.class(), Class::Statement | Class::Attribute) || self == TokenKind::When
    }

    /// Whether it is a `(`, `[` or `{`.
    pub fn opens(self) -> bool {
        self.class() == Class::Opener
    }

    /// What a `)`, `]` or `}` closes.
    pub fn opener(self) -> Option<TokenKind> {
        match self {
            TokenKind::RightParen => Some(TokenKind::LeftParen),
            TokenKind::RightBracket => Some(TokenKind::LeftBracket),
            TokenKind::RightBrace => Some(TokenKind::LeftBrace),
            _ => None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'t> {
    pub kind: TokenKind,
    /// Its text; of strings, raw strings and chars the text between the quotes, as written.
    pub text: &'t str,
    /// Where it stands, quotes included.
    pub span: Span,
    /// Where it starts in the text that was lexed (which is not the file inside `${…}`).
    pub offset: u32,
    /// Its length there, quotes included.
    pub length: u32,
}

impl Token<'_> {
    /// Where it ends in the text that was lexed.
    pub fn end(&self) -> usize {
        (self.offset + self.length) as usize
    }
}

/// Names of the language that no declaration may use although they are no keywords.
const RESERVED_NAMES: &[&str] =
    &["from", "len", "typeof", "input", "println", "print", "read_int", "copy", "append", "error", "map"];

/// Names that no declaration may use: keywords and what the language itself provides.
pub fn is_reserved(text: &str) -> bool {
    TokenKind::of(text).is_some_and(|kind| matches!(kind.class(), Class::Statement | Class::Reserved))
        || RESERVED_NAMES.contains(&text)
        || (text != "any" && is_primitive(text))
}

/// The names of the types that the language itself provides (`any` included, `nil` is a keyword).
const PRIMITIVES: &[&str] = &[
    "int", "float", "string", "bool", "char", "byte", "i8", "i16", "i32", "i64", "i128", "i256", "u8", "u16",
    "u32", "u64", "u128", "u256", "uint", "f32", "f64", "any",
];

/// Whether a text can be written as a name.
pub fn is_identifier(text: &str) -> bool {
    TokenKind::of(text) == Some(TokenKind::Ident)
}

/// Whether it is the name of a type that the language itself provides.
pub fn is_primitive(text: &str) -> bool {
    PRIMITIVES.contains(&text)
}

/// The attributes, with their `#`.
pub fn attributes() -> impl Iterator<Item = &'static str> {
    TokenKind::ALL.iter().filter(|kind| kind.class() == Class::Attribute).map(|kind| kind.text())
}

/// Every word and attribute that `ez man` explains as part of the syntax: keywords, `!in`, names of types.
pub fn words() -> impl Iterator<Item = &'static str> {
    let kinds = TokenKind::ALL.iter().filter(|&&kind| match kind.class() {
        Class::Statement | Class::Reserved | Class::Word | Class::Attribute => true,
        Class::Operator => kind == TokenKind::BangIn,
        Class::Form | Class::Assignment | Class::Opener | Class::Closer | Class::Separator => false,
    });
    kinds.map(|kind| kind.text()).chain(PRIMITIVES.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_is_a_token_of_its_kind() {
        for &kind in TokenKind::ALL {
            if kind.class() != Class::Form {
                assert_eq!(TokenKind::of(kind.text()), Some(kind));
            }
            assert_eq!(kind.opener().is_some(), kind.class() == Class::Closer, "{kind:?}");
        }
    }

    #[test]
    fn the_reference_has_every_operator() {
        let grammar = include_str!("../../../docs/language/grammar.md");
        let listed = include_str!("../../../docs/language/source-text.md");
        for kind in TokenKind::ALL {
            if matches!(kind.class(), Class::Operator | Class::Assignment) {
                let quoted = grammar.contains(&format!("\"{}\"", kind.text()));
                assert!(quoted || listed.split_whitespace().any(|word| word == kind.text()), "{kind:?}");
            }
        }
    }

    #[test]
    fn the_longest_token_counts() {
        let kinds =
            |text| TokenKind::lexer(text).map(|kind| kind.unwrap_or(TokenKind::Eof)).collect::<Vec<_>>();
        assert_eq!(kinds("!=in"), [TokenKind::NotEq, TokenKind::In]);
        assert_eq!(kinds("!inside"), [TokenKind::BangIn, TokenKind::Ident]);
        assert_eq!(kinds("#docs"), [TokenKind::Doc, TokenKind::Ident]);
        assert_eq!(kinds("for_eac for_each"), [TokenKind::Ident, TokenKind::ForEach]);
        assert_eq!(kinds("|||ä"), [TokenKind::OrOr, TokenKind::Illegal, TokenKind::Illegal]);
        assert_eq!(
            kinds("1..2 .5"),
            [TokenKind::Int, TokenKind::Dot, TokenKind::Dot, TokenKind::Int, TokenKind::Dot, TokenKind::Int]
        );
        assert_eq!(kinds("1.5e3"), [TokenKind::Float]);
        assert_eq!(kinds("1/*2*/3//4"), [TokenKind::Int, TokenKind::Int]);
    }

    #[test]
    fn messages_name_kinds() {
        assert_eq!(TokenKind::Ident.name(), "a name");
        assert_eq!(TokenKind::AsLongAs.name(), "'as_long_as'");
        assert_eq!(TokenKind::LeftBrace.name(), "'{'");
    }
}
