//! Names that the library does not have: renamed ones, and frequent mistakes with the right name.

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

/// Frequent mistakes for module names, and the right module.
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

/// Frequent mistakes for functions: module, name, and the right function.
const MISTAKEN_FUNCTIONS: &[(&str, &str, &str)] = &[
    ("arrays", "push", "arrays.append"),
    ("strings", "substring", "strings.slice"),
    ("strings", "substr", "strings.slice"),
    ("strings", "length", "len"),
    ("strings", "size", "len"),
    ("arrays", "length", "len"),
    ("arrays", "size", "len"),
];

/// The module that is probably meant by the unknown module `name`.
pub fn mistaken_module(name: &str) -> Option<&'static str> {
    MISTAKEN_MODULES.iter().find(|(wrong, _)| *wrong == name).map(|(_, right)| *right)
}

/// The function that is probably meant by the unknown `module.name`.
pub fn mistaken_function(module: &str, name: &str) -> Option<&'static str> {
    let found = MISTAKEN_FUNCTIONS.iter().find(|(m, wrong, _)| *m == module && *wrong == name);
    found.map(|(.., right)| *right)
}
