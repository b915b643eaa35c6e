//! The types of EZ, shared by checker, values and library.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::fmt;
use std::rc::Rc;

use super::Value;

/// Kinds of integers. `int` and `uint` are unbounded, the others have a fixed size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IntKind {
    Int,
    I8,
    I16,
    I32,
    I64,
    I128,
    I256,
    Uint,
    U8,
    U16,
    U32,
    U64,
    U128,
    U256,
}

impl IntKind {
    pub const ALL: [IntKind; 14] = [
        IntKind::Int,
        IntKind::I8,
        IntKind::I16,
        IntKind::I32,
        IntKind::I64,
        IntKind::I128,
        IntKind::I256,
        IntKind::Uint,
        IntKind::U8,
        IntKind::U16,
        IntKind::U32,
        IntKind::U64,
        IntKind::U128,
        IntKind::U256,
    ];

    /// Its name in programs.
    pub fn name(self) -> &'static str {
        match self {
            IntKind::Int => "int",
            IntKind::I8 => "i8",
            IntKind::I16 => "i16",
            IntKind::I32 => "i32",
            IntKind::I64 => "i64",
            IntKind::I128 => "i128",
            IntKind::I256 => "i256",
            IntKind::Uint => "uint",
            IntKind::U8 => "u8",
            IntKind::U16 => "u16",
            IntKind::U32 => "u32",
            IntKind::U64 => "u64",
            IntKind::U128 => "u128",
            IntKind::U256 => "u256",
        }
    }

    /// Width in bits; `None` for `int` and `uint`.
    pub fn bits(self) -> Option<u32> {
        match self {
            IntKind::Int | IntKind::Uint => None,
            IntKind::I8 | IntKind::U8 => Some(8),
            IntKind::I16 | IntKind::U16 => Some(16),
            IntKind::I32 | IntKind::U32 => Some(32),
            IntKind::I64 | IntKind::U64 => Some(64),
            IntKind::I128 | IntKind::U128 => Some(128),
            IntKind::I256 | IntKind::U256 => Some(256),
        }
    }

    /// Whether it has negative numbers.
    pub fn signed(self) -> bool {
        matches!(
            self,
            IntKind::Int
                | IntKind::I8
                | IntKind::I16
                | IntKind::I32
                | IntKind::I64
                | IntKind::I128
                | IntKind::I256
        )
    }
}

/// Kinds of floats. `float` and `f64` are the same; `f32` is rounded when stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatKind {
    Float,
    F32,
    F64,
}

impl FloatKind {
    /// Its name in programs.
    pub fn name(self) -> &'static str {
        match self {
            FloatKind::Float => "float",
            FloatKind::F32 => "f32",
            FloatKind::F64 => "f64",
        }
    }
}

/// A struct type. Two types are the same if they are the same object.
pub struct StructDef {
    /// Its name without the module's.
    pub name: Rc<str>,
    /// The name of its module; `None` for the main module and built-in types.
    pub module: Option<Rc<str>>,
    /// Its fields, in declaration order; set once all types of the program are known.
    pub fields: OnceCell<Vec<FieldDef>>,
    /// Their numbers by name, if they are many.
    by_name: OnceCell<HashMap<Rc<str>, usize>>,
}

/// Most fields among which a name is looked for one by one.
const FEW_FIELDS: usize = 16;

#[derive(Debug)]
pub struct FieldDef {
    pub name: Rc<str>,
    pub ty: Type,
    /// The text between backticks after its type (used by @json).
    pub tag: Option<Rc<str>>,
}

impl StructDef {
    /// A struct type whose fields are set later.
    pub fn new(name: &str, module: Option<Rc<str>>) -> Rc<StructDef> {
        Rc::new(StructDef { name: name.into(), module, fields: OnceCell::new(), by_name: OnceCell::new() })
    }

    /// Its fields; empty before they are set.
    pub fn fields(&self) -> &[FieldDef] {
        self.fields.get().map_or(&[], |f| f.as_slice())
    }

