//! The expressions of a statement's head: which of them are reported, and where they are.

use std::rc::Rc;

use foldhash::{HashMap, HashMapExt};

use crate::api::{CallEffect, PartKind, StatementKind};
use ez_language::syntax::ast::BinaryOp;
use ez_runtime::interp::compile::observed::Head;
use ez_runtime::library::RowKind;
use ez_runtime::program::visit::{Visitor, walk_expr, walk_parts};
use ez_runtime::program::{
    Arg, Builtin, Case, Expr, ExprKind, Function, Program, Stmt, StmtClass, StmtId, StmtKind,
};
use ez_runtime::source::Span;
use ez_runtime::value::{Type, Value};

use super::context::{DecidingHead, context};
use super::texts::{Piece, pieces};

/// An expression.
pub(crate) struct Node {
    /// All of it.
    pub span: Span,
    /// What it is reported as; `None` if it is not.
    pub kind: Option<PartKind>,
    /// Its static type.
    pub ty: Type,
    /// The expression to which it belongs.
    pub parent: Option<usize>,
    /// The right side of `&&` and `||`.
    pub right: Option<(BinaryOp, usize)>,
    /// What a conversion converts.
    pub converted: Option<usize>,
    /// Its value, if that is a constant.
    pub constant: Option<Value>,
    /// Whether it calls a function of the program.
    pub calls: bool,
    /// The arguments of that call.
    pub arguments: Vec<Argument>,
    /// What a call of another function does beside its result.
    pub effect: Option<CallEffect>,
    /// The pieces of the text that it makes or prints.
    pub pieces: Vec<Piece>,
    /// Whether it is one of them.
    pub is_piece: bool,
    /// Whether functions of the program are called between it and the text that is made of it, which may change what an
    /// object shows.
    pub is_shown_later: bool,
}

/// An argument of a call of a function of the program.
pub(crate) struct Argument {
    pub span: Span,
    /// The expression; `None` if it is passed by reference.
    pub node: Option<usize>,
}

/// The expressions of a head, in the order in which they are computed.
pub(crate) struct Nodes {
    pub all: Vec<Node>,
    pub numbers: Rc<HashMap<*const Expr, usize>>,
    /// The cases of a `when`.
    pub cases: Vec<Span>,
    pub statement: StatementKind,
    /// The heads that decided that it runs: see [`crate::api::Unfolded::conditions`].
    pub conditions: Vec<(DecidingHead, Span)>,
    spans: HashMap<Span, Span>,
}

impl Nodes {
    /// The expressions of the head of a statement of a function, whose text is in `span`.
    pub fn of(program: &Program, (function, id): (&Function, StmtId), head: Head, span: Span) -> Nodes {
        // The cases of a `when` are after its head.
        let end = if let Head::Selection(..) = head { u32::MAX } else { span.end };
        let within = |at: &Span| at.file == span.file && span.start <= at.start && at.end <= end;
        let known = program.expressions.iter().filter(|it| within(&it.at) && within(&it.whole));
        let spans = known.map(|it| (it.at, it.whole)).collect();
        let mut found =
            Collector { spans: &spans, all: Vec::new(), numbers: HashMap::new(), open: vec![Vec::new()] };
        walk_head(head, &mut found);
        let (mut all, numbers) = (found.all, Rc::new(found.numbers));
        hide_unwritten(&mut all, span);
        let (statement, conditions) = context(function, id);
        let placed = |head: DecidingHead| Some((head, program.statement(head.0)?.at));
        let conditions = conditions.into_iter().filter_map(placed).collect();
        let mut nodes = Nodes { all, numbers, cases: Vec::new(), statement, conditions, spans };
        if let Head::Selection(_, arms) = head {
            let cases = arms.iter().flat_map(|arm| &arm.cases);
            nodes.cases = cases.map(|(Case::Equal(e) | Case::Range(e))| nodes.span(e)).collect();
        }
        nodes
    }

    /// All of an expression.
    pub fn span(&self, e: &Expr) -> Span {
        span_of(&self.spans, e)
    }

