//! Values with their parts, to be laid out by front ends.

use crate::api::{RichValue, ValueTree};
use ez_runtime::text::slice;
use ez_runtime::value::{Heap, Ref, Value, inspect_within};

use crate::debug::inspect::handles::part_values;
use crate::debug::inspect::leading_digits::leading_digits;

/// The text of a value and the tree of its parts. Both are limited: a value may be larger than the memory that its text
/// would take.
pub fn rich_value(value: &Value) -> RichValue {
    let mut builder = Builder { left: ValueTree::NODES, path: Vec::new() };
    RichValue { text: limited(value, RichValue::TEXT), tree: builder.tree(value) }
}

/// The text of a value of at most about this many bytes.
fn limited(value: &Value, most: usize) -> String {
    if let Value::Ref(object) = value
        && let Heap::Big(number) = &**object
    {
        let digits = leading_digits(number, most);
        return digits.text.to_string() + if digits.cut { "…" } else { "" };
    }
    inspect_within(value, most)
}

struct Builder {
    /// Number of values that may still be added.
    left: usize,
    /// The containers that enclose the value.
    path: Vec<*const Heap>,
}

impl Builder {
    fn tree(&mut self, value: &Value) -> ValueTree {
        self.left = self.left.saturating_sub(1);
        let value = value.follow();
        let Value::Ref(object) = &value else { return text(&value) };
        let address: *const Heap = &**object;
        if self.left == 0 || self.path.contains(&address) {
            return short(&value);
        }
        self.path.push(address);
        let tree = self.container(object).unwrap_or_else(|| text(&value));
        self.path.pop();
        tree
    }

    /// The tree of a value with parts; `None` if it can have none.
    fn container(&mut self, object: &Ref) -> Option<ValueTree> {
        let (parts, total) = part_values(object, ValueTree::PARTS)?;
        let mut trees = Vec::new();
        for (name, value) in parts {
            if self.left == 0 {
                break;
            }
            trees.push((name, self.tree(&value)));
        }
        Some(match &**object {
            Heap::Array(array) => {
                let items = trees.into_iter().map(|(_, tree)| tree).collect();
                ValueTree::List { kind: format!("[{}]", array.borrow().elem), items, total }
            }
            Heap::Map(map) => {
                let map = map.borrow();
                ValueTree::Map { kind: format!("map[{}:{}]", map.key, map.value), entries: trees, total }
            }
            Heap::Struct(object) => ValueTree::Struct { name: object.def.name.to_string(), fields: trees },
            _ => return None,
        })
    }
}

fn text(value: &Value) -> ValueTree {
    ValueTree::Text(cut(limited(value, 4 * ValueTree::TEXT)))
}

/// A value whose parts are not included.
fn short(value: &Value) -> ValueTree {
    match value {
        Value::Ref(object) if part_values(object, 0).is_some() => ValueTree::Text("...".into()),
        value => text(value),
    }
}

fn cut(text: String) -> String {
    match text.char_indices().nth(ValueTree::TEXT) {
        Some((end, _)) => slice(&text, ..end).to_string() + "...",
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ez_runtime::value::Type;

    #[test]
    fn the_first_parts_are_included_and_all_are_counted() {
        let array = Value::array(&Type::INT, (0..1000).map(Value::Int));
        let ValueTree::List { kind, items, total } = rich_value(&array).tree else { panic!("an array") };
        assert_eq!((kind.as_str(), items.len(), total), ("[int]", ValueTree::PARTS, 1000));
        assert_eq!(items[1], ValueTree::Text("1".into()));
    }

    #[test]
    fn many_parts_of_parts_are_cut() {
        let row = || Value::array(&Type::INT, (0..100).map(Value::Int));
        let table = Value::array(&Type::array(Type::INT), (0..100).map(|_| row()));
        let ValueTree::List { items, .. } = rich_value(&table).tree else { panic!("an array") };
        assert!(items.len() < ValueTree::PARTS, "{}", items.len());
        let long = ValueTree::Text("x".into());
        assert_ne!(text(&Value::str("x".repeat(5_000))), long);
    }
}