    /// Index of the field with this name.
    pub fn field_index(&self, name: &str) -> Option<usize> {
        let fields = self.fields();
        if fields.len() <= FEW_FIELDS {
            return fields.iter().position(|f| &*f.name == name);
        }
        // Of several fields with one name, the first.
        let numbered = || fields.iter().enumerate().rev().map(|(number, field)| (field.name.clone(), number));
        self.by_name.get_or_init(|| numbered().collect()).get(name).copied()
    }
}

impl fmt::Debug for StructDef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "struct {}", self.name)
    }
}

/// The base type of an enum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EnumBase {
    Int,
    Float,
    Str,
    /// Members given as bool or char literals (accepted by the checker).
    Bool,
    Char,
}

/// An enum type. Two types are the same if they are the same object.
pub struct EnumDef {
    /// Its name without the module's.
    pub name: Rc<str>,
    /// The name of its module; `None` for the main module.
    pub module: Option<Rc<str>>,
    /// Type of the underlying values.
    pub base: OnceCell<EnumBase>,
    /// Members in declaration order with their underlying values.
    pub members: OnceCell<Vec<(Rc<str>, Value)>>,
}

impl EnumDef {
    /// An enum type whose members are set later.
    pub fn new(name: &str, module: Option<Rc<str>>) -> Rc<EnumDef> {
        Rc::new(EnumDef { name: name.into(), module, base: OnceCell::new(), members: OnceCell::new() })
    }

    /// Base type; `int` before it is set.
    pub fn base(&self) -> EnumBase {
        self.base.get().copied().unwrap_or(EnumBase::Int)
    }

    /// Members; empty before they are set.
    pub fn members(&self) -> &[(Rc<str>, Value)] {
        self.members.get().map_or(&[], |m| m.as_slice())
    }

    /// Type of the underlying values.
    pub fn base_type(&self) -> Type {
        match self.base() {
            EnumBase::Int => Type::INT,
            EnumBase::Float => Type::FLOAT,
            EnumBase::Str => Type::Str,
            EnumBase::Bool => Type::Bool,
            EnumBase::Char => Type::Char,
        }
    }
}

impl fmt::Debug for EnumDef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "enum {}", self.name)
    }
}

/// Kinds of opaque library objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HandleKind {
    File,
    FileInfo,
    Database,
}

impl HandleKind {
    /// Its name in messages and the result of `typeof`.
    pub fn name(self) -> &'static str {
        match self {
            HandleKind::File => "File",
            HandleKind::FileInfo => "FileInfo",
            HandleKind::Database => "Database",
        }
    }
}

/// A static type. `Display` writes it in EZ syntax (`[int,3]`, `map[string:int]`, `Point`), its alternate form
/// (`{:#}`) with the modules of structs and enums (`geo.Point`).
#[derive(Clone, Debug)]
pub enum Type {
    /// Unknown, or known at run time only: compatible with every type, checked at run time.
    Any,
    /// The type of an expression with a reported error: like [`Type::Any`], and equal to it, so that nothing more is
    /// reported about what it is used for. No program that runs has it.
    Failed,
    /// No value.
    Void,
    /// The type of `nil`.
    Nil,
    /// Integers.
    Int(IntKind),
    Float(FloatKind),
    /// `byte`
    Byte,
    /// `char`
    Char,
    /// `bool`
    Bool,
    /// `string`
    Str,
    /// `[T]` or `[T, n]`. The literal `{}` without a type is `[]`: an array of `Any`.
    Array(Rc<Type>, Option<u64>),
    /// `map[K:V]`. The literal `{:}` without a type is a map of `Any` to `Any`.
    Map(Rc<Type>, Rc<Type>),
    /// A struct, built-in ones included.
    Struct(Rc<StructDef>),
    Enum(Rc<EnumDef>),
    /// A range value.
    Range,
    /// Several results.
    Tuple(Rc<[Type]>),
    /// A library object.
    Handle(HandleKind),
}

