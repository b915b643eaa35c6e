//! `@maps`: working with maps.

use std::cell::Ref;

use crate::diagnostics::{Code, FROZEN_HELP};
use crate::value::{
    Change, Elems, Heap, Key, MapValue, ObjectCell, OrderedMap, Part, Refused, Type, Value, inspect,
    library_equal,
};

use super::args::{PART, STRING, TOO_LARGE, element_type, stored, type_of};
use super::offload::{elements, entries};
use super::row::function;
use super::{Call, Fail, Module};

const A_MAP: &str = "requires a map";
const FIRST: &str = "requires a map as first argument";
const MAPS: &str = "requires maps as arguments";
const HASHABLE: &str = "must be a hashable type (string, int, bool, char)";

pub static MODULE: Module = Module {
    name: "maps",
    doc: "Working with maps.",
    reserved_names: &["len", "copy"],
    outside: false,
    rows: &[
        function!("is_empty" "(m map[K:V]) -> bool", "Whether the map has no entries.";
        "maps.is_empty({\"a\": 1})" => "false";
        |call| {
            call.exactly(1, "")?;
            Ok(Value::Bool(call.map(0, A_MAP)?.borrow().entries.is_empty()))
        }),
        function!("contains" "(m map[K:V], key K) -> bool", "Whether the map has the key.";
        "maps.contains({\"a\": 1}, \"a\")" => "true";
        |call| {
            call.exactly(2, "(map, key)")?;
            let map = call.map(0, FIRST)?.borrow();
            let key = key(call, &map)?;
            Ok(Value::Bool(map.entries.contains(&key)))
        }),
        function!("contains_value" "(m map[K:V], value V) -> bool", "Whether the map has this value.";
        "maps.contains_value({\"a\": 1}, 2)" => "false";
        |call| {
            call.exactly(2, "(map, value)")?;
            let (map, wanted) = (call.map(0, FIRST)?.borrow(), call.arg(1));
            Ok(Value::Bool(map.entries.iter().any(|(_, v)| library_equal(v, &wanted))))
        }),
        function!("get" "(m map[K:V], key K, default V?) -> V",
            "The value of the key; if the key is missing, the default (or nil).";
            "maps.get({\"a\": 1}, \"a\"), maps.get({\"a\": 1}, \"b\", 0)" => "1 0"; get),
        function!("get_or_set" "(m map[K:V], key K, value V) -> V",
            "The value of the key; if the key is missing, stores the value and returns it.";
            { "temp m map[string:int] = {\"a\": 1}\nprintln(maps.get_or_set(m, \"b\", 5), m)" => "5 {\"a\": 1, \"b\": 5}\n" };
            get_or_set, changing),
        function!("set" "(m map[K:V], key K, value V)", "Sets the value of the key, in place.";
            { "temp m map[string:int] = {\"a\": 1}\nmaps.set(m, \"a\", 2)\nprintln(m)" => "{\"a\": 2}\n" };
            set, changing),
        function!("remove" "(m map[K:V], key K) -> bool",
            "Removes the key, in place; returns whether it existed.";
            { "temp m map[string:int] = {\"a\": 1}\nprintln(maps.remove(m, \"a\"), m)" => "true {}\n" };
            remove, changing),
        function!("clear" "(m map[K:V])", "Removes all entries, in place.";
            { "temp m map[string:int] = {\"a\": 1}\nmaps.clear(m)\nprintln(m)" => "{}\n" };
            |call| {
                call.exactly(1, "")?;
                let map = call.map(0, A_MAP)?;
                changeable(map)?;
                let old = std::mem::take(&mut edit(call, map, Part::All)?.entries);
                drop(old);
                Ok(Value::Nil)
            }, changing),
        function!("keys" "(m map[K:V]) -> [K]", "A new array of the keys, in order of insertion.";
        "maps.keys({\"a\": 1, \"b\": 2})" => "{\"a\", \"b\"}";
        |call| {
            call.exactly(1, "")?;
            let map = call.map(0, A_MAP)?.borrow();
            call.room(map.entries.len() as u64, PART, TOO_LARGE)?;
            let elem = element_type(call.result, || (*map.key).clone());
            Ok(listed(&elem, map.entries.iter().map(|(k, _)| k)))
        }),
        function!("values" "(m map[K:V]) -> [V]", "A new array of the values, in order of insertion.";
        "maps.values({\"a\": 1, \"b\": 2})" => "{1, 2}";
        |call| {
            call.exactly(1, "")?;
            let map = call.map(0, A_MAP)?.borrow();
            call.room(map.entries.len() as u64, PART, TOO_LARGE)?;
            let elem = element_type(call.result, || (*map.value).clone());
            Ok(listed(&elem, map.entries.iter().map(|(_, v)| v)))
        }),
        function!("merge" "(m map[K:V], other map[K:V], more map[K:V]...) -> map[K:V]",
            "A new map of the entries of all maps; later values replace earlier ones.";
            "maps.merge({\"a\": 1, \"b\": 2}, {\"b\": 3})" => "{\"a\": 1, \"b\": 3}"; merge),
        function!("update" "(m map[K:V], other map[K:V], more map[K:V]...)",
            "Sets the entries of the other maps in the first one, in place.";
            { "temp m map[string:int] = {\"a\": 1}\nmaps.update(m, {\"b\": 3})\nprintln(m)" => "{\"a\": 1, \"b\": 3}\n" };
            update, unreserved, changing),
        function!("equals" "(m map[K:V], other map[K:V]) -> bool",
            "Whether both maps have the same keys with equal values, in any order.";
            "maps.equals({\"a\": 1, \"b\": 2}, {\"b\": 2, \"a\": 1})" => "true"; equals, unreserved),
        function!("to_array" "(m map[K:V]) -> any", "A new array of arrays of key and value.";
            "maps.to_array({\"a\": 1})" => "{{\"a\", 1}}"; to_array),
        function!("from_array" "(pairs [T]) -> any", "A new map from arrays of key and value.";
            "maps.from_array({{\"a\", \"x\"}, {\"b\", \"y\"}})" => "{\"a\": \"x\", \"b\": \"y\"}";
            from_array, unreserved),
        function!("invert" "(m map[K:V]) -> map[V:K]", "A new map from values to keys.";
            "maps.invert({\"a\": 1})" => "{1: \"a\"}"; invert),
    ],
};

