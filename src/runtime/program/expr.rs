//! Expressions and targets of a program.

use std::rc::Rc;

use crate::diagnostics::{Code, Help};
use crate::library::Row;
use crate::source::Span;
use crate::value::{EnumDef, StructDef, Type, Value};

use super::{ArithOp, CompareOp, FuncId, GlobalId, LocalId};

/// An expression with its static type.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Static type of the value; `Any` if it is known at run time only (then the node checks it).
    pub ty: Type,
    /// Position of its run-time errors: operator, `(`, `[`, `.`, keyword, or the token itself.
    pub at: Span,
    /// What it computes.
    pub kind: ExprKind,
}

/// Kinds of expressions. Operands are evaluated left to right.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A scalar, string, big integer or nil.
    Const(Value),
    /// A local variable; the value of a boxed one is read from its box.
    Local(LocalId),
    /// A global variable of any module.
    Global(GlobalId),
    /// `-x`: result type is the operand's (`int` for byte; base for enums). E5005, E5006 for nil.
    Neg(Box<Expr>),
    /// `!x`
    Not(Box<Expr>),
    /// Arithmetic on numbers, Add on strings. The node's type is the result type: the left
    /// operand's (for an enum its base; for a byte the type of the other operand; float if either is). `Any`
    /// operands are checked at run time. Overflow is checked against the node's type.
    Arith(ArithOp, Box<Expr>, Box<Expr>),
    /// Operands of any (mixed) types the checker allows.
    Compare(CompareOp, Box<Expr>, Box<Expr>),
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
    /// Field by name, of a value whose type is not known. E4003, E4010, E4011.
    FieldNamed(Box<Expr>, Rc<str>),
    /// Member of an enum by number.
    EnumMember(Rc<EnumDef>, u32),
    /// Array literal; the node's type is `[elem]`, elements are converted to it already.
    Array(Vec<Expr>),
    /// Map literal; keys and values are converted already. E12001 for keys that cannot be.
    Map(Vec<(Expr, Expr)>),
    /// Struct literal: fields given, in source order, converted already; the others get defaults.
    Struct(Rc<StructDef>, Vec<(u32, Expr)>),
    /// The default value of a variable of the node's type (docs/language/types.md#default-values).
    Default,
    /// `new(T)`: a struct with defaulted fields (T is the node's type).
    New,
    /// Interpolated string.
    Interp(Vec<InterpPart>),
    /// `range(start, end, step)` as a value.
    Range(Box<Expr>, Box<Expr>, Option<Box<Expr>>),
    /// The conversions `int(x)`, `string(x)`, `u8(x)`, `cast(x, T)` to the node's type
    /// (docs/language/expressions.md#conversions). Those that are calls count towards the recursion depth:
    /// E5018 at `at`.
    Convert {
        /// The value to convert.
        value: Box<Expr>,
        /// Whether it is a call; `cast` is not.
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
    /// Call of a builtin.
    Builtin {
        which: Builtin,
        /// Arguments.
        args: Vec<Expr>,
    },
    /// `x++` (1), `x--` (-1); the value is the old one.
    Postfix(Target, i64),
    /// `ref(x)` as a value: the reference itself if stored in a container or in a variable of type `any`,
    /// else the value that it refers to.
    RefTo(Target),
    /// Conversion and check of a value to be stored, to the node's type
    /// (docs/language/types.md#what-fits-where): integers and bytes into each other with range checks, int to
    /// float, enum to base and back, rounding to f32, `Any` to a known type (E3001 if it is of another type);
    /// nil is unchanged. Containers stay the same object.
    Store(Box<Expr>, Rc<StoreSite>),
    /// A deep copy (declarations, assignments). A container of an unknown or other element type
    /// becomes one of the node's type: its elements are converted as by `Store`. References are
    /// followed at the top. If `freeze`, the copy belongs to a constant.
    Copy {
        /// The value to copy.
        value: Box<Expr>,
        /// Whether the copy is immutable.
        freeze: bool,
        /// For errors of converted elements.
        site: Rc<StoreSite>,
    },
    /// Raises an error when it is evaluated.
    Raise(Rc<Raise>),
}

/// What a kind of expression does besides evaluating its operands.
#[derive(Clone, Copy, Debug)]
pub enum ExprClass<'e> {
    /// Computes a value, or raises an error.
    Computes,
    /// Reads a variable, or a part of an object, or refers to one.
    Reads,
    /// Assigns.
    Writes,
    /// Creates an object.
    Creates,
    /// Calls this.
    Calls(Callee<'e>),
}