impl PartialEq for Type {
    fn eq(&self, other: &Type) -> bool {
        match (self, other) {
            (Type::Any | Type::Failed, Type::Any | Type::Failed)
            | (Type::Void, Type::Void)
            | (Type::Nil, Type::Nil)
            | (Type::Byte, Type::Byte)
            | (Type::Char, Type::Char)
            | (Type::Bool, Type::Bool)
            | (Type::Str, Type::Str)
            | (Type::Range, Type::Range) => true,
            (Type::Int(a), Type::Int(b)) => a == b,
            (Type::Float(a), Type::Float(b)) => a == b,
            (Type::Array(a, n), Type::Array(b, m)) => n == m && a == b,
            (Type::Map(a, b), Type::Map(c, d)) => a == c && b == d,
            (Type::Struct(a), Type::Struct(b)) => Rc::ptr_eq(a, b),
            (Type::Enum(a), Type::Enum(b)) => Rc::ptr_eq(a, b),
            (Type::Tuple(a), Type::Tuple(b)) => a == b,
            (Type::Handle(a), Type::Handle(b)) => a == b,
            _ => false,
        }
    }
}

impl Type {
    /// `int`
    pub const INT: Type = Type::Int(IntKind::Int);
    /// `float`
    pub const FLOAT: Type = Type::Float(FloatKind::Float);

    /// `[elem]`
    pub fn array(elem: Type) -> Type {
        Type::Array(Rc::new(elem), None)
    }

    /// `map[key:value]`
    pub fn map(key: Type, value: Type) -> Type {
        Type::Map(Rc::new(key), Rc::new(value))
    }

    /// `(a, b)`
    pub fn tuple(parts: impl IntoIterator<Item = Type>) -> Type {
        Type::Tuple(parts.into_iter().collect())
    }

    /// The primitive type called `name` (`int` … `f64`, `string`, `bool`, `char`, `byte`).
    pub fn primitive(name: &str) -> Option<Type> {
        if let Some(kind) = IntKind::ALL.iter().find(|k| k.name() == name) {
            return Some(Type::Int(*kind));
        }
        Some(match name {
            "float" => Type::FLOAT,
            "f32" => Type::Float(FloatKind::F32),
            "f64" => Type::Float(FloatKind::F64),
            "string" => Type::Str,
            "bool" => Type::Bool,
            "char" => Type::Char,
            "byte" => Type::Byte,
            _ => return None,
        })
    }

    /// Whether it is one of the 14 integer types (no byte, no enum).
    pub fn is_integer(&self) -> bool {
        matches!(self, Type::Int(_))
    }

    /// Whether it is numeric: integers, floats, byte, enums over int or float.
    pub fn is_numeric(&self) -> bool {
        match self {
            Type::Int(_) | Type::Float(_) | Type::Byte => true,
            Type::Enum(def) => matches!(def.base(), EnumBase::Int | EnumBase::Float),
            _ => false,
        }
    }

    /// Whether it is [`Type::Failed`].
    pub fn is_failed(&self) -> bool {
        matches!(self, Type::Failed)
    }

    /// Whether it is [`Type::Any`], or [`Type::Failed`].
    pub fn is_any(&self) -> bool {
        matches!(self, Type::Any | Type::Failed)
    }

    /// Element type of an array.
    pub fn elem(&self) -> Option<&Type> {
        match self {
            Type::Array(elem, _) => Some(elem),
            _ => None,
        }
    }

    /// Whether values of it have parts that can be changed in place (arrays, maps, structs).
    pub fn is_container(&self) -> bool {
        matches!(self, Type::Array(..) | Type::Map(..) | Type::Struct(_))
    }

    /// Whether values of it are objects that contain no containers.
    pub fn is_flat(&self) -> bool {
        let is_leaf =
            |ty: &Type| !ty.is_container() && !ty.is_any() && !matches!(ty, Type::Tuple(_) | Type::Handle(_));
        match self {
            Type::Struct(def) => def.fields().iter().all(|field| is_leaf(&field.ty)),
            Type::Array(elem, _) => is_leaf(elem),
            _ => false,
        }
    }

