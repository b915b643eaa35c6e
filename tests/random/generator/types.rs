//! Types, and what is declared in a program.

use super::Generator;

/// A type.
#[derive(Clone, Debug, PartialEq)]
pub enum Ty {
    /// An integer type, by name; all of them are assignable to each other.
    Int(&'static str),
    Float(&'static str),
    Bool,
    Char,
    Byte,
    Str,
    /// An array, of fixed size if there is a number.
    Array(Box<Ty>, Option<usize>),
    Map(Box<Ty>, Box<Ty>),
    /// Position in [`Generator::structs`].
    Struct(usize),
    /// Position in [`Generator::enums`].
    Enum(usize),
}

pub const INT: Ty = Ty::Int("int");

const SIZED: &[&str] =
    &["i8", "i16", "i32", "i64", "i128", "i256", "u8", "u16", "u32", "u64", "u128", "u256", "uint"];

#[derive(Clone, Debug)]
pub struct StructDecl {
    pub module: String,
    pub name: String,
    pub fields: Vec<(String, Ty)>,
}

#[derive(Clone, Debug)]
pub struct EnumDecl {
    pub module: String,
    pub name: String,
    pub members: Vec<String>,
}

#[derive(Clone, Debug)]
pub struct Parameter {
    pub name: String,
    pub ty: Ty,
    pub by_reference: bool,
    pub default: bool,
}

#[derive(Clone, Debug)]
pub struct FunctionDecl {
    pub module: String,
    pub name: String,
    pub parameters: Vec<Parameter>,
    pub returns: Vec<Ty>,
}

/// A variable.
#[derive(Clone, Debug)]
pub struct Var {
    /// The module of a global.
    pub module: String,
    pub name: String,
    pub ty: Ty,
    /// Whether it, and what it holds, may be changed.
    pub mutable: bool,
}

impl Ty {
    pub fn array(element: Ty) -> Ty {
        Ty::Array(Box::new(element), None)
    }

    pub fn map(key: Ty, value: Ty) -> Ty {
        Ty::Map(Box::new(key), Box::new(value))
    }

    pub fn is_int(&self) -> bool {
        matches!(self, Ty::Int(_))
    }

    /// Whether a value of type `other` can be used where this one is expected.
    pub fn accepts(&self, other: &Ty) -> bool {
        match (self, other) {
            (Ty::Int(to), Ty::Int(from)) => to == from,
            (Ty::Array(to, None), Ty::Array(from, _)) => to == from,
            _ => self == other,
        }
    }
}

impl Generator {
    /// The type as the current module writes it.
    pub fn type_name(&self, ty: &Ty) -> String {
        match ty {
            Ty::Int(name) | Ty::Float(name) => name.to_string(),
            Ty::Bool => "bool".into(),
            Ty::Char => "char".into(),
            Ty::Byte => "byte".into(),
            Ty::Str => "string".into(),
            Ty::Array(element, None) => format!("[{}]", self.type_name(element)),
            Ty::Array(element, Some(size)) => format!("[{}, {size}]", self.type_name(element)),
            Ty::Map(key, value) => format!("map[{}:{}]", self.type_name(key), self.type_name(value)),
            Ty::Struct(index) => {
                let found = &self.structs[*index];
                self.qualified(&found.module, &found.name)
            }
            Ty::Enum(index) => {
                let found = &self.enums[*index];
                self.qualified(&found.module, &found.name)
            }
        }
    }

    /// A type of a variable.
    pub fn any_type(&mut self) -> Ty {
        match self.choices.below(20) {
            0..3 => INT,
            3 | 4 => Ty::Str,
            5 => self.sized_int(),
            6 => Ty::Bool,
            7 => Ty::Char,
            8 => Ty::Float(if self.choices.one_in(4) { "f32" } else { "float" }),
            9 => Ty::Byte,
            10..14 => self.array_type(),
            14 | 15 => self.map_type(),
            16..19 => self.struct_type().unwrap_or(INT),
            _ => self.enum_type().unwrap_or(Ty::Str),
        }
    }

    pub fn sized_int(&mut self) -> Ty {
        let name: &&str = self.choices.pick(SIZED);
        Ty::Int(name)
    }

    pub fn array_type(&mut self) -> Ty {
        let element = match self.choices.below(9) {
            0 | 1 => INT,
            2 => Ty::Str,
            3 => Ty::Byte,
            4 => Ty::Char,
            5 => self.sized_int(),
            6 => Ty::array(INT),
            7 => self.map_type(),
            _ => self.struct_type().unwrap_or(Ty::Bool),
        };
        let size = self.choices.one_in(5).then(|| 1 + self.choices.below(4));
        Ty::Array(Box::new(element), size)
    }

    pub fn map_type(&mut self) -> Ty {
        let key = match self.choices.below(4) {
            0 | 1 => Ty::Str,
            2 => INT,
            _ => Ty::Char,
        };
        let value = match self.choices.below(6) {
            0 | 1 => INT,
            2 => Ty::Str,
            3 => Ty::array(INT),
            4 => Ty::map(Ty::Str, INT),
            _ => self.own_struct().unwrap_or(Ty::Bool),
        };
        Ty::map(key, value)
    }

    /// A struct that can be used here.
    pub fn struct_type(&mut self) -> Option<Ty> {
        let seen: Vec<usize> =
            (0..self.structs.len()).filter(|i| self.sees(&self.structs[*i].module)).collect();
        (!seen.is_empty()).then(|| Ty::Struct(*self.choices.pick(&seen)))
    }

    /// A struct of this module: names with a module stand in no map type.
    fn own_struct(&mut self) -> Option<Ty> {
        let own = (0..self.structs.len()).filter(|i| self.structs[*i].module == self.module);
        let own: Vec<usize> = own.collect();
        (!own.is_empty()).then(|| Ty::Struct(*self.choices.pick(&own)))
    }

    pub fn enum_type(&mut self) -> Option<Ty> {
        let seen: Vec<usize> = (0..self.enums.len()).filter(|i| self.sees(&self.enums[*i].module)).collect();
        (!seen.is_empty()).then(|| Ty::Enum(*self.choices.pick(&seen)))
    }
}