    /// The part of the head whose value is computed.
    pub fn expression(&self, head: Head) -> Option<Span> {
        match head {
            Head::Whole(Stmt { kind, .. }) => {
                let StmtClass::Evaluation(value) = kind.class() else { return None };
                let is_part = matches!(kind, StmtKind::Assign { target, .. } if !target.is_variable());
                (!is_part && !matches!(kind, StmtKind::OpAssign { .. })).then(|| self.span(value))
            }
            Head::Results(values) => {
                let (first, last) = values.first().zip(values.last())?;
                Some(self.span(first).to(self.span(last)))
            }
            Head::Condition(e) | Head::Selection(e, _) => Some(self.span(e)),
            Head::Bounds(_) | Head::Nothing => None,
        }
    }

    /// The number of an expression.
    pub fn number(&self, e: &Expr) -> Option<usize> {
        self.numbers.get(&std::ptr::from_ref(e)).copied()
    }
}

/// Visits the expressions of a head.
fn walk_head(head: Head, visitor: &mut dyn Visitor) {
    match head {
        Head::Whole(stmt) => walk_parts(stmt, visitor),
        Head::Results(values) => values.iter().for_each(|value| walk_expr(value, visitor)),
        Head::Condition(cond) => walk_expr(cond, visitor),
        Head::Bounds(bounds) => bounds.into_iter().flatten().for_each(|e| walk_expr(e, visitor)),
        Head::Selection(subject, arms) => {
            walk_expr(subject, visitor);
            for Case::Equal(e) | Case::Range(e) in arms.iter().flat_map(|arm| &arm.cases) {
                walk_expr(e, visitor);
            }
        }
        Head::Nothing => {}
    }
}

/// Adds the expressions of a head to `numbers`, numbered from `first` on in the order of [`Nodes`]; returns
/// the number after the last one.
pub(crate) fn number_expressions(
    head: Head,
    first: usize,
    numbers: &mut HashMap<*const Expr, usize>,
) -> usize {
    struct Numbering<'a> {
        next: usize,
        numbers: &'a mut HashMap<*const Expr, usize>,
    }
    impl Visitor for Numbering<'_> {
        fn computed(&mut self, e: &Expr) {
            self.numbers.insert(std::ptr::from_ref(e), self.next);
            self.next += 1;
        }
    }
    let mut numbering = Numbering { next: first, numbers };
    walk_head(head, &mut numbering);
    numbering.next
}

fn span_of(spans: &HashMap<Span, Span>, e: &Expr) -> Span {
    if let ExprKind::Store(inner, _) | ExprKind::Copy { value: inner, .. } = &e.kind {
        return span_of(spans, inner);
    }
    spans.get(&e.at).copied().unwrap_or(e.at)
}

/// Expressions that are not in the program's text, such as default values of parameters, are not reported.
fn hide_unwritten(all: &mut [Node], head: Span) {
    for number in 0..all.len() {
        let Some(node) = all.get(number) else { continue };
        let is_outside =
            node.span.file != head.file || node.span.start < head.start || node.span.end > head.end;
        let parent = node.parent.and_then(|parent| all.get(parent));
        let is_wrapped = parent.is_some_and(|parent| parent.converted == Some(number));
        let is_double = parent.is_some_and(|parent| parent.span == node.span) && !is_wrapped;
        if (is_outside || is_double)
            && let Some(node) = all.get_mut(number)
        {
            node.kind = None;
        }
    }
}

struct Collector<'a> {
    spans: &'a HashMap<Span, Span>,
    all: Vec<Node>,
    numbers: HashMap<*const Expr, usize>,
    /// For each expression that has begun: the numbers of its parts. The first list is for the head itself.
    open: Vec<Vec<usize>>,
}