    /// How variables of this type are represented in slots.
    pub fn repr(&self) -> Repr {
        match self {
            Type::Int(_) | Type::Byte | Type::Char => Repr::Int,
            Type::Float(_) => Repr::Float,
            Type::Bool => Repr::Bool,
            Type::Enum(def) => match def.base() {
                EnumBase::Int | EnumBase::Char => Repr::Int,
                EnumBase::Float => Repr::Float,
                EnumBase::Bool => Repr::Bool,
                EnumBase::Str => Repr::Ref,
            },
            _ => Repr::Ref,
        }
    }

    /// The result of `typeof` for a value with this static type: no sizes; `array` or `map` for literals
    /// without a type.
    pub fn typeof_name(&self) -> String {
        match self {
            Type::Array(elem, _) if elem.is_any() => "array".into(),
            Type::Array(elem, _) => format!("[{}]", elem.typeof_name()),
            Type::Map(key, value) if key.is_any() || value.is_any() => "map".into(),
            Type::Map(key, value) => format!("map[{}:{}]", key.typeof_name(), value.typeof_name()),
            Type::Range => "Range<int>".into(),
            Type::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(Type::typeof_name).collect();
                format!("({})", parts.join(", "))
            }
            other => other.to_string(),
        }
    }
}

/// Representation of variables in frames: a number, or a counted reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Repr {
    /// 64-bit integer: integers, byte, char, enums over them.
    Int,
    /// 64-bit float.
    Float,
    Bool,
    /// Reference to the heap; `any` and everything else.
    Ref,
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Any | Type::Failed => f.write_str("any"),
            Type::Void => f.write_str("void"),
            Type::Nil => f.write_str("nil"),
            Type::Int(kind) => f.write_str(kind.name()),
            Type::Float(kind) => f.write_str(kind.name()),
            Type::Byte => f.write_str("byte"),
            Type::Char => f.write_str("char"),
            Type::Bool => f.write_str("bool"),
            Type::Str => f.write_str("string"),
            Type::Array(elem, None) if elem.is_any() => f.write_str("[]"),
            Type::Array(elem, size) => {
                f.write_str("[")?;
                fmt::Display::fmt(elem, f)?;
                size.map_or(Ok(()), |n| write!(f, ",{n}"))?;
                f.write_str("]")
            }
            Type::Map(key, value) if key.is_any() && value.is_any() => f.write_str("map[]"),
            Type::Map(key, value) => {
                f.write_str("map[")?;
                fmt::Display::fmt(key, f)?;
                f.write_str(":")?;
                fmt::Display::fmt(value, f)?;
                f.write_str("]")
            }
            Type::Struct(def) => write_name(f, def.module.as_deref(), &def.name),
            Type::Enum(def) => write_name(f, def.module.as_deref(), &def.name),
            Type::Range => f.write_str("Range<int>"),
            Type::Tuple(parts) => {
                f.write_str("(")?;
                for (i, part) in parts.iter().enumerate() {
                    if i > 0 {
                        f.write_str(", ")?;
                    }
                    fmt::Display::fmt(part, f)?;
                }
                f.write_str(")")
            }
            Type::Handle(kind) => f.write_str(kind.name()),
        }
    }
}

/// A name of a struct or enum, in the alternate form with that of its module.
fn write_name(f: &mut fmt::Formatter<'_>, module: Option<&str>, name: &str) -> fmt::Result {
    match module {
        Some(module) if f.alternate() => write!(f, "{module}.{name}"),
        Some(_) | None => f.write_str(name),
    }
}

/// Two different types as messages name them: with the modules of structs and enums where they could not be told apart
/// without.
pub fn told_apart(a: &Type, b: &Type) -> (String, String) {
    let names = (a.to_string(), b.to_string());
    if names.0 == names.1 { (format!("{a:#}"), format!("{b:#}")) } else { names }
}
