//! `@db`: key-value stores of strings, kept in a file.

mod store;

use crate::value::HandleKind;

use super::Module;
use super::row::{constant, function};

use store::*;

/// A row whose example has an open store with two entries. What it prints is given with its line ends.
macro_rules! stored {
    ($name:literal $signature:literal, $doc:literal; $example:literal => $output:literal;
     $run:expr $(, $option:ident)*) => {
        function!($name $signature, $doc;
            { concat!(
                "temp s, e = db.open(\"ez_example.ezdb\")\ndb.clear(s)\n",
                "db.set(s, \"b\", \"x\")\ndb.set(s, \"a\", \"y\")\n",
                $example
            ) => $output };
            $run $(, $option)*)
    };
}

pub static MODULE: Module = Module {
    name: "db",
    doc: "Small stores of texts, kept in a file.",
    reserved_names: &[],
    outside: true,
    rows: &[
        stored!("open" "(path string) -> (Database, Error)",
            "Opens (or creates) a store in a file whose name ends in .ezdb.";
            "println(s)" => "<Database ez_example.ezdb>\n"; open),
        stored!("close" "(store Database) -> Error", "Writes the store to its file and closes it.";
            "db.close(s)\nprintln(s)" => "<Database(closed) ez_example.ezdb>\n"; close),
        stored!("save" "(store Database) -> Error", "Writes the store to its file.";
            "db.save(s)\nprintln(db.count(s))" => "2\n"; save),
        stored!("set" "(store Database, key string, value string)",
            "Sets the value of a key; the file changes when the store is saved or closed.";
            "db.set(s, \"b\", \"z\")\nprintln(db.get(s, \"b\"))" => "\"z\", true\n"; set),
        stored!("get" "(store Database, key string) -> (string, bool)",
            "The value of a key, and whether the key exists.";
            "println(db.get(s, \"a\"))" => "\"y\", true\n"; get),
        stored!("remove" "(store Database, key string) -> bool",
            "Removes a key; returns whether it existed.";
            "println(db.remove(s, \"a\"))" => "true\n"; remove),
        stored!("contains" "(store Database, key string) -> bool", "Whether the key exists.";
            "println(db.contains(s, \"a\"))" => "true\n"; contains),
        stored!("keys" "(store Database) -> [string]", "The keys, in order.";
            "println(db.keys(s))" => "{\"b\", \"a\"}\n"; keys),
        stored!("values" "(store Database) -> any", "The values, in order.";
            "println(db.values(s))" => "{\"x\", \"y\"}\n"; values, unknown, unchecked),
        stored!("entries" "(store Database) -> [Entry]", "Keys and values, in order.";
            "println(db.entries(s))" => "{{key: \"b\", value: \"x\"}, {key: \"a\", value: \"y\"}}\n";
            entries, unknown, unchecked),
        stored!("prefix" "(store Database, prefix string) -> [string]",
            "The keys that begin with the prefix.";
            "println(db.prefix(s, \"a\"))" => "{\"a\"}\n"; prefix),
        stored!("count" "(store Database) -> int", "The number of keys.";
            "println(db.count(s))" => "2\n"; count),
        stored!("clear" "(store Database)", "Removes all keys.";
            "db.clear(s)\nprintln(db.count(s))" => "0\n"; clear),
        stored!("exists" "(path string) -> bool", "Whether the store's file exists.";
            "println(db.exists(\"ez_example.ezdb\"))" => "true\n"; exists, unchecked),
        stored!("update_key_name" "(store Database, old string, new string) -> bool",
            "Renames a key; returns whether it existed.";
            "println(db.update_key_name(s, \"b\", \"c\"), db.keys(s))" => "true {\"a\", \"c\"}\n";
            update_key_name, unchecked),
        stored!("sort" "(store Database, order int)",
            "Sorts the keys in the order given by one of the constants.";
            "db.sort(s, db.ALPHA)\nprintln(db.keys(s))" => "{\"a\", \"b\"}\n"; sort, unchecked),
        constant!("db", "ALPHA", 0, "Order of sort: by key."),
        constant!("db", "ALPHA_DESC", 1, "Order of sort: by key, last first."),
        constant!("db", "VALUE_ALPHA", 2, "Order of sort: by value."),
        constant!("db", "VALUE_ALPHA_DESC", 3, "Order of sort: by value, last first."),
        constant!("db", "KEY_LEN", 4, "Order of sort: by length of the key."),
        constant!("db", "KEY_LEN_DESC", 5, "Order of sort: by length of the key, longest first."),
        constant!("db", "VALUE_LEN", 6, "Order of sort: by length of the value."),
        constant!("db", "VALUE_LEN_DESC", 7, "Order of sort: by length of the value, longest first."),
        constant!("db", "NUMERIC", 8, "Order of sort: by the number that the key shows."),
        constant!("db", "NUMERIC_DESC", 9, "Order of sort: by the number that the key shows, largest first."),
    ],
};

/// The kind of the handle, for type names and messages.
const KIND: HandleKind = HandleKind::Database;
