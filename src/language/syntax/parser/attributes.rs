//! Attributes before a statement, and whether they are allowed there.

use super::enums_structs::enum_base;
use super::{Parser, Wanted};
use crate::syntax::ast::{Attributes, EnumForm, Name};
use crate::syntax::token::{Class, Token, TokenKind};
use ez_runtime::diagnostics::Code;
use ez_runtime::source::Span;

/// The kind of statement that attributes stand before.
#[derive(Clone, Copy, PartialEq)]
enum AttributeTarget {
    Function,
    Type,
    When,
    Import,
    End,
    Other,
}

/// The places of attributes that only some targets allow.
#[derive(Default)]
struct AttributeSpans {
    suppress: Option<Span>,
    strict: Option<Span>,
    docs: Vec<Span>,
}

impl Parser<'_> {
    /// All attributes that stand here, checked against what follows them.
    pub(super) fn attributes(&mut self) -> Attributes {
        let mut attrs = Attributes::default();
        let mut places = AttributeSpans::default();
        while self.kind().class() == Class::Attribute {
            attrs.any = true;
            let token = self.bump();
            match token.kind {
                TokenKind::Suppress => {
                    if self.suppress_codes(token, &mut attrs) {
                        places.suppress = places.suppress.or(Some(token.span));
                    }
                }
                TokenKind::Strict => {
                    attrs.strict = attrs.strict.or(Some(token.span));
                    places.strict = attrs.strict;
                }
                TokenKind::Flags => attrs.enum_forms.push(EnumForm::Flags),
                TokenKind::EnumAttr => self.enum_attribute(token, &mut attrs),
                _ => {
                    attrs.doc = Some(self.doc());
                    places.docs.push(token.span);
                }
            }
        }
        if attrs.any {
            self.check_attributes(&places);
        }
        attrs
    }

    /// The codes of a `#suppress` attribute; `false` if it has no parentheses.
    fn suppress_codes(&mut self, attribute: Token<'_>, attrs: &mut Attributes) -> bool {
        if self.eat(TokenKind::LeftParen).is_none() {
            let message = "#suppress requires parentheses with warning code(s)";
            self.error(Code::E2002, attribute.span, message);
            return false;
        }
        loop {
            self.wants(Wanted::New);
            let token = self.tok();
            match token.kind {
                TokenKind::RightParen => break,
                TokenKind::Eof | TokenKind::Do | TokenKind::LeftBrace | TokenKind::RightBrace => {
                    self.expect(TokenKind::RightParen);
                    return true;
                }
                TokenKind::Comma => {}
                _ => {
                    attrs.suppress.extend(self.warning_code(token));
                    // One report for a code of several tokens.
                    while matches!(self.nth(1).kind, TokenKind::Int | TokenKind::Float | TokenKind::Minus) {
                        self.bump();
                    }
                }
            }
            self.bump();
        }
        self.bump();
        true
    }

    /// The code that the token names, if it can be suppressed.
    pub(super) fn warning_code(&mut self, token: Token<'_>) -> Option<Name> {
        let code = token.text;
        match code {
            "ALL" | "W1001" | "W1004" | "W1005" | "W2001" | "W2002" | "W2003" | "W2004" | "W2005"
            | "W2006" | "W2009" | "W2011" | "W3001" | "W3002" | "W3003" => return Some(self.name(token)),
            "W1002" | "W1003" | "W4001" => {
                self.error(Code::E2052, token.span, format!("warning code {code} cannot be suppressed"));
            }
            _ => self.error(Code::E2052, token.span, format!("{code} is not a valid warning code")),
        }
        None
    }

    /// The rest of `#enum(T)`.
    fn enum_attribute(&mut self, attribute: Token<'_>, attrs: &mut Attributes) {
        let Some(open) = self.eat(TokenKind::LeftParen) else {
            self.error(Code::E2001, attribute.span, "expected '(' after #enum");
            return;
        };
        self.wants(Wanted::EnumBase);
        let token = self.tok();
        match token.kind {
            TokenKind::RightParen => {
                let message =
                    "#enum requires a type argument, e.g., #enum(int), #enum(float), or #enum(string)";
                self.error(Code::E2001, open.span, message);
            }
            TokenKind::Ident => {
                self.bump();
                match enum_base(token.text) {
                    Some(base) => attrs.enum_forms.push(EnumForm::Base(base)),
                    None => {
                        let message =
                            format!("#enum type must be int, float, or string, got '{}'", token.text);
                        self.error(Code::E2026, token.span, message);
                    }
                }
            }
            kind => {
                let message = format!("expected type name in #enum(...), got {}", self.found());
                self.error(Code::E2001, token.span, message);
                if kind != TokenKind::Eof && !kind.starts_statement() {
                    self.bump();
                }
                self.eat(TokenKind::RightParen);
                return;
            }
        }
        self.expect(TokenKind::RightParen);
    }

    /// The rest of `#doc`, `#doc()`, `#doc("text")`.
    fn doc(&mut self) -> Option<std::rc::Rc<str>> {
        self.eat(TokenKind::LeftParen)?;
        let text = self.eat(TokenKind::Str).map(|token| token.text.into());
        self.expect(TokenKind::RightParen);
        text
    }

    /// What the attributes that end here stand before; `private` may be between.
    fn attribute_target(&self) -> AttributeTarget {
        let skip = usize::from(self.at(TokenKind::Private));
        match self.nth(skip).kind {
            TokenKind::Do => AttributeTarget::Function,
            TokenKind::Const => match self.nth(skip + 2).kind {
                TokenKind::Struct | TokenKind::Enum => AttributeTarget::Type,
                _ => AttributeTarget::Other,
            },
            TokenKind::When => AttributeTarget::When,
            TokenKind::Import => AttributeTarget::Import,
            TokenKind::Eof => AttributeTarget::End,
            _ => AttributeTarget::Other,
        }
    }

    fn check_attributes(&mut self, places: &AttributeSpans) {
        let target = self.attribute_target();
        if let Some(span) = places.suppress.filter(|_| target != AttributeTarget::Function) {
            let message = "#suppress can only be applied to function declarations";
            self.error(Code::E2051, span, message);
        }
        if let Some(span) = places.strict.filter(|_| target != AttributeTarget::When) {
            self.error(Code::E2055, span, "#strict can only be applied to when statements");
        }
        let Some(&doc) = places.docs.first() else { return };
        match target {
            AttributeTarget::Function | AttributeTarget::Type => {
                if let Some(&second) = places.docs.get(1) {
                    let message = "only one #doc attribute is allowed per declaration";
                    self.error(Code::E2060, second, message);
                }
            }
            AttributeTarget::End => {
                self.error(Code::E2059, doc, "#doc at end of file must be followed by a declaration");
            }
            AttributeTarget::Import => {
                let message = "#doc must be followed by a declaration, not an import statement";
                self.error(Code::E2059, doc, message);
            }
            AttributeTarget::When | AttributeTarget::Other => {
                self.error(Code::E2058, doc, "#doc can only be applied to functions, structs, or enums");
            }
        }
    }
}
