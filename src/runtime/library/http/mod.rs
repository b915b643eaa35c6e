//! `@http`: requests to web servers, and URLs.

mod requests;
mod url;

use super::Module;
use super::row::{constant, function};

use requests::*;

pub static MODULE: Module = Module {
    name: "http",
    doc: "Requests to web servers.",
    reserved_names: &[],
    outside: true,
    rows: &[
        function!("get" "(url string) -> (HttpResponse, Error)", "The answer to a GET request.";
            { "temp r, e = http.get(\"http://localhost:1/\")\nprintln(e.code)" => "E14002\n" };
            |call| fetch(call, false)),
        function!("delete" "(url string) -> (HttpResponse, Error)", "The answer to a DELETE request.";
            { "temp r, e = http.delete(\"http://localhost:1/\")\nprintln(e.code)" => "E14002\n" };
            |call| fetch(call, false)),
        function!("post" "(url string, body string) -> (HttpResponse, Error)",
            "The answer to a POST request with a body.";
            { "temp r, e = http.post(\"http://localhost:1/\", \"x\")\nprintln(e.code)" => "E14002\n" };
            |call| fetch(call, true)),
        function!("put" "(url string, body string) -> (HttpResponse, Error)",
            "The answer to a PUT request with a body.";
            { "temp r, e = http.put(\"http://localhost:1/\", \"x\")\nprintln(e.code)" => "E14002\n" };
            |call| fetch(call, true)),
        function!("patch" "(url string, body string) -> (HttpResponse, Error)",
            "The answer to a PATCH request with a body.";
            { "temp r, e = http.patch(\"http://localhost:1/\", \"x\")\nprintln(e.code)" => "E14002\n" };
            |call| fetch(call, true)),
        function!("head" "(url string) -> (HttpResponse, Error)", "The answer to a HEAD request.";
            { "temp r, e = http.head(\"http://localhost:1/\")\nprintln(e.code)" => "E14002\n" };
            |call| fetch(call, false), unchecked, unknown),
        function!("options" "(url string) -> (HttpResponse, Error)", "The answer to an OPTIONS request.";
            { "temp r, e = http.options(\"http://localhost:1/\")\nprintln(e.code)" => "E14002\n" };
            |call| fetch(call, false), unchecked, unknown),
        function!("request" "(method string, url string, body string, headers map[string:string], timeout_seconds int) -> (HttpResponse, Error)",
            "The answer to any request.";
            { "temp h map[string:string] = {\"Accept\": \"text/plain\"}\ntemp r, e = http.request(\"GET\", \"http://localhost:1/\", \"\", h, 5)\nprintln(e.code)" => "E14002\n" };
            request),
        function!("download" "(url string, path string) -> (int, Error)",
            "Saves the body of the answer in a file; returns its size.";
            { "temp r, e = http.download(\"http://localhost:1/\", \"ez_example.txt\")\nprintln(e.code)" => "E14002\n" };
            download, unchecked, unknown),
        function!("build_query" "(values map[string:string]) -> string", "The pairs as the query of a URL.";
            "http.build_query({\"b\": \"1 2\", \"a\": \"x\"})" => "a=x&b=1+2"; build_query, unknown),
        function!("json_body" "(values map[K:V]) -> string", "The map as JSON.";
            "http.json_body({\"a\": 1})" => "{\"a\":1}"; json_body, unknown),
        function!("parse_url" "(text string) -> (URL, Error)", "The parts of a URL.";
            { "temp u, e = http.parse_url(\"http://ex.org:80/a?b=c\")\nprintln(u.host, u.port, u.path, u.query)" => "ex.org 80 /a b=c\n" };
            parse_url, unchecked, unknown),
        function!("build_url" "(parts any) -> string", "The URL with the parts in the struct.";
            { "temp u, e = http.parse_url(\"http://ex.org/a b\")\nprintln(http.build_url(u))" => "http://ex.org/a%20b\n" };
            build_url, unknown, unchecked),
        constant!("http", "OK", 200, "The status 200.").unknown(),
        constant!("http", "CREATED", 201, "The status 201.").unknown(),
        constant!("http", "ACCEPTED", 202, "The status 202.").unknown(),
        constant!("http", "NO_CONTENT", 204, "The status 204.").unknown(),
        constant!("http", "MOVED_PERMANENTLY", 301, "The status 301.").unknown(),
        constant!("http", "FOUND", 302, "The status 302.").unknown(),
        constant!("http", "NOT_MODIFIED", 304, "The status 304.").unknown(),
        constant!("http", "TEMPORARY_REDIRECT", 307, "The status 307.").unknown(),
        constant!("http", "PERMANENT_REDIRECT", 308, "The status 308.").unknown(),
        constant!("http", "BAD_REQUEST", 400, "The status 400.").unknown(),
        constant!("http", "UNAUTHORIZED", 401, "The status 401.").unknown(),
        constant!("http", "PAYMENT_REQUIRED", 402, "The status 402.").unknown(),
        constant!("http", "FORBIDDEN", 403, "The status 403.").unknown(),
        constant!("http", "NOT_FOUND", 404, "The status 404.").unknown(),
        constant!("http", "METHOD_NOT_ALLOWED", 405, "The status 405.").unknown(),
        constant!("http", "CONFLICT", 409, "The status 409.").unknown(),
        constant!("http", "INTERNAL_SERVER_ERROR", 500, "The status 500.").unknown(),
        constant!("http", "BAD_GATEWAY", 502, "The status 502.").unknown(),
        constant!("http", "SERVICE_UNAVAILABLE", 503, "The status 503.").unknown(),
    ],
};
