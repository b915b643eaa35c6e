//! Default values (docs/language/types.md#default-values).

use std::rc::Rc;

use crate::sync::deeper;
use crate::value::{FieldDef, StructDef, Type, Value, builtin};

/// Of a variable that is declared without a value.
pub(crate) fn default_variable(ty: &Type) -> Value {
    match ty {
        Type::Struct(_) => Value::Nil,
        _ => simple(ty),
    }
}

/// Of a field that a literal leaves out.
pub(crate) fn default_field(def: &Rc<StructDef>, field: &FieldDef) -> Value {
    field_in_path(def, field, &mut Vec::new())
}

/// Of `new(T)` and of a named result: a struct with all fields defaulted.
pub(crate) fn default_new(ty: &Type) -> Value {
    match ty {
        Type::Struct(def) => {
            let fields = def.fields().iter().map(|field| default_field(def, field));
            Value::structure(def, fields)
        }
        _ => in_path(ty, &mut Vec::new()),
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

/// The default for a type inside `path`, the types being defaulted: one that contains itself gets nil.
fn in_path(ty: &Type, path: &mut Vec<Rc<StructDef>>) -> Value {
    let Type::Struct(def) = ty else { return simple(ty) };
    if path.iter().any(|p| Rc::ptr_eq(p, def)) {
        return Value::Nil;
    }
    path.push(def.clone());
    let fields: Vec<Value> =
        def.fields().iter().map(|field| deeper(|| field_in_path(def, field, path))).collect();
    path.pop();
    Value::structure(def, fields)
}

fn field_in_path(def: &Rc<StructDef>, field: &FieldDef, path: &mut Vec<Rc<StructDef>>) -> Value {
    match &field.ty {
        // The code of an `Error`, a number or a text.
        Type::Any if Rc::ptr_eq(def, &builtin::builtins().error) => Value::Int(0),
        ty => in_path(ty, path),
    }
}
