//! `@server`: a web server with fixed responses.

use std::rc::Rc;

use crate::diagnostics::Code;
use crate::value::{
    Job, JobResult, OrderedMap, Part, Refused, ServedRoute, StructDef, StructValue, Type, Value, builtin,
};

use super::args::{saturated, work};
use super::json::{EncodeError, encode};
use super::row::function;
use super::{Call, Fail, Module};

pub static MODULE: Module = Module {
    name: "server",
    doc: "A web server with fixed answers.",
    reserved_names: &[],
    outside: true,
    rows: &[
        function!("router" "() -> Router", "A new router without routes.";
        "len(server.router().routes)" => "0";
        |call| {
            call.none()?;
            let all = builtin::builtins();
            let routes = Value::array(&Type::Struct(all.route.clone()), []);
            Ok(Value::structure(&all.router, [routes]))
        }),
        function!("route" "(router any, method string, path string, response any)",
            "Adds an answer for a method and path to the router.";
            { "temp r = server.router()\nserver.route(r, \"GET\", \"/\", server.text(200, \"hi\"))\nprintln(len(r.routes))" => "1\n" };
            route),
        function!("text" "(status int, body string) -> Response", "An answer of plain text.";
            "server.text(200, \"hi\").body" => "hi"; |call| texts(call, "text/plain")),
        function!("html" "(status int, body string) -> Response", "An answer of HTML.";
            "server.html(200, \"<p>hi</p>\").headers" => "{\"content-type\": \"text/html\"}";
            |call| texts(call, "text/html")),
        function!("json" "(status int, value any) -> Response", "An answer of a value as JSON.";
            "server.json(200, {1, 2}).body" => "[1,2]"; json),
        function!("listen" "(port int, router any) -> Error",
            "Answers requests until the program is ended; an Error if the port cannot be used. A request must arrive within 5 seconds; if more than 400 clients have not finished theirs, the oldest is disconnected.";
            { "println(server.listen(8080, server.router()))" => "" }; listen, varying),
    ],
};

/// The struct of this type at `index`.
fn structure<'a>(
    call: &Call<'a>,
    index: usize,
    def: &Rc<StructDef>,
    text: &str,
) -> Result<&'a StructValue, Fail> {
    match call.args.get(index).and_then(Value::as_struct) {
        Some(found) if Rc::ptr_eq(&found.def, def) => Ok(found),
        _ => call.wrong(Code::E7003, text),
    }
}

fn route(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(4, "")?;
    let all = builtin::builtins();
    let router = structure(call, 0, &all.router, "requires a Router as the first argument")?;
    call.text(1, "requires a string method as the second argument")?;
    call.text(2, "requires a string path as the third argument")?;
    structure(call, 3, &all.response, "requires a Response as the fourth argument")?;
    let route = Value::structure(&all.route, [call.arg(1), call.arg(2), call.arg(3)]);
    let routes = router.fields.borrow().first().cloned().unwrap_or_default();
    match routes.as_array() {
        Some(routes) => {
            routes.change_constant(call.runtime.mutator(), Part::All).map_err(in_use)?.data.push(route)
        }
        None => {
            let mut fields =
                router.fields.change_constant(call.runtime.mutator(), Part::One).map_err(in_use)?;
            if let Some(slot) = fields.first_mut() {
                *slot = Value::array(&Type::Struct(all.route.clone()), [route]);
            }
        }
    }
    Ok(Value::Nil)
}

/// The error of adding a route to a router whose routes are gone through.
fn in_use(_: Refused) -> Fail {
    Fail::new(Code::E9006, "server.route() cannot modify router while it is in use")
}

fn response(status: Value, body: Value, kind: &str) -> Value {
    let headers: OrderedMap = [(Value::str("content-type"), Value::str(kind))].into_iter().collect();
    let headers = Value::map(&Type::Str, &Type::Str, headers);
    Value::structure(&builtin::builtins().response, [status, body, headers])
}

/// The status, checked.
fn status(call: &Call) -> Result<Value, Fail> {
    call.exactly(2, "")?;
    call.index(0, "requires an integer status as the first argument")?;
    Ok(call.arg(0))
}

fn texts(call: &mut Call, kind: &str) -> Result<Value, Fail> {
    let status = status(call)?;
    let body = call.text(1, "requires a string body as the second argument")?;
    Ok(response(status, Value::str(body), kind))
}

fn json(call: &mut Call) -> Result<Value, Fail> {
    let status = status(call)?;
    let value = call.arg(1);
    match encode(call.runtime, &value, None)? {
        Ok(body) => Ok(response(status, Value::str(body), "application/json")),
        Err(EncodeError { code: Code::E5018, text }) => call.fail(Code::E5018, text),
        Err(EncodeError { text, .. }) => {
            call.fail(Code::E18003, format!("failed to encode response body to JSON: {text}"))
        }
    }
}

/// The field `name`, references followed.
fn field(object: &StructValue, name: &str) -> Value {
    let index = object.def.field_index(name);
    index.and_then(|i| object.fields.borrow().get(i).map(Value::follow)).unwrap_or_default()
}

fn served(route: &StructValue) -> Option<ServedRoute> {
    let answer = field(route, "response");
    let answer = answer.as_struct()?;
    let text = |object: &StructValue, name: &str| field(object, name).as_str().map(str::to_string);
    let headers = match field(answer, "headers").as_map() {
        Some(map) => {
            let map = map.borrow();
            let pairs = map.entries.iter().map(|(k, v)| (crate::value::display(k), crate::value::display(v)));
            pairs.collect()
        }
        None => Vec::new(),
    };
    Some(ServedRoute {
        method: text(route, "method")?,
        path: text(route, "path")?,
        status: saturated(&field(answer, "status")).unwrap_or(0),
        headers,
        body: text(answer, "body").unwrap_or_default().into_bytes(),
    })
}

fn listen(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(2, "")?;
    let port = call.index(0, "requires an integer port as the first argument")?;
    let all = builtin::builtins();
    let router = structure(call, 1, &all.router, "requires a Router as the second argument")?;
    let Some(number) = u16::try_from(port).ok().filter(|port| *port > 0) else {
        return call.fail(Code::E18002, format!("port must be between 1 and 65535, got {port}"));
    };
    let routes = field(router, "routes");
    let routes = routes.as_array().map(|routes| {
        let routes = routes.borrow();
        routes.data.iter().filter_map(|route| route.follow().as_struct().and_then(served)).collect()
    });
    let job = Job::Serve { port: number, routes: routes.unwrap_or_default() };
    match work(call.runtime, job)? {
        JobResult::Served(problem) => Ok(builtin::error_value(&problem, Code::E18001.as_str())),
        _ => Ok(builtin::error_value("no network", Code::E18001.as_str())),
    }
}