fn changeable(map: &ObjectCell<MapValue>) -> Result<(), Fail> {
    map.refuses(Part::All).map_or(Ok(()), |refused| Err(refusal(refused)))
}

/// A map, to be changed.
fn edit<'a>(
    call: &'a mut Call,
    map: &'a ObjectCell<MapValue>,
    part: Part,
) -> Result<Change<'a, MapValue>, Fail> {
    map.change(call.runtime.mutator(), part).map_err(refusal)
}

/// The error of changing a map that may not be changed.
fn refusal(refused: Refused) -> Fail {
    match refused {
        Refused::Frozen => {
            Fail::new(Code::E12002, "cannot modify immutable map (declared as const)").with_help(FROZEN_HELP)
        }
        Refused::Iterated | Refused::InUse => Fail::new(Code::E12002, "cannot modify map while it is in use"),
    }
}

/// The second argument converted to the map's key type; unchanged if that is not possible.
fn key(call: &Call, map: &Ref<'_, MapValue>) -> Result<Value, Fail> {
    let given = call.arg(1);
    if !Key::hashable(&given) {
        return call.wrong(Code::E12001, &format!("key {HASHABLE}"));
    }
    Ok(map.own_key(&given).unwrap_or(given))
}

/// The second argument as a key to be stored.
fn new_key(call: &Call, map: &ObjectCell<MapValue>) -> Result<Value, Fail> {
    let given = call.arg(1);
    if !Key::hashable(&given) {
        return call.wrong(Code::E12001, &format!("key {HASHABLE}"));
    }
    stored(&map.borrow().key.clone(), &given)
}