/// What is called.
#[derive(Clone, Copy, Debug)]
pub enum Callee<'e> {
    /// A function of the program, with these arguments.
    Function(FuncId, &'e [Arg]),
    Native(&'e Native),
    Builtin(Builtin),
}

impl ExprKind {
    /// What it does.
    pub fn class(&self) -> ExprClass<'_> {
        use ExprKind::*;
        match self {
            Const(_) | EnumMember(..) | Raise(_) => ExprClass::Computes,
            Neg(_) | Not(_) | Arith(..) | Compare(..) | And(..) | Or(..) | In { .. } => ExprClass::Computes,
            Interp(_) | Range(..) => ExprClass::Computes,
            Convert { .. } | ConvertArray(_) | Store(..) => ExprClass::Computes,
            Local(_) | Global(_) | Index(..) | Field(..) | FieldNamed(..) => ExprClass::Reads,
            RefTo(_) => ExprClass::Reads,
            Postfix(..) => ExprClass::Writes,
            Array(_) | Map(_) | Struct(..) | Default | New | Copy { .. } => ExprClass::Creates,
            Call { func, args } => ExprClass::Calls(Callee::Function(*func, args)),
            Native(native) => ExprClass::Calls(Callee::Native(native)),
            Builtin { which, .. } => ExprClass::Calls(Callee::Builtin(*which)),
        }
    }
}

/// An error that is raised when the program reaches it.
#[derive(Clone, Debug)]
pub struct Raise {
    pub code: Code,
    pub message: String,
    /// Advice on how to fix it, if there is any.
    pub help: Option<Help>,
    pub at: Span,
}

/// The target of a store, for error messages.
#[derive(Clone, Debug)]
pub struct StoreSite {
    /// Kind of target.
    pub kind: StoreKind,
    /// Position of errors.
    pub at: Span,
}

/// Kinds of targets for [`StoreSite`].
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
    /// A value of the parameter's type. Containers are not copied.
    Value(Expr),
    /// A target for a `&` parameter.
    Ref(Target),
}

/// A piece of an interpolated string.
#[derive(Clone, Debug)]
pub enum InterpPart {
    Text(Rc<str>),
    /// A value, shown in its display form.
    Value(Expr),
}

/// A call into the library.
#[derive(Clone, Debug)]
pub struct Native {
    /// Module name.
    pub module: &'static str,
    pub row: &'static Row,
    /// Arguments, unconverted.
    pub args: Vec<Expr>,
    /// Whether it counts towards the recursion depth (if called by an unqualified name).
    pub counted: bool,
}

/// Core builtins except conversions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Builtin {
    Len,
    /// The name of the argument's static type or, if that is `Any`, of its type at run time; `nil` for nil.
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
    /// Whether it may wait for the host, or ends the program.
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

/// A target: an expression that can be assigned or referred to.
#[derive(Clone, Debug)]
pub struct Target {
    /// Static type of its value.
    pub ty: Type,
    /// Position of errors when it is read (`[`, `.`, the name).
    pub at: Span,
    pub kind: TargetKind,
}

impl Target {
    /// Whether it is all of a variable.
    pub fn is_variable(&self) -> bool {
        matches!(self.kind, TargetKind::Local(_) | TargetKind::Global(_))
    }
}

#[derive(Clone, Debug)]
pub enum TargetKind {
    Local(LocalId),
    /// A global. Assigning to a constant is E5013 at run time.
    Global(GlobalId),
    /// `base[index]` of an array or map (or of a value of unknown type, checked at run time). If the root is
    /// a file-level constant, its name is in `constant` (E5006).
    Index {
        /// The container.
        base: Box<Expr>,
        /// Index or key.
        index: Box<Expr>,
        /// Name of the constant at the root.
        constant: Option<Rc<str>>,
    },
    /// `base[index]` of a string: replaces a character of the string in the target `base`.
    Char {
        /// The target of the string.
        base: Box<Target>,
        index: Box<Expr>,
    },
    /// A field by number.
    Field {
        /// The struct.
        base: Box<Expr>,
        /// Number of the field.
        field: u32,
    },
    /// A field by name, of a value whose type is not known.
    FieldNamed {
        /// The struct.
        base: Box<Expr>,
        /// Name of the field.
        name: Rc<str>,
    },
}
