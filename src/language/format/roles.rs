//! What tokens do in the program, as the syntax tree says.

use crate::syntax::ast::{Block, Expr, ExprKind, File, FuncDecl, Name, Stmt, StmtClass, StmtKind, When};
use crate::syntax::token::{self, Class};
use crate::syntax::{Token, TokenKind, foreign};
use ez_runtime::source::Span;
use ez_runtime::text::slice;

/// What a token does, if that is not clear from its kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Role {
    #[default]
    Plain,
    /// It begins a statement, or a case of a `when`.
    Start,
    /// It begins a statement that stays in the line of the one before: words of another language, which are reported
    /// together.
    SameLine,
    /// It is `or` or `otherwise` after a block.
    Branch,
    /// It is the `{` of a block, or of the cases of a `when`.
    Block,
    Cases,
    /// It is the `{` of a struct's or enum's declaration.
    Fields,
    Members,
    /// It begins a field or a member in such a declaration, or a field in a literal.
    Member,
    /// It is an operator before its operand.
    Prefix,
    /// It is an operator between two operands.
    Binary,
    /// It follows its operand: `(` of a call, `[` of an index, `{` of a struct literal, `++`.
    Postfix,
    /// It is a name, whatever its kind.
    Name,
    /// It is the type of a variable.
    VariableType,
}

/// The roles of all tokens, and which brackets belong together.
pub(super) struct Roles {
    roles: Vec<Role>,
    partners: Vec<Option<usize>>,
}

impl Roles {
    pub fn role(&self, token: usize) -> Role {
        self.roles.get(token).copied().unwrap_or_default()
    }

    /// The bracket that closes, or opens, what this one opens, or closes.
    pub fn partner(&self, token: usize) -> Option<usize> {
        self.partners.get(token).copied().flatten()
    }

    /// The role of the bracket that this one closes.
    pub fn closed(&self, tokens: &[Token<'_>], token: usize) -> Option<(usize, Role)> {
        tokens.get(token).filter(|found| found.kind.opener().is_some())?;
        let open = self.partner(token).filter(|open| *open < token)?;
        Some((open, self.role(open)))
    }
}

/// The roles of the tokens of a file.
pub(super) fn of(text: &str, file: &File, tokens: &[Token<'_>]) -> Roles {
    let mut walk = Walk { text, tokens, roles: vec![Role::Plain; tokens.len()] };
    walk.file(file);
    let partners = partners(tokens, &walk.roles);
    Roles { roles: walk.roles, partners }
}

fn partners(tokens: &[Token<'_>], roles: &[Role]) -> Vec<Option<usize>> {
    let mut partners = vec![None; tokens.len()];
    let mut open = Vec::new();
    for (index, (token, role)) in tokens.iter().zip(roles).enumerate() {
        // Names may be brackets: `p.(`.
        if matches!(role, Role::Name | Role::Member) {
            continue;
        }
        if token.kind.opens() {
            open.push(index);
        } else if token.kind.opener().is_some()
            && let Some(start) = open.pop()
        {
            for (from, to) in [(start, index), (index, start)] {
                if let Some(partner) = partners.get_mut(from) {
                    *partner = Some(to);
                }
            }
        }
    }
    partners
}

/// The walk over the tree. The text in `${…}` is part of a token.
struct Walk<'t> {
    text: &'t str,
    tokens: &'t [Token<'t>],
    roles: Vec<Role>,
}

impl Walk<'_> {
    /// The token at the beginning of a span.
    fn index(&self, at: Span) -> usize {
        self.tokens.partition_point(|token| token.span.start < at.start)
    }

    fn set(&mut self, at: Span, role: Role) {
        self.set_at(self.index(at), role);
    }

    fn set_at(&mut self, index: usize, role: Role) {
        if let Some(found) = self.roles.get_mut(index) {
            *found = role;
        }
    }

    fn kind(&self, index: usize) -> Option<TokenKind> {
        self.tokens.get(index).map(|token| token.kind)
    }

    fn file(&mut self, file: &File) {
        if file.module.is_some() {
            self.set_at(0, Role::Start);
        }
        let imports = file.imports.iter().map(|import| import.keyword);
        for keyword in imports.chain(file.usings.iter().map(|using| using.keyword)) {
            self.set(keyword, Role::Start);
        }
        self.stmts(&file.items);
        self.attributes();
    }

