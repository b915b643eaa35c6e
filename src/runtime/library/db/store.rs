//! The store and the functions on it.

use std::cell::{RefCell, RefMut};
use std::cmp::Reverse;

use crate::diagnostics::Code;
use crate::library::args::{good, string_array, work};
use crate::library::arrays::float_rank;
use crate::library::json::{dynamic, encode};
use crate::library::outside::{ask_patiently, is_directory, status};
use crate::library::{Call, Fail};
use crate::text::text_from;
use crate::value::{
    Handle, Heap, HostRequest, Job, JobResult, OrderedMap, SystemError, Type, Value, builtin, parse_float,
};

use super::KIND;

/// The data of a `Database` value.
struct Store {
    path: String,
    entries: OrderedMap,
    closed: bool,
}

fn path_of<'a>(call: &Call<'a>) -> Result<&'a str, Fail> {
    call.exactly(1, "")?;
    let path = call.text(0, "requires a string path")?;
    if path.is_empty() || path.contains('\0') {
        return call.wrong(Code::E17001, "requires valid path");
    }
    if !path.ends_with(".ezdb") {
        return call.wrong(Code::E17001, "requires a `.ezdb` file");
    }
    Ok(path)
}

pub fn open(call: &mut Call) -> Result<Value, Fail> {
    let path = path_of(call)?;
    if is_directory(call, path) {
        return call.wrong(Code::E17002, "cannot read directory as file");
    }
    let entries = if status(call, path, true).is_ok() {
        load(call, path)?
    } else {
        if let Err(error) = write(call, path, "{}")? {
            return because(call, Code::E17001, "failed to open database file", error);
        }
        OrderedMap::new()
    };
    good(Value::from(Heap::Handle(Box::new(Handle {
        kind: KIND,
        preview: RefCell::new(format!("<Database {path}>")),
        state: RefCell::new(Box::new(Store { path: path.into(), entries, closed: false })),
    }))))
}

fn load(call: &mut Call, path: &str) -> Result<OrderedMap, Fail> {
    let bytes = match work(call.runtime, Job::ReadFile(path.into()))? {
        JobResult::Bytes(Ok(bytes)) => bytes,
        JobResult::Bytes(Err(error)) => {
            return because(call, Code::E17002, "could not read database file", error);
        }
        _ => return call.wrong(Code::E17002, "could not read database file"),
    };
    let text = text_from(bytes);
    if text.is_empty() {
        return Ok(OrderedMap::new());
    }
    let value = match dynamic(call, &text)? {
        Ok(value) => value,
        Err(_) => return call.wrong(Code::E17004, "database file is corrupted"),
    };
    if value.as_array().is_some() {
        return call.wrong(Code::E17004, "database file must contain a JSON object, not an array");
    }
    match value.as_map() {
        Some(map) => Ok((*map.borrow().entries).clone()),
        None => call.wrong(Code::E17004, "database file is corrupted"),
    }
}

/// A run-time error with the message of the system.
fn because<T>(call: &Call, code: Code, text: &str, error: SystemError) -> Result<T, Fail> {
    call.wrong(code, text).map_err(|fail| fail.with_help(error.reason))
}

/// Replaces the file's contents.
fn write(call: &mut Call, path: &str, text: &str) -> Result<Result<(), SystemError>, Fail> {
    let data = text.as_bytes().to_vec();
    let request = HostRequest::WriteFile { path: path.into(), data, mode: 0o644, atomic: true };
    Ok(ask_patiently(call, request)?.map(|_| ()))
}

/// The first argument as an open store; checks that there are `count` arguments.
fn store<'a>(call: &Call<'a>, count: usize) -> Result<(&'a Handle, RefMut<'a, Store>), Fail> {
    call.exactly(count, "")?;
    if let Some(Heap::Handle(handle)) = call.args.first().and_then(Value::as_ref).map(|r| &**r)
        && let Ok(store) =
            RefMut::filter_map(handle.state.borrow_mut(), |state| state.downcast_mut::<Store>())
    {
        if store.closed {
            return call.wrong(Code::E17005, "cannot operate on closed database");
        }
        return Ok((handle, store));
    }
    call.wrong(Code::E7001, "requires a Database object as first argument")
}

/// The string argument at `index`.
fn text<'a>(call: &Call<'a>, index: usize) -> Result<&'a str, Fail> {
    match call.args.get(index).and_then(Value::as_str) {
        Some(text) => Ok(text),
        None => {
            let place = if index == 1 { "second" } else { "third" };
            call.wrong(Code::E7001, &format!("requires a string as {place} argument"))
        }
    }
}

