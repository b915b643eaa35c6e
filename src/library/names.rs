//! Names that are not the library's own: old ones, and what people write by mistake.

/// Names that EZ 0.39 had and 2.0 renamed: module, old name, module and new name.
pub const RENAMED: &[(&str, &str, &str, &str)] = &[
    ("std", "printf", "std", "print"),
    ("std", "eprintf", "std", "eprint"),
    ("arrays", "index_of", "arrays", "index"),
    ("arrays", "last_index_of", "arrays", "last_index"),
    ("maps", "has", "maps", "contains"),
    ("maps", "has_key", "maps", "contains"),
    ("maps", "has_value", "maps", "contains_value"),
    ("maps", "delete", "maps", "remove"),
    ("db", "has", "db", "contains"),
    ("db", "delete", "db", "remove"),
    ("http", "encode_url", "encoding", "url_encode"),
    ("http", "decode_url", "encoding", "url_decode"),
];

/// Modules that people try to import, and the module that has what they look for.
const MISTAKEN_MODULES: &[(&str, &str)] = &[
    ("string", "strings"),
    ("array", "arrays"),
    ("map", "maps"),
    ("rand", "random"),
    ("file", "io"),
    ("files", "io"),
    ("fs", "io"),
    ("env", "os"),
    ("system", "os"),
    ("byte", "bytes"),
    ("datetime", "time"),
    ("date", "time"),
];

/// Functions that people try to call: module, name, and the function that does it.
const MISTAKEN_FUNCTIONS: &[(&str, &str, &str)] = &[
    ("arrays", "push", "arrays.append"),
    ("strings", "substring", "strings.slice"),
    ("strings", "substr", "strings.slice"),
    ("strings", "length", "len"),
    ("strings", "size", "len"),
    ("arrays", "length", "len"),
    ("arrays", "size", "len"),
];

/// The module that is meant by `name`, which is no module.
pub fn mistaken_module(name: &str) -> Option<&'static str> {
    MISTAKEN_MODULES.iter().find(|(wrong, _)| *wrong == name).map(|(_, right)| *right)
}

/// The function that is meant by `module.name`, which does not exist.
pub fn mistaken_function(module: &str, name: &str) -> Option<&'static str> {
    let found = MISTAKEN_FUNCTIONS.iter().find(|(m, wrong, _)| *m == module && *wrong == name);
    found.map(|(.., right)| *right)
}
