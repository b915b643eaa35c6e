//! The struct types every program knows: `Error` and those of the network modules.

use std::rc::Rc;

use super::heap::Value;
use super::types::{FieldDef, StructDef, Type};

/// The built-in structs of this thread.
pub struct Builtins {
    /// `Error {message string, code}`; the code is a string or an integer.
    pub error: Rc<StructDef>,
    /// `HttpResponse {status int, body string, headers map[string:[string]]}`
    pub http_response: Rc<StructDef>,
    /// `Response {status int, body string, headers map[string:string]}`
    pub response: Rc<StructDef>,
    /// `Route {method string, path string, response Response}`
    pub route: Rc<StructDef>,
    /// `Router {routes [Route]}`
    pub router: Rc<StructDef>,
    /// `Entry {key string, value string}` of @db; programs cannot name it.
    pub entry: Rc<StructDef>,
    /// `URL {scheme, host string, port int, path, query, fragment string}` of @http; programs cannot
    /// name it.
    pub url: Rc<StructDef>,
}

fn define(name: &str, fields: Vec<(&str, Type)>) -> Rc<StructDef> {
    let def = StructDef::new(name, None);
    let fields = fields.into_iter().map(|(name, ty)| FieldDef { name: name.into(), ty, tag: None });
    let _ = def.fields.set(fields.collect());
    def
}

thread_local! {
    static BUILTINS: Rc<Builtins> = Rc::new(make());
}

fn make() -> Builtins {
    let texts = Type::map(Type::Str, Type::Str);
    let lists = Type::map(Type::Str, Type::array(Type::Str));
    let response = define("Response", vec![("status", Type::INT), ("body", Type::Str), ("headers", texts)]);
    let route = define(
        "Route",
        vec![("method", Type::Str), ("path", Type::Str), ("response", Type::Struct(response.clone()))],
    );
    Builtins {
        error: define("Error", vec![("message", Type::Str), ("code", Type::Any)]),
        http_response: define(
            "HttpResponse",
            vec![("status", Type::INT), ("body", Type::Str), ("headers", lists)],
        ),
        entry: define("Entry", vec![("key", Type::Str), ("value", Type::Str)]),
        url: define(
            "URL",
            vec![
                ("scheme", Type::Str),
                ("host", Type::Str),
                ("port", Type::INT),
                ("path", Type::Str),
                ("query", Type::Str),
                ("fragment", Type::Str),
            ],
        ),
        router: define("Router", vec![("routes", Type::array(Type::Struct(route.clone())))]),
        response,
        route,
    }
}

/// The built-in structs.
pub fn builtins() -> Rc<Builtins> {
    BUILTINS.with(Rc::clone)
}

/// The type `Error`.
pub fn error_type() -> Type {
    Type::Struct(builtins().error.clone())
}

/// The built-in structs whose names can be written as types.
pub fn structs() -> [Rc<StructDef>; 5] {
    let all = builtins();
    [&all.error, &all.http_response, &all.response, &all.route, &all.router].map(Rc::clone)
}

/// The built-in struct type called `name`.
pub fn struct_type(name: &str) -> Option<Type> {
    structs().into_iter().find(|def| &*def.name == name).map(Type::Struct)
}

/// An `Error` value; `code` is a string or an integer.
pub fn error_value(message: &str, code: impl Into<Value>) -> Value {
    Value::structure(&builtins().error, [Value::str(message), code.into()])
}
