//! Expressions and places of a program.

use std::rc::Rc;

use crate::diagnostics::Code;
use crate::library::Row;
use crate::source::Span;
use crate::syntax::ast::BinaryOp;
use crate::value::{EnumDef, StructDef, Type, Value};

use super::{FuncId, GlobalId, LocalId};

/// An expression with its static type.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Type of its value; `Any` when only running tells (then nodes check).
    pub ty: Type,
    /// Where its own run-time errors are: operator, `(`, `[`, `.`, keyword, or the token itself.
    pub at: Span,
    /// What it computes.
    pub kind: ExprKind,
}

/// Kinds of expressions. Operands are evaluated left to right.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A scalar, string, big integer or nil.
    Const(Value),
    /// A local. Through a boxed one its place is read.
    Local(LocalId),
    /// A global, of whatever module.
    Global(GlobalId),
    /// `-x`: result type is the operand's (`int` for byte; base for enums). E5005, E5006 for nil.
    Neg(Box<Expr>),
    /// `!x`
    Not(Box<Expr>),
    /// Add, Sub, Mul, Div, Mod on numbers, Add on strings. The node's type is the result type: the
    /// left operand's (enum: its base; byte with another type: that type; float if either is).
    /// `Any` operands are looked at when run. Overflow is judged against the node's type.
    Arith(BinaryOp, Box<Expr>, Box<Expr>),
    /// Eq, Ne, Lt, Le, Gt, Ge; operands of any (mixed) types the checker allows.
    Compare(BinaryOp, Box<Expr>, Box<Expr>),
    /// `&&`
    And(Box<Expr>, Box<Expr>),
    /// `||`
    Or(Box<Expr>, Box<Expr>),
    /// `item in container` (array, map, range; else E3014 when run).
    In {
        /// `not_in`, `!in`.
        negated: bool,
        /// Left.
        item: Box<Expr>,
        /// Right.
        container: Box<Expr>,
    },
    /// `base[index]` of an array, string or map (else E5015 when run).
    Index(Box<Expr>, Box<Expr>),
    /// Field of a struct by number. E4010 on nil.
    Field(Box<Expr>, u32),
    /// Field by name of a value whose type is not known. E4003, E4010, E4011.
    FieldNamed(Box<Expr>, Rc<str>),
    /// Member of an enum by number.
    EnumMember(Rc<EnumDef>, u32),
    /// Array literal; the node's type is `[elem]`, elements are converted to it already.
    Array(Vec<Expr>),
    /// Map literal; keys and values are converted already. E12001 for keys that cannot be.
    Map(Vec<(Expr, Expr)>),
    /// Struct literal: fields given, in source order, converted already; the others get defaults.
    Struct(Rc<StructDef>, Vec<(u32, Expr)>),
    /// The default value of the node's type for a variable (docs/language/types.md#default-values).
    Default,
    /// `new(T)`: a struct with defaulted fields (T is the node's type).
    New,
    /// Interpolated string.
    Interp(Vec<InterpPart>),
    /// `range(start, end, step)` as a value.
    Range(Box<Expr>, Box<Expr>, Option<Box<Expr>>),
    /// The conversions `int(x)`, `string(x)`, `u8(x)`, `cast(x, T)` to the node's type
    /// (docs/language/expressions.md#conversions). Those that are calls count in the recursion depth: E5018
    /// at `at`.
    Convert {
        /// What is converted.
        value: Box<Expr>,
        /// Whether it is a call, not `cast`.
        counted: bool,
    },
    /// `cast(x, [T])`: to the node's type `[T]`, element by element.
    ConvertArray(Box<Expr>),
    /// Call of a user function with all its arguments. The node's type is the result: Void, one type
    /// or a tuple. E5018 at `at`.
    Call {
        /// The function.
        func: FuncId,
        /// One for each parameter, defaults filled in.
        args: Vec<Arg>,
    },
    /// Call of a library row (or a constant, or a function read without call).
    Native(Native),
    /// Call of a core builtin.
    Builtin {
        /// Which.
        which: Builtin,
        /// Arguments.
        args: Vec<Expr>,
    },
    /// `x++` (1), `x--` (-1): gives the old value.
    Postfix(Place, i64),
    /// `ref(x)` as a value: the reference itself where it is kept in a container or an `any` place,
    /// what it refers to everywhere else.
    RefTo(Place),
    /// A store's conversion and check: the value as the node's type
    /// (docs/language/types.md#what-fits-where).
    /// Integers and bytes into each other with range checks, int to float, enum to base and back,
    /// rounding to f32, `Any` to a known type (E3001 when it is another kind); nil passes.
    /// Containers pass as they are (the same object).
    Store(Box<Expr>, Rc<StoreSite>),
    /// A deep copy (declarations, assignments). A container of an unknown or other element type
    /// becomes one of the node's type: its elements are converted as by `Store`. References are
    /// followed at the top. If `freeze`, the copy belongs to a constant.
    Copy {
        /// What is copied.
        value: Box<Expr>,
        /// Whether the copy must not change.
        freeze: bool,
        /// For errors of converted elements.
        site: Rc<StoreSite>,
    },
    /// Fails when it is evaluated.
    Raise(Rc<Raise>),
}