impl Visitor for Collector<'_> {
    fn expr(&mut self, _: &Expr) {
        self.open.push(Vec::new());
    }

    fn computed(&mut self, e: &Expr) {
        let parts = self.open.pop().unwrap_or_default();
        let number = self.all.len();
        for part in &parts {
            if let Some(part) = self.all.get_mut(*part) {
                part.parent = Some(number);
            }
        }
        let last = parts.last().copied();
        let is_and = matches!(e.kind, ExprKind::And(..));
        let logical = (is_and || matches!(e.kind, ExprKind::Or(..))).then_some(if is_and {
            BinaryOp::And
        } else {
            BinaryOp::Or
        });
        let right = logical.zip(last);
        let converted = last.filter(|_| matches!(e.kind, ExprKind::Store(..) | ExprKind::Copy { .. }));
        let constant = if let ExprKind::Const(value) = &e.kind { Some(value.clone()) } else { None };
        let pieces = pieces(e, &self.numbers);
        // A string takes the text of each value before it computes the next; a call computes all of them first.
        let last_call = if let ExprKind::Interp(_) = e.kind {
            None
        } else {
            self.all.iter().rposition(|node| node.calls)
        };
        for piece in &pieces {
            if let Piece::Value(number) = piece
                && let Some(node) = self.all.get_mut(*number)
            {
                node.is_piece = true;
                node.is_shown_later = last_call.is_some_and(|call| call > *number);
            }
        }
        self.all.push(Node {
            span: span_of(self.spans, e),
            kind: kind_of(e),
            ty: e.ty.clone(),
            parent: None,
            right,
            converted,
            constant,
            calls: matches!(e.kind, ExprKind::Call { .. }),
            arguments: self.arguments(e),
            effect: effect_of(e),
            pieces,
            is_piece: false,
            is_shown_later: false,
        });
        self.numbers.insert(std::ptr::from_ref(e), number);
        if let Some(parts) = self.open.last_mut() {
            parts.push(number);
        }
    }
}

impl Collector<'_> {
    fn arguments(&self, e: &Expr) -> Vec<Argument> {
        let ExprKind::Call { args, .. } = &e.kind else { return Vec::new() };
        let argument = |arg: &Arg| match arg {
            Arg::Value(value) => Argument {
                span: span_of(self.spans, value),
                node: self.numbers.get(&std::ptr::from_ref(value)).copied(),
            },
            Arg::Ref(target) => {
                Argument { span: self.spans.get(&target.at).copied().unwrap_or(target.at), node: None }
            }
        };
        args.iter().map(argument).collect()
    }
}

fn effect_of(e: &Expr) -> Option<CallEffect> {
    if let ExprKind::Builtin { which: Builtin::Input | Builtin::ReadInt, .. } = e.kind {
        return Some(CallEffect::Input);
    }
    let ExprKind::Native(native) = &e.kind else { return None };
    native.row.changes.then_some(CallEffect::Change)
}

fn kind_of(e: &Expr) -> Option<PartKind> {
    Some(match &e.kind {
        ExprKind::Local(_) | ExprKind::Global(_) => PartKind::Variable,
        ExprKind::Index(..) => PartKind::Element,
        ExprKind::Field(..) | ExprKind::FieldNamed(..) => PartKind::Field,
        ExprKind::Neg(_)
        | ExprKind::Not(_)
        | ExprKind::Arith(..)
        | ExprKind::Compare(..)
        | ExprKind::And(..)
        | ExprKind::Or(..)
        | ExprKind::In { .. }
        | ExprKind::Postfix(..) => PartKind::Operator,
        ExprKind::Convert { .. } | ExprKind::ConvertArray(_) | ExprKind::Store(..) => PartKind::Conversion,
        ExprKind::Interp(_) => PartKind::Interpolation,
        ExprKind::Range(..) => PartKind::Range,
        ExprKind::Array(_) | ExprKind::Map(_) | ExprKind::Struct(..) | ExprKind::New => PartKind::Literal,
        ExprKind::Native(native) if native.row.kind == RowKind::Constant => PartKind::Variable,
        ExprKind::Call { .. } | ExprKind::Native(_) | ExprKind::Builtin { .. } | ExprKind::RefTo(_) => {
            PartKind::Call
        }
        ExprKind::Const(_)
        | ExprKind::EnumMember(..)
        | ExprKind::Default
        | ExprKind::Copy { .. }
        | ExprKind::Raise(_) => return None,
    })
}