/// An array of keys or values of a map.
fn listed<'a>(elem: &Type, values: impl Iterator<Item = &'a Value>) -> Value {
    match Elems::for_type(elem) {
        Elems::Values(_) => Value::array_of(elem, Elems::Values(values.cloned().collect())),
        _ => Value::array(elem, values.cloned()),
    }
}

fn get(call: &mut Call) -> Result<Value, Fail> {
    call.count(2..=3, "takes 2 or 3 arguments (map, key[, default])")?;
    let map = call.map(0, FIRST)?.borrow();
    let key = key(call, &map)?;
    match (map.entries.get(&key), call.args.get(2)) {
        (Some(found), _) => Ok(found.clone()),
        (None, Some(_)) => stored(&map.value, &call.arg(2)),
        (None, None) => Ok(Value::Nil),
    }
}

fn get_or_set(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(3, "(map, key, default)")?;
    let map = call.map(0, FIRST)?;
    let found = {
        let map = map.borrow();
        map.entries.get(&key(call, &map)?).cloned()
    };
    if let Some(found) = found {
        return Ok(found);
    }
    changeable(map)?;
    let key = new_key(call, map)?;
    let value = stored(&map.borrow().value.clone(), &call.arg(2))?;
    edit(call, map, Part::All)?.entries.insert(key, value.clone());
    Ok(value)
}

fn set(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(3, "(map, key, value)")?;
    let map = call.map(0, FIRST)?;
    changeable(map)?;
    let key = new_key(call, map)?;
    let value_type = map.borrow().value.clone();
    let value = stored(&value_type, &call.arg(2))?;
    let old = edit(call, map, Part::All)?.entries.insert(key, value);
    drop(old);
    Ok(Value::Nil)
}

fn remove(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(2, "(map, key)")?;
    let map = call.map(0, FIRST)?;
    changeable(map)?;
    let key = key(call, &map.borrow())?;
    let old = edit(call, map, Part::All)?.entries.remove(&key);
    Ok(Value::Bool(old.is_some()))
}

/// Copies the entries of all map arguments but the first into `into`.
fn set_all(call: &mut Call, key: &Type, value: &Type, into: &mut OrderedMap) -> Result<(), Fail> {
    for index in 1..call.args.len() {
        let map = call.map(index, MAPS)?;
        let (entries, mut rounds) = entries(call.runtime, map);
        for (k, v) in entries.iter() {
            rounds.next(call.runtime)?;
            into.insert(stored(key, k)?, stored(value, v)?);
        }
    }
    Ok(())
}

/// Fails unless all arguments are maps and memory has room for a copy of all their entries.
fn all_maps(call: &Call) -> Result<(), Fail> {
    call.count(2..=usize::MAX, "takes at least 2 arguments")?;
    let mut count = 0;
    for i in 0..call.args.len() {
        count += call.map(i, MAPS)?.borrow().entries.len() as u64;
    }
    call.room(count, STRING, TOO_LARGE)
}

fn merge(call: &mut Call) -> Result<Value, Fail> {
    all_maps(call)?;
    let first = call.map(0, MAPS)?.borrow();
    let (key, value) = match call.result {
        Type::Map(key, value) if first.key.is_any() => (key.clone(), value.clone()),
        _ => (first.key.clone(), first.value.clone()),
    };
    let mut entries = (*first.entries).clone();
    drop(first);
    set_all(call, &key, &value, &mut entries)?;
    Ok(Value::map(&key, &value, entries))
}