/// A failure that waits until it is reached.
#[derive(Clone, Debug)]
pub struct Raise {
    /// Its code.
    pub code: Code,
    /// Its message.
    pub message: String,
    /// Help.
    pub help: Option<String>,
    /// Where.
    pub at: Span,
}

/// What a store is into, for the wording of its errors.
#[derive(Clone, Debug)]
pub struct StoreSite {
    /// Kind of place.
    pub kind: StoreKind,
    /// Where its errors are.
    pub at: Span,
}

/// Kinds of places for [`StoreSite`].
#[derive(Clone, Debug, PartialEq)]
pub enum StoreKind {
    /// `temp x T = e`, `const x T = e`, and the globals.
    Declare,
    /// An assignment to a variable.
    Assign,
    /// A parameter, with its name.
    Parameter(Rc<str>),
    /// A result.
    Return,
    /// An element of an array literal or array.
    Element,
    /// A value of a map literal or map.
    Entry,
    /// A key of a map.
    Key,
    /// A field of a struct literal or struct, with its name.
    Field(Rc<str>),
    /// A loop variable.
    Loop,
}

/// An argument.
#[derive(Clone, Debug)]
pub enum Arg {
    /// A value of the parameter's type. Containers are passed as they are, not copied.
    Value(Expr),
    /// A place for a `&` parameter.
    Ref(Place),
}

/// A piece of an interpolated string.
#[derive(Clone, Debug)]
pub enum InterpPart {
    /// Text.
    Text(Rc<str>),
    /// A value, shown in its display form.
    Value(Expr),
}

/// A call into the library.
#[derive(Clone, Debug)]
pub struct Native {
    /// Module name.
    pub module: &'static str,
    /// The row.
    pub row: &'static Row,
    /// Arguments, unconverted.
    pub args: Vec<Expr>,
    /// Whether it counts in the recursion depth (called by an unqualified name).
    pub counted: bool,
}

/// Core builtins that are no conversions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Builtin {
    Len,
    /// The name of the argument's static type, or of its value's kind where that is `Any`; `nil`
    /// for nil.
    Typeof,
    Input,
    /// Two values: int and Error.
    ReadInt,
    Copy,
    Error,
    Exit,
    Panic,
    Assert,
}

impl Builtin {
    /// Whether it may wait for something, or ends the program.
    pub fn asks_the_host(self) -> bool {
        match self {
            Builtin::Input | Builtin::ReadInt | Builtin::Exit => true,
            Builtin::Len
            | Builtin::Typeof
            | Builtin::Copy
            | Builtin::Error
            | Builtin::Panic
            | Builtin::Assert => false,
        }
    }
}

/// Something that can be stored into or referred to.
#[derive(Clone, Debug)]
pub struct Place {
    /// Type of what is there.
    pub ty: Type,
    /// Where errors of reading it are (`[`, `.`, the name).
    pub at: Span,
    /// What it is.
    pub kind: PlaceKind,
}

/// Kinds of places.
#[derive(Clone, Debug)]
pub enum PlaceKind {
    /// A local.
    Local(LocalId),
    /// A global. Stores into a constant are E5013 when run.
    Global(GlobalId),
    /// `base[index]` of an array or map (or of an unknown value, looked at when run). Where the
    /// root is a file-level constant its name is in `constant` (E5006).
    Index {
        /// The container.
        base: Box<Expr>,
        /// Index or key.
        index: Box<Expr>,
        /// Name of the constant at the root.
        constant: Option<Rc<str>>,
    },
    /// `base[index]` of a string: a char is replaced in the string that stands in the inner place.
    Char {
        /// The place of the string.
        base: Box<Place>,
        /// Index.
        index: Box<Expr>,
    },
    /// A field by number.
    Field {
        /// The struct.
        base: Box<Expr>,
        /// Number of the field.
        field: u32,
    },
    /// A field by name of a value whose type is not known.
    FieldNamed {
        /// The struct.
        base: Box<Expr>,
        /// Name of the field.
        name: Rc<str>,
    },
}
