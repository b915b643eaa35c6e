use proptest::prelude::*;

use super::*;

/// Keys that meet in few cells, and those that are equal but not the same object.
fn key(number: i64) -> Value {
    match number % 3 {
        0 => Value::Int(number * 64),
        1 => Value::str(format!("{}", number / 8)),
        _ => Value::Char(char::from(b'a' + number as u8 % 26)),
    }
}

proptest! {
    #[test]
    fn entries_are_those_of_a_list(steps in prop::collection::vec((0..40_i64, 0..3_u8), 0..400)) {
        let (mut map, mut list) = (OrderedMap::new(), Vec::<(Value, i64)>::new());
        for (step, (number, what)) in (0..).zip(steps) {
            let key = key(number);
            let at = list.iter().position(|(known, _)| Key::same(known, &key));
            prop_assert_eq!(map.get(&key).is_some(), at.is_some());
            if what == 0 {
                let removed = at.map(|at| list.remove(at).1);
                let value = map.remove(&key);
                prop_assert_eq!(removed, value.and_then(|value| match value { Value::Int(x) => Some(x), _ => None }));
            } else {
                map.insert(key.clone(), Value::Int(step));
                match at {
                    Some(at) => list[at].1 = step,
                    None => list.push((key, step)),
                }
            }
            prop_assert_eq!((map.len(), map.iter().count()), (list.len(), list.len()));
            for ((k, v), (known, x)) in map.iter().zip(&list) {
                prop_assert!(Key::same(k, known) && matches!(v, Value::Int(y) if y == x));
            }
        }
    }
}

#[test]
fn an_entry_that_comes_and_goes_takes_no_more_room() {
    let mut map = OrderedMap::new();
    map.insert(Value::Int(1), Value::Nil);
    let bytes = map.bytes();
    for _ in 0..1_000 {
        map.insert(Value::Int(2), Value::Nil);
        assert!(map.remove(&Value::Int(2)).is_some());
    }
    assert_eq!((map.bytes(), map.len()), (bytes, 1));
}

#[test]
fn keeps_order_through_removals() {
    let mut map = OrderedMap::new();
    for i in 0..100 {
        map.insert(Value::Int(i), Value::Int(i * 2));
    }
    for i in 0..90 {
        assert!(map.remove(&Value::Int(i)).is_some());
    }
    map.insert(Value::Int(5), Value::Nil);
    let keys: Vec<String> = map.iter().map(|(k, _)| format!("{k:?}")).collect();
    assert_eq!(keys.len(), 11);
    assert_eq!(keys.last().map(String::as_str), Some("Int(5)"));
    assert!(map.get(&Value::Int(95)).is_some());
    assert!(map.get(&Value::Byte(95)).is_none());
}