    /// Attributes that nothing is before of the same declaration begin a line.
    fn attributes(&mut self) {
        for index in 0..self.tokens.len() {
            let is_attribute = self.kind(index).is_some_and(|kind| kind.class() == Class::Attribute);
            let is_name = matches!(self.roles.get(index), Some(Role::Name | Role::Member));
            if is_attribute && !is_name && !self.ends_attribute(index) {
                self.set_at(index, Role::Start);
            }
        }
    }

    /// Whether the tokens before this one are an attribute.
    fn ends_attribute(&self, index: usize) -> bool {
        let Some(last) = index.checked_sub(1) else { return false };
        match self.kind(last) {
            Some(TokenKind::RightParen) => {
                // `(…)` of an attribute contains no other parentheses.
                let open = (0..last).rev().find(|at| self.kind(*at) == Some(TokenKind::LeftParen));
                let before = open.and_then(|open| self.kind(open.checked_sub(1)?));
                before.is_some_and(|kind| kind.class() == Class::Attribute)
            }
            Some(kind) => kind.class() == Class::Attribute,
            None => false,
        }
    }

    fn stmts(&mut self, stmts: &[Stmt]) {
        let mut foreign: Option<Span> = None;
        for (number, stmt) in stmts.iter().enumerate() {
            let beside =
                |word: Span| !slice(self.text, word.start as usize..stmt.span.start as usize).contains('\n');
            // An attribute begins a line.
            foreign = foreign.filter(|word| beside(*word) && !stmt.attrs.any);
            self.begin(stmt, if foreign.is_some() { Role::SameLine } else { Role::Start });
            self.stmt(stmt);
            // What follows a block is not in that line when it has been formatted.
            foreign = foreign.filter(|_| !has_block(stmt));
            foreign = foreign.or_else(|| foreign_word(stmt, stmts.get(number + 1)?));
        }
    }

