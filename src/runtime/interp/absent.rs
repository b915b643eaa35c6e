//! Reports about parts that are not there: which key, which index, and what to do.

use crate::diagnostics::Code;
use crate::source::Span;
use crate::value::{Heap, MapValue, Value, char_text, inspect_short};

use super::vm::{Stop, Vm, Wide};

/// Number of keys that are listed.
const LISTED: usize = 20;

/// A key or index as the program writes it; `…` stands for what is left out of a long one.
fn written(key: &Value) -> String {
    match key.follow() {
        Value::Char(c) => char_text(c),
        key => inspect_short(&key),
    }
}

/// Help about an entry that there is not.
pub fn entry_help(key: &Value, advice: &str) -> String {
    format!("the map has no entry with the key {}: {advice}", written(key))
}

/// Help for an operation that changes the value of an entry.
fn change_help(key: &Value) -> Option<String> {
    Some(entry_help(key, "store one with '=' first; maps.contains says whether there is one"))
}

/// Error E12003 of `map[key] op= value`.
#[cold]
pub fn compound_error<X>(vm: &mut Vm, key: &Value, at: Span) -> Result<X, Stop> {
    vm.fail_with_help(Code::E12003, "key not found in map for compound assignment", change_help(key), at)
}

/// Error E12001 of `map[key]++`.
#[cold]
pub fn step_entry_error<X>(vm: &mut Vm, key: &Value, at: Span) -> Result<X, Wide> {
    Ok(vm.fail_with_help(Code::E12001Missing, "key not found in map", change_help(key), at)?)
}

/// Error E9001 of `array[index]++`.
#[cold]
pub fn step_element_error<X>(vm: &mut Vm, array: &Heap, index: &Value, at: Span) -> Result<X, Wide> {
    let last = match array {
        Heap::Array(array) => array.borrow().data.len().checked_sub(1),
        _ => None,
    };
    let help = last.map_or("the array is empty".into(), |last| format!("valid range is 0-{last}"));
    let message = format!("index out of bounds: {}", inspect_short(index));
    Ok(vm.fail_with_help(Code::E9001, message, Some(help), at)?)
}

/// Error E12003 of reading `map[key]`.
#[cold]
pub fn key_error<X>(vm: &mut Vm, map: &MapValue, key: &Value, at: Span) -> Result<X, Stop> {
    let mut message = format!("key {} not found in map", inspect_short(key));
    let keys: Vec<String> = map.entries.iter().take(LISTED).map(|(key, _)| inspect_short(key)).collect();
    if !keys.is_empty() {
        let more = if map.entries.len() > LISTED { " …" } else { "" };
        message.push_str(&format!("\n\nAvailable keys: [{}{more}]", keys.join(" ")));
    }
    let help = "ask whether there is one with maps.contains before reading it";
    vm.fail_with_help(Code::E12003, message, Some(help.into()), at)
}