/// Writes the store to its file.
fn keep(call: &mut Call, path: &str, entries: OrderedMap) -> Result<(), Fail> {
    let value = Value::map(&Type::Str, &Type::Any, entries);
    let text = "failed to write to database";
    let Ok(json) = encode(call.runtime, &value, None)? else { return call.wrong(Code::E17003, text) };
    match write(call, path, &json)? {
        Ok(()) => Ok(()),
        Err(error) => because(call, Code::E17003, text, error),
    }
}

pub fn save(call: &mut Call) -> Result<Value, Fail> {
    let (path, entries) = {
        let (_, store) = store(call, 1)?;
        (store.path.clone(), store.entries.clone())
    };
    keep(call, &path, entries)?;
    Ok(Value::Nil)
}

pub fn close(call: &mut Call) -> Result<Value, Fail> {
    save(call)?;
    let (handle, mut store) = store(call, 1)?;
    store.closed = true;
    *handle.preview.borrow_mut() = format!("<Database(closed) {}>", store.path);
    Ok(Value::Nil)
}

pub fn set(call: &mut Call) -> Result<Value, Fail> {
    let (_, mut store) = store(call, 3)?;
    let (key, value) = (text(call, 1)?, text(call, 2)?);
    store.entries.insert(Value::str(key), Value::str(value));
    Ok(Value::Nil)
}

/// The string of a value; an error if the file had another kind of value there.
fn value_text(call: &Call, key: &Value, value: &Value) -> Result<String, Fail> {
    match value.as_str() {
        Some(text) => Ok(text.into()),
        None => {
            let key = key.as_str().unwrap_or_default();
            call.wrong(Code::E17004, &format!("value of key '{key}' is not a string"))
        }
    }
}

pub fn get(call: &mut Call) -> Result<Value, Fail> {
    let (_, store) = store(call, 2)?;
    let key = Value::str(text(call, 1)?);
    match store.entries.get(&key) {
        Some(value) => {
            let text = value_text(call, &key, value)?;
            Ok(Value::tuple([Value::str(text), Value::Bool(true)]))
        }
        None => Ok(Value::tuple([Value::str(""), Value::Bool(false)])),
    }
}

pub fn remove(call: &mut Call) -> Result<Value, Fail> {
    let (_, mut store) = store(call, 2)?;
    let key = Value::str(text(call, 1)?);
    Ok(Value::Bool(store.entries.remove(&key).is_some()))
}

pub fn contains(call: &mut Call) -> Result<Value, Fail> {
    let (_, store) = store(call, 2)?;
    Ok(Value::Bool(store.entries.contains(&Value::str(text(call, 1)?))))
}

pub fn keys(call: &mut Call) -> Result<Value, Fail> {
    let (_, store) = store(call, 1)?;
    Ok(Value::array(&Type::Str, store.entries.iter().map(|(key, _)| key.clone())))
}

pub fn values(call: &mut Call) -> Result<Value, Fail> {
    let (_, store) = store(call, 1)?;
    Ok(Value::array(&Type::Any, store.entries.iter().map(|(_, value)| value.clone())))
}

pub fn entries(call: &mut Call) -> Result<Value, Fail> {
    let (_, store) = store(call, 1)?;
    let entry = builtin::builtins().entry.clone();
    let pairs = store.entries.iter().map(|(k, v)| Value::structure(&entry, [k.clone(), v.clone()]));
    Ok(Value::array(&Type::Struct(entry.clone()), pairs))
}

pub fn prefix(call: &mut Call) -> Result<Value, Fail> {
    let (_, store) = store(call, 2)?;
    let prefix = text(call, 1)?;
    let keys = store.entries.iter().filter_map(|(key, _)| key.as_str());
    Ok(string_array(keys.filter(|key| key.starts_with(prefix))))
}

pub fn count(call: &mut Call) -> Result<Value, Fail> {
    let (_, store) = store(call, 1)?;
    Ok(Value::Int(store.entries.len() as i64))
}

pub fn clear(call: &mut Call) -> Result<Value, Fail> {
    store(call, 1)?.1.entries.clear();
    Ok(Value::Nil)
}

pub fn exists(call: &mut Call) -> Result<Value, Fail> {
    let path = path_of(call)?;
    Ok(Value::Bool(status(call, path, true).is_ok()))
}

pub fn update_key_name(call: &mut Call) -> Result<Value, Fail> {
    let (_, mut store) = store(call, 3)?;
    let (old, new) = (text(call, 1)?, text(call, 2)?);
    let moved = store.entries.remove(&Value::str(old));
    Ok(Value::Bool(match moved {
        Some(value) => {
            store.entries.insert(Value::str(new), value);
            true
        }
        None => false,
    }))
}