    /// The first token of a statement, unless an attribute is before it.
    fn begin(&mut self, stmt: &Stmt, role: Role) {
        let first = stmt.attrs.private.map_or_else(|| self.index(stmt.span), |private| self.index(private));
        if stmt.attrs.any && self.ends_attribute(first) {
            return;
        }
        self.set_at(first, role);
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Var(decl) => {
                for (_, ty) in &decl.names {
                    if let Some(ty) = ty {
                        self.set(ty.span, Role::VariableType);
                    }
                }
                self.exprs(&decl.value);
            }
            StmtKind::Struct(decl) => {
                self.set_at(self.index(decl.name.span) + 2, Role::Fields);
                for field in &decl.fields {
                    let index = self.index(field.name.span);
                    let in_group = self.kind(index.saturating_sub(1)) == Some(TokenKind::Comma)
                        && self.roles.get(index.saturating_sub(1)) == Some(&Role::Plain);
                    self.set_at(index, if in_group { Role::Name } else { Role::Member });
                }
            }
            StmtKind::Enum(decl) => {
                let name = self.index(decl.name.span);
                let open = (name..self.tokens.len()).find(|at| self.kind(*at) == Some(TokenKind::LeftBrace));
                self.set_at(open.unwrap_or(name), Role::Members);
                for (name, value) in &decl.members {
                    self.set(name.span, Role::Member);
                    self.exprs(value);
                }
            }
            StmtKind::Func(decl) => self.function(decl),
            StmtKind::Assign(assign) => self.exprs([&assign.target, &assign.value]),
            StmtKind::MultiAssign { value, .. } => self.expr(value),
            StmtKind::Expr(expr) | StmtKind::Ensure { call: expr, .. } => self.expr(expr),
            StmtKind::Return { values, .. } => self.exprs(values),
            StmtKind::If { branches, otherwise } => {
                for (number, branch) in branches.iter().enumerate() {
                    if number > 0 {
                        self.set(branch.keyword, Role::Branch);
                    }
                    self.expr(&branch.cond);
                    self.block(&branch.body);
                }
                if let Some(block) = otherwise {
                    self.set_at(self.index(block.span).saturating_sub(1), Role::Branch);
                    self.block(block);
                }
            }
            StmtKind::When(when) => self.when(when, stmt.span),
            StmtKind::For { iterable: expr, body, .. }
            | StmtKind::ForEach { iterable: expr, body, .. }
            | StmtKind::While { cond: expr, body, .. } => {
                self.expr(expr);
                self.block(body);
            }
            StmtKind::Loop { body, .. } => self.block(body),
            StmtKind::Break | StmtKind::Continue | StmtKind::Using(_) => {}
        }
    }

    fn function(&mut self, decl: &FuncDecl) {
        for param in &decl.params {
            self.exprs(&param.default);
        }
        self.block(&decl.body);
    }

    fn when(&mut self, when: &When, whole: Span) {
        self.expr(&when.subject);
        let keywords = when.cases.iter().map(|case| self.index(case.keyword));
        let default = when.default.iter().map(|block| self.index(block.span).saturating_sub(1));
        let starts: Vec<usize> = keywords.chain(default).collect();
        // Without cases, the last tokens are `{` and `}`.
        let end = self.tokens.partition_point(|token| token.span.end <= whole.end).saturating_sub(1);
        let first = starts.iter().min().copied().unwrap_or(end);
        self.set_at(first.saturating_sub(1), Role::Cases);
        for start in starts {
            self.set_at(start, Role::Start);
        }
        for case in &when.cases {
            self.exprs(&case.values);
            self.block(&case.body);
        }
        when.default.iter().for_each(|block| self.block(block));
    }

    fn block(&mut self, block: &Block) {
        self.set(block.span, Role::Block);
        self.stmts(&block.stmts);
    }

    fn exprs<'e>(&mut self, exprs: impl IntoIterator<Item = &'e Expr>) {
        exprs.into_iter().for_each(|expr| self.expr(expr));
    }

    fn expr(&mut self, expr: &Expr) {
        use ExprKind::*;
        let role = match expr.kind {
            Unary(..) => Some(Role::Prefix),
            Binary(..) => Some(Role::Binary),
            Struct { .. } | Postfix(..) | Call { .. } | Index(..) => Some(Role::Postfix),
            Array(_) | Map(_) | Range(_) | Cast { .. } | New { .. } | Member(..) | Name(_) => None,
            Int(_) | BigInt(_) | Float(_) | Str(_) | Char(_) | Bool(_) | Nil | Interp(_) => None,
        };
        role.into_iter().for_each(|role| self.set(expr.at, role));
        if let ExprKind::Struct { fields, .. } = &expr.kind {
            fields.iter().for_each(|(name, _)| self.name(name, Role::Member));
        }
        // What is in a string has no tokens of its own.
        if !matches!(expr.kind, ExprKind::Interp(_)) {
            self.exprs(expr.parts());
        }
        if let ExprKind::Member(_, name) = &expr.kind {
            self.name(name, Role::Name);
        }
    }

    fn name(&mut self, name: &Name, role: Role) {
        self.set(name.span, role);
    }
}

/// Whether a statement is written in several lines.
fn has_block(stmt: &Stmt) -> bool {
    match stmt.kind.class() {
        StmtClass::Struct(_) | StmtClass::Enum(_) | StmtClass::Function(_) | StmtClass::Compound(_) => true,
        StmtClass::Variable(_) | StmtClass::Simple => false,
    }
}

/// The place of what may be a word of another language, with which the statements after it in its line are reported.
fn foreign_word(stmt: &Stmt, next: &Stmt) -> Option<Span> {
    if let StmtKind::Expr(expr) = &stmt.kind {
        if let ExprKind::Call { callee, .. } = &expr.kind {
            return foreign::translation(callee.name()?).map(|_| callee.span);
        }
        return expr.name().map(|_| expr.span);
    }
    // `temp n unsigned int = 3`
    let StmtKind::Var(decl) = &stmt.kind else { return None };
    let word = if let StmtKind::Assign(assign) = &next.kind {
        assign.target.name()
    } else if let StmtKind::Expr(expr) = &next.kind {
        expr.name()
    } else {
        None
    };
    let is_type = word.is_some_and(|word| token::is_primitive(word) || foreign::type_name(word).is_some());
    (decl.value.is_none() && is_type).then_some(stmt.span)
}