fn update(call: &mut Call) -> Result<Value, Fail> {
    all_maps(call)?;
    let map = call.map(0, MAPS)?;
    changeable(map)?;
    // Another argument may be the same map, so the result is built separately.
    let (key, value) = {
        let map = map.borrow();
        (map.key.clone(), map.value.clone())
    };
    let mut news = OrderedMap::new();
    set_all(call, &key, &value, &mut news)?;
    let mut old = Vec::new();
    let mut map = edit(call, map, Part::All)?;
    for (k, v) in news.iter() {
        old.extend(map.entries.insert(k.clone(), v.clone()));
    }
    // Dropped when the map is no longer in use.
    drop(map);
    drop(old);
    Ok(Value::Nil)
}

fn equals(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(2, "")?;
    let text = "requires two maps";
    let (a, b) = (call.map(0, text)?, call.map(1, text)?);
    let (a, _) = entries(call.runtime, a);
    let (b, mut rounds) = entries(call.runtime, b);
    if a.len() != b.len() {
        return Ok(Value::Bool(false));
    }
    for (key, value) in a.iter() {
        rounds.next(call.runtime)?;
        if !b.get(key).is_some_and(|other| library_equal(value, other)) {
            return Ok(Value::Bool(false));
        }
    }
    Ok(Value::Bool(true))
}

fn to_array(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(1, "")?;
    let map = call.map(0, A_MAP)?;
    let (map, mut rounds) = entries(call.runtime, map);
    // Each pair is an array.
    call.room(map.len() as u64, 2 * STRING, TOO_LARGE)?;
    let mut pairs = Vec::with_capacity(map.len());
    for (key, value) in map.iter() {
        rounds.next(call.runtime)?;
        pairs.push(Value::array(&Type::Any, [key.clone(), value.clone()]));
    }
    Ok(Value::array_of(&Type::array(Type::Any), Elems::Values(pairs)))
}

/// The type of all values; `Any` if they differ.
fn common_type<'a>(mut values: impl Iterator<Item = &'a Value>) -> Type {
    let first = values.next().map_or(Type::Any, type_of);
    if values.all(|v| type_of(v) == first) { first } else { Type::Any }
}

fn from_array(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(1, "")?;
    let Some(array) = call.args.first().and_then(Value::as_array) else {
        return call.wrong(Code::E7007, "requires an array");
    };
    let (array, mut rounds) = elements(call.runtime, array);
    call.room(array.len() as u64, STRING, TOO_LARGE)?;
    let mut entries = OrderedMap::new();
    for (index, item) in array.iter().enumerate() {
        rounds.next(call.runtime)?;
        let pair = item.as_array().map(|pair| {
            let pair = pair.borrow();
            (pair.data.len(), pair.data.get(0), pair.data.get(1))
        });
        let Some((2, Some(key), Some(value))) = pair else {
            return call.wrong(Code::E12004, &format!("element {index} must be a [key, value] pair"));
        };
        let key = key.follow();
        if !Key::hashable(&key) {
            return call.wrong(Code::E12001, &format!("key at index {index} {HASHABLE}"));
        }
        entries.insert(key, value);
    }
    let (key, value) = (common_type(entries.iter().map(|e| e.0)), common_type(entries.iter().map(|e| e.1)));
    Ok(Value::map(&key, &value, entries))
}

fn invert(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(1, "")?;
    let cell = call.map(0, A_MAP)?;
    let (map, mut rounds) = entries(call.runtime, cell);
    call.room(map.len() as u64, STRING, TOO_LARGE)?;
    let mut entries = OrderedMap::new();
    for (key, value) in map.iter() {
        rounds.next(call.runtime)?;
        let value = match value {
            Value::Ref(r) if matches!(**r, Heap::Reference(_) | Heap::Scalar(_)) => value.follow(),
            _ => value.clone(),
        };
        if !Key::hashable(&value) {
            let text = format!("value {} is not hashable and cannot become a key", inspect(&value));
            return call.wrong(Code::E12005, &text);
        }
        entries.insert(value, key.clone());
    }
    let map = cell.borrow();
    Ok(Value::map(&map.value, &map.key, entries))
}
