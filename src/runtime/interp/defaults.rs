//! Default values (docs/language/types.md#default-values).

use std::mem;
use std::rc::Rc;

use crate::value::{FieldDef, StructDef, Type, Value, builtin};

/// The value of a variable that is declared without a value.
pub fn default_variable(ty: &Type) -> Value {
    match ty {
        Type::Struct(_) => Value::Nil,
        _ => simple(ty),
    }
}

/// The value of a field that a literal leaves out.
pub fn default_field(def: &Rc<StructDef>, field: &FieldDef) -> Value {
    match inner(def, field) {
        Inner::Struct(def) => structure(def),
        Inner::Simple(value) => value,
    }
}

/// The value of `new(T)` and of a named result: a struct with all fields defaulted.
pub fn default_new(ty: &Type) -> Value {
    match ty {
        Type::Struct(def) => {
            let fields = def.fields().iter().map(|field| default_field(def, field));
            Value::structure(def, fields)
        }
        _ => simple(ty),
    }
}

fn simple(ty: &Type) -> Value {
    match ty {
        Type::Int(_) => Value::Int(0),
        Type::Float(_) => Value::Float(0.0),
        Type::Byte => Value::Byte(0),
        Type::Char => Value::Char('\0'),
        Type::Bool => Value::Bool(false),
        Type::Str => Value::str(""),
        Type::Array(elem, None) => Value::array(elem, []),
        Type::Map(key, value) => Value::map(key, value, Default::default()),
        _ => Value::Nil,
    }
}

/// A struct of which some fields are done.
struct Level {
    def: Rc<StructDef>,
    fields: Vec<Value>,
}

impl Level {
    fn new(def: &Rc<StructDef>) -> Level {
        Level { def: def.clone(), fields: Vec::with_capacity(def.fields().len()) }
    }
}

/// A struct with all fields defaulted; one that contains itself gets nil. Types may be nested more deeply than calls.
fn structure(def: &Rc<StructDef>) -> Value {
    let mut around: Vec<Level> = Vec::new();
    let mut level = Level::new(def);
    loop {
        let Some(field) = level.def.fields().get(level.fields.len()) else {
            let done = Value::structure(&level.def, level.fields);
            let Some(outer) = around.pop() else { return done };
            level = outer;
            level.fields.push(done);
            continue;
        };
        match inner(&level.def, field) {
            Inner::Simple(value) => level.fields.push(value),
            Inner::Struct(def) => {
                let is_same = |level: &Level| Rc::ptr_eq(&level.def, def);
                if is_same(&level) || around.iter().any(is_same) {
                    level.fields.push(Value::Nil);
                } else {
                    let inner = Level::new(def);
                    around.push(mem::replace(&mut level, inner));
                }
            }
        }
    }
}

/// What a field gets.
enum Inner<'a> {
    Struct(&'a Rc<StructDef>),
    Simple(Value),
}

fn inner<'a>(def: &Rc<StructDef>, field: &'a FieldDef) -> Inner<'a> {
    match &field.ty {
        Type::Struct(def) => Inner::Struct(def),
        // The code of an `Error`, a number or a text.
        Type::Any if Rc::ptr_eq(def, &builtin::builtins().error) => Inner::Simple(Value::Int(0)),
        ty => Inner::Simple(simple(ty)),
    }
}
