//! Tokens: their kinds, how messages name them, and which words are reserved.

use std::collections::HashMap;
use std::sync::LazyLock;

use foldhash::fast::FixedState;

use crate::source::Span;

/// What kind of text a token has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    /// A word of the language that declarations may not use as a name.
    Reserved,
    /// A word of the language that is a name where it cannot mean anything else.
    Word,
    /// A word between `#` and the next character that cannot belong to it.
    Attribute,
    /// One to three characters that are no letters.
    Sign,
    /// Any text that has a certain form.
    Form,
}

macro_rules! kinds {
    ($($class:ident { $($kind:ident $text:literal;)* })*) => {
        /// Kind of a token.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs)]
        pub enum TokenKind { $($($kind),*),* }

        impl TokenKind {
            /// Every kind.
            const ALL: &[TokenKind] = &[$($(TokenKind::$kind),*),*];

            fn class(self) -> Class {
                match self { $($(TokenKind::$kind => Class::$class),*),* }
            }

            /// The text of every token of this kind; of forms what they are, for messages.
            fn text(self) -> &'static str {
                match self { $($(TokenKind::$kind => $text),*),* }
            }

            /// As messages write it ("expected X, got Y"): its text in quotes, or what it is.
            pub fn name(self) -> &'static str {
                match self { $($(TokenKind::$kind => kinds!(@name $class $text)),*),* }
            }
        }
    };
    (@name Form $text:literal) => { $text };
    (@name $class:ident $text:literal) => { concat!("'", $text, "'") };
}

kinds! {
    Form {
        Ident "a name";
        Int "a whole number";
        Float "a number";
        Str "a string";
        RawStr "a raw string";
        Char "a character";
        Eof "the end of the file";
    }
    Reserved {
        Temp "temp";
        Const "const";
        Do "do";
        Return "return";
        If "if";
        OrKw "or";
        Otherwise "otherwise";
        For "for";
        ForEach "for_each";
        AsLongAs "as_long_as";
        Loop "loop";
        Break "break";
        Continue "continue";
        In "in";
        NotIn "not_in";
        Range "range";
        Import "import";
        Using "using";
        Struct "struct";
        Enum "enum";
        Nil "nil";
        New "new";
        True "true";
        False "false";
        Module "module";
        Private "private";
        Use "use";
        Ensure "ensure";
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
    Sign {
        Illegal "#";
        BangIn "!in";
        Plus "+";
        Minus "-";
        Star "*";
        Slash "/";
        Percent "%";
        Assign "=";
        PlusAssign "+=";
        MinusAssign "-=";
        StarAssign "*=";
        SlashAssign "/=";
        PercentAssign "%=";
        Increment "++";
        Decrement "--";
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
        Comma ",";
        Colon ":";
        Semicolon ";";
        Dot ".";
        Arrow "->";
        At "@";
        LeftParen "(";
        RightParen ")";
        LeftBrace "{";
        RightBrace "}";
        LeftBracket "[";
        RightBracket "]";
    }
}

/// The words and signs of the language, to be found by their text.
struct Texts {
    words: HashMap<&'static str, TokenKind, FixedState>,
    /// By the first character (ASCII), the longest first.
    signs: Vec<Vec<(&'static str, TokenKind)>>,
}

static TEXTS: LazyLock<Texts> = LazyLock::new(|| {
    let mut texts = Texts { words: HashMap::default(), signs: vec![Vec::new(); 128] };
    for &kind in TokenKind::ALL {
        let text = kind.text();
        match kind.class() {
            Class::Reserved | Class::Word => drop(texts.words.insert(text, kind)),
            Class::Attribute | Class::Sign => {
                let first = text.bytes().next().and_then(|byte| texts.signs.get_mut(usize::from(byte)));
                first.into_iter().for_each(|signs| signs.push((text, kind)));
            }
            Class::Form => {}
        }
    }
    texts.signs.iter_mut().for_each(|signs| signs.sort_by_key(|(text, _)| std::cmp::Reverse(text.len())));
    texts
});

impl TokenKind {
    /// The kind of a text that has the form of a name.
    pub(crate) fn of_name(text: &str) -> TokenKind {
        TEXTS.words.get(text).copied().unwrap_or(TokenKind::Ident)
    }

    /// The sign or attribute that a text begins with, and its length: the longest of them.
    pub(crate) fn of_sign(text: &str) -> Option<(TokenKind, usize)> {
        let signs = TEXTS.signs.get(usize::from(*text.as_bytes().first()?))?;
        let sign = signs.iter().find(|(sign, _)| text.starts_with(sign));
        sign.map(|(sign, kind)| (*kind, sign.len()))
    }

    /// Whether it is a keyword; the blank identifier `_` does not count.
    pub fn is_keyword(self) -> bool {
        matches!(self.class(), Class::Reserved | Class::Word) && self != TokenKind::Blank
    }

    /// Whether it is one of the `#…` attributes.
    pub fn is_attribute(self) -> bool {
        self.class() == Class::Attribute
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

/// Names of the language that no declaration may use although they are no keywords.
const RESERVED_NAMES: &[&str] =
    &["from", "len", "typeof", "input", "println", "print", "read_int", "copy", "append", "error", "map"];

/// Names that no declaration may use: keywords and what the language itself provides.
pub fn is_reserved(text: &str) -> bool {
    TokenKind::of_name(text).class() == Class::Reserved
        || RESERVED_NAMES.contains(&text)
        || (text != "any" && is_primitive(text))
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

/// Every word and attribute that `ez man` explains as part of the syntax: keywords, `!in`, names of types.
pub fn words() -> impl Iterator<Item = &'static str> {
    let kinds = TokenKind::ALL
        .iter()
        .filter(|&&kind| kind == TokenKind::BangIn || !matches!(kind.class(), Class::Sign | Class::Form));
    kinds.map(|kind| kind.text()).chain(PRIMITIVES.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_is_a_token_of_its_kind() {
        for &kind in TokenKind::ALL {
            match kind.class() {
                Class::Reserved | Class::Word => assert_eq!(TokenKind::of_name(kind.text()), kind),
                Class::Attribute | Class::Sign => {
                    assert_eq!(TokenKind::of_sign(kind.text()), Some((kind, kind.text().len())));
                }
                Class::Form => {}
            }
        }
        assert_eq!(TokenKind::of_sign("!=in"), Some((TokenKind::NotEq, 2)));
        assert_eq!(TokenKind::of_sign("#docs"), Some((TokenKind::Doc, 4)));
        assert_eq!(TokenKind::of_sign("|"), None);
        assert_eq!(TokenKind::of_sign("ä"), None);
    }

    #[test]
    fn messages_name_kinds() {
        assert_eq!(TokenKind::Ident.name(), "a name");
        assert_eq!(TokenKind::AsLongAs.name(), "'as_long_as'");
        assert_eq!(TokenKind::LeftBrace.name(), "'{'");
    }
}