pub fn sort(call: &mut Call) -> Result<Value, Fail> {
    let (_, mut store) = store(call, 2)?;
    let Some(Value::Int(order)) = call.args.get(1) else {
        let text = "requires a sort order constant as second argument (e.g., db.ALPHA)";
        return call.wrong(Code::E7001, text);
    };
    if !(0..=9).contains(order) {
        return call.wrong(Code::E7003, "invalid order constant");
    }
    let by_value = matches!(order, 2 | 3 | 6 | 7);
    // Key, value, and the text of the value for comparisons.
    let mut all = Vec::with_capacity(store.entries.len());
    for (key, value) in store.entries.iter() {
        let text = if by_value { value_text(call, key, value)? } else { String::new() };
        all.push((key.clone(), value.clone(), text));
    }
    let key = |entry: &(Value, Value, String)| entry.0.as_str().unwrap_or_default().to_string();
    let rank = |entry: &(Value, Value, String)| {
        let text = if by_value { entry.2.clone() } else { key(entry) };
        match order / 2 {
            2 | 3 => Rank::Length(text.len()),
            4 => Rank::of_number(text),
            _ => Rank::Text(text),
        }
    };
    // Both orders keep entries of the same rank as they are.
    if order % 2 == 1 {
        all.sort_by_cached_key(|entry| Reverse(rank(entry)));
    } else {
        all.sort_by_cached_key(rank);
    }
    store.entries = all.into_iter().map(|(key, value, _)| (key, value)).collect();
    Ok(Value::Nil)
}

/// What entries are sorted by.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Length(usize),
    /// A number, as [`float_rank`] orders it. Numbers come before other texts.
    Number(i64),
    Text(String),
}

impl Rank {
    /// By number if the text is one, else by text.
    fn of_number(text: String) -> Rank {
        parse_float(&text).map_or(Rank::Text(text), |number| Rank::Number(float_rank(number)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::testing::{call, text};
    use crate::value::display;

    #[test]
    fn stores_come_back() {
        let path = std::env::temp_dir().join(format!("ez_test_{}.ezdb", std::process::id()));
        let path = Value::str(path.to_string_lossy());
        let open = || match call("db.open", std::slice::from_ref(&path)).expect("opens") {
            Value::Ref(r) => match &*r {
                Heap::Tuple(parts) => parts.first().cloned().unwrap_or_default(),
                _ => Value::Nil,
            },
            _ => Value::Nil,
        };
        let s = open();
        for (key, value) in [("10", "b"), ("9", "a"), ("x", "c")] {
            call("db.set", &[s.clone(), Value::str(key), Value::str(value)]).expect("sets");
        }
        for (order, wanted) in
            [(0, "{\"10\", \"9\", \"x\"}"), (8, "{\"9\", \"10\", \"x\"}"), (3, "{\"x\", \"10\", \"9\"}")]
        {
            call("db.sort", &[s.clone(), Value::Int(order)]).expect("sorts");
            assert_eq!(text("db.keys", std::slice::from_ref(&s)), wanted);
        }
        assert_eq!(text("db.update_key_name", &[s.clone(), Value::str("x"), Value::str("9")]), "true");
        call("db.close", std::slice::from_ref(&s)).expect("closes");
        assert!(display(&s).starts_with("<Database(closed) "));
        assert_eq!(text("db.count", &[s]), "E17005 db.count() cannot operate on closed database");
        assert_eq!(
            text("db.entries", &[open()]),
            "{{key: \"10\", value: \"b\"}, {key: \"9\", value: \"c\"}}"
        );
        let _ = std::fs::remove_file(path.as_str().expect("path"));
    }

    #[test]
    fn numbers_come_before_texts_in_an_order_without_contradictions() {
        let texts = ["10", "1a", "9", "nan", "-0", "0", "", "1e400", "-inf", "x"];
        let mut ranked: Vec<&str> = texts.into_iter().cycle().take(3000).collect();
        ranked.sort_by_cached_key(|text| Rank::of_number(text.to_string()));
        ranked.dedup();
        let zeros = ranked.iter().filter(|text| text.ends_with('0') && **text != "10").count();
        ranked.retain(|text| !["0", "-0"].contains(text));
        assert!(zeros > 2, "equal numbers keep their order");
        // 1e400 is no float.
        assert_eq!(ranked, ["-inf", "9", "10", "nan", "", "1a", "1e400", "x"]);
    }
}
