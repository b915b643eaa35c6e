//! `@arrays`: working with arrays.

use std::ops::{Deref, DerefMut};

use crate::diagnostics::{Code, FROZEN_HELP};
use crate::value::{Array, Change, Elems, ObjectCell, Part, Refused};

use super::row::function;
use super::{Call, Fail, Module};

/// Runs the same code on the element vector, which can be changed, whatever its representation.
macro_rules! with_elems {
    ($data:expr, $v:ident => $body:expr) => {{
        let data: &mut Elems = $data;
        data.settle();
        match data {
            Elems::Ints($v) => $body,
            Elems::Scalars(_, $v) => $body,
            Elems::Enums(enums) => {
                let $v = &mut enums.0;
                $body
            }
            Elems::Bytes($v) => $body,
            Elems::Floats($v) => $body,
            Elems::Singles($v) => $body,
            Elems::Bools($v) => $body,
            Elems::Values($v) => $body,
            Elems::Queue(_) => unreachable!("settled above"),
        }
    }};
}

/// Makes a new element vector of the same representation from a slice with the elements.
macro_rules! map_elems {
    ($data:expr, $v:ident => $body:expr) => {{
        let (data, front) = $data.parts();
        macro_rules! body {
            ($all:expr) => {{
                let $v = $all.get(front..).unwrap_or_default();
                $body
            }};
        }
        match data {
            Elems::Ints(all) => Elems::Ints(body!(all)),
            Elems::Scalars(kind, all) => Elems::Scalars(*kind, body!(all)),
            Elems::Enums(all) => Elems::Enums(Box::new((body!(&all.0), all.1.clone()))),
            Elems::Bytes(all) => Elems::Bytes(body!(all)),
            Elems::Floats(all) => Elems::Floats(body!(all)),
            Elems::Singles(all) => Elems::Singles(body!(all)),
            Elems::Bools(all) => Elems::Bools(body!(all)),
            Elems::Values(all) => Elems::Values(body!(all)),
            Elems::Queue(_) => unreachable!("its storage is none"),
        }
    }};
}

mod edit;
mod make;
mod numeric;
mod order;
mod search;

pub(super) use map_elems;

pub(super) use make::{join, same_kind, slice_bounds};
pub(super) use order::{float_rank, shuffle_elems};

const AN_ARRAY: &str = "requires an array";
const FIRST: &str = "requires an array as first argument";
const INDEX: &str = "requires an integer index";

/// The array argument of an in-place function; an error if it is constant or being iterated.
fn editable<'a>(call: &Call<'a>, text: &str) -> Result<&'a ObjectCell<Array>, Fail> {
    let cell = call.array(0, text)?;
    cell.refuses(Part::All).map_or(Ok(cell), |refused| Err(refusal(call.name, refused)))
}

/// The elements of an array that is being changed.
struct Edit<'a>(Change<'a, Array>);

impl Deref for Edit<'_> {
    type Target = Elems;

    fn deref(&self) -> &Elems {
        &self.0.data
    }
}

impl DerefMut for Edit<'_> {
    fn deref_mut(&mut self) -> &mut Elems {
        &mut self.0.data
    }
}

/// The elements of an array, to be changed.
fn edit<'a>(call: &'a mut Call, cell: &'a ObjectCell<Array>, part: Part) -> Result<Edit<'a>, Fail> {
    let name = call.name;
    cell.change(call.runtime.mutator(), part).map(Edit).map_err(|refused| refusal(name, refused))
}

/// The error of changing an array that may not be changed.
fn refusal(function: &str, refused: Refused) -> Fail {
    let when = match refused {
        Refused::Frozen => {
            let why = "cannot modify immutable array (declared as const)";
            return Fail::new(Code::E5007, why).with_help(FROZEN_HELP);
        }
        Refused::Iterated => "during for_each iteration",
        Refused::InUse => "while it is in use",
    };
    Fail::new(Code::E9006, format!("arrays.{function}() cannot modify array {when}"))
}

pub static MODULE: Module = Module {
    name: "arrays",
    doc: "Working with arrays.",
    reserved_names: &["len", "copy", "remove", "range"],
    outside: false,
    rows: &[
        function!("is_empty" "(a [T]) -> bool", "Whether the array has no elements.";
            "arrays.is_empty({1})" => "false"; search::is_empty),
        function!("append" "(a [T], value T, more T...)", "Adds the values at the end, in place.";
            { "temp a [int] = {1}\narrays.append(a, 2, 3)\nprintln(a)" => "{1, 2, 3}\n" };
            edit::append, changing),
        function!("unshift" "(a [T], value T, more T...)",
            "Adds the values at the beginning, in place, keeping their order.";
            { "temp a [int] = {4}\narrays.unshift(a, 1, 2)\nprintln(a)" => "{1, 2, 4}\n" };
            edit::unshift, changing),
        function!("insert" "(a [T], index int, value T)", "Inserts the value before the index, in place.";
            { "temp a [string] = {\"a\", \"c\"}\narrays.insert(a, 1, \"b\")\nprintln(a)" => "{\"a\", \"b\", \"c\"}\n" };
            edit::insert, changing),
        function!("pop" "(a [T]) -> T",
            "Removes the last element, in place, and returns it; an error if there is none.";
            { "temp a [int] = {1, 2}\nprintln(arrays.pop(a), a)" => "2 {1}\n" }; edit::pop, changing),
        function!("shift" "(a [T]) -> T",
            "Removes the first element, in place, and returns it; an error if there is none.";
            { "temp a [int] = {1, 2}\nprintln(arrays.shift(a), a)" => "1 {2}\n" }; edit::shift, changing),
        function!("remove_at" "(a [T], index int)", "Removes the element at the index, in place.";
            { "temp a [int] = {5, 6, 7}\narrays.remove_at(a, 1)\nprintln(a)" => "{5, 7}\n" };
            edit::remove_at, changing),
        function!("remove_value" "(a [T], value T)",
            "Removes the first element equal to the value, in place.";
            { "temp a [int] = {5, 6, 5}\narrays.remove_value(a, 5)\nprintln(a)" => "{6, 5}\n" };
            edit::remove_value, changing, unknown, unchecked),
        function!("remove_all" "(a [T], value T)", "Removes all elements equal to the value, in place.";
            { "temp a [int] = {5, 6, 5}\narrays.remove_all(a, 5)\nprintln(a)" => "{6}\n" };
            edit::remove_all, changing),
        function!("clear" "(a [T])", "Removes all elements, in place.";
            { "temp a [int] = {1, 2}\narrays.clear(a)\nprintln(a)" => "{}\n" }; edit::clear, changing),
        function!("get" "(a [T], index int) -> T",
            "The element at the index, counted from 0; an error if there is none.";
            "arrays.get({5, 6}, 1)" => "6"; search::get),
        function!("set" "(a [T], index int, value T)", "Replaces the element at the index, in place.";
            { "temp a [int] = {1, 2}\narrays.set(a, 0, 9)\nprintln(a)" => "{9, 2}\n" }; edit::set, changing),
        function!("first" "(a [T]) -> T", "The first element; nil if there is none.";
            "arrays.first({5, 6})" => "5"; search::first),
        function!("last" "(a [T]) -> T", "The last element; nil if there is none.";
            "arrays.last({5, 6})" => "6"; search::last),
        function!("slice" "(a [T], start int, end int?) -> [T]",
            "A new array of the elements from start up to, not including, end; negative bounds count from the end.";
            "arrays.slice({1, 2, 3, 4}, 1, 3), arrays.slice({1, 2, 3}, -2)" => "{2, 3} {2, 3}"; make::slice),
        function!("take" "(a [T], count int) -> [T]",
            "A new array of the first elements, at most as many as there are.";
            "arrays.take({1, 2, 3}, 2)" => "{1, 2}"; make::take, unknown),
        function!("drop" "(a [T], count int) -> [T]", "A new array of all but the first elements.";
            "arrays.drop({1, 2, 3}, 2)" => "{3}"; make::drop, unknown),
        function!("contains" "(a [T], value T) -> bool", "Whether an element equals the value.";
            "arrays.contains({1, 2}, 2)" => "true"; search::contains),
        function!("index" "(a [T], value T) -> int",
            "Position of the first element equal to the value; -1 if there is none.";
            "arrays.index({\"a\", \"b\"}, \"b\")" => "1"; search::index, unknown, unchecked),
        function!("last_index" "(a [T], value T) -> int",
            "Position of the last element equal to the value; -1 if there is none.";
            "arrays.last_index({1, 2, 1}, 1)" => "2"; search::last_index),
        function!("count" "(a [T], value T) -> int", "The number of elements equal to the value.";
            "arrays.count({1, 2, 1}, 1)" => "2"; search::count, unknown),
        function!("reverse" "(a [T]) -> [T]", "A new array in the opposite order.";
            "arrays.reverse({1, 2, 3})" => "{3, 2, 1}"; make::reverse),
        function!("sort" "(a [T])", "Sorts in place, smallest first.";
            { "temp a [int] = {3, 1, 2}\narrays.sort(a)\nprintln(a)" => "{1, 2, 3}\n" };
            order::sort, changing),
        function!("sort_desc" "(a [T])", "Sorts in place, largest first.";
            { "temp a [int] = {3, 1, 2}\narrays.sort_desc(a)\nprintln(a)" => "{3, 2, 1}\n" };
            order::sort_desc, changing),
        function!("shuffle" "(a [T])", "Puts the elements in a random order, in place.";
            { "temp a [int] = {1, 2, 3}\narrays.shuffle(a)\nprintln(a)" => "" };
            order::shuffle, changing, varying),
        function!("concat" "(a [T], more [T]...) -> [T]", "A new array of the elements of all arrays.";
            "arrays.concat({1}, {2, 3})" => "{1, 2, 3}"; make::concat),
        function!("zip" "(a [T], b [T]) -> [[T]]",
            "A new array of pairs; as many as the shorter array has elements.";
            "arrays.zip({1, 2}, {3, 4})" => "{{1, 3}, {2, 4}}"; make::zip),
        function!("flatten" "(a [T]) -> [elem T]", "A new array with the elements of the arrays inside.";
            "arrays.flatten({{1, 2}, {3}})" => "{1, 2, 3}"; make::flatten, unknown),
        function!("unique" "(a [T]) -> [T]", "A new array without repeated values.";
            "arrays.unique({1, 2, 1})" => "{1, 2}"; make::unique),
        function!("duplicates" "(a [T]) -> [T]", "A new array with each value that occurs more than once.";
            "arrays.duplicates({1, 2, 1})" => "{1}"; make::duplicates, unknown),
        function!("sum" "(a [T]) -> wide T", "The sum of the numbers.";
            "arrays.sum({1, 2, 3})" => "6"; numeric::sum),
        function!("product" "(a [T]) -> wide T", "The product of the numbers.";
            "arrays.product({2, 3, 4})" => "24"; numeric::product),
        function!("min" "(a [T]) -> T", "The smallest element; an error if there is none.";
            "arrays.min({3, 1, 2})" => "1"; order::min),
        function!("max" "(a [T]) -> T", "The largest element; an error if there is none.";
            "arrays.max({3, 1, 2})" => "3"; order::max),
        function!("avg" "(a [T]) -> float", "The average of the numbers.";
            "arrays.avg({1, 2})" => "1.5"; numeric::avg),
        function!("repeat" "(value T, count int) -> [T]",
            "A new array that contains the value that many times.";
            "arrays.repeat(\"x\", 3)" => "{\"x\", \"x\", \"x\"}"; make::repeat),
        function!("fill" "(a [T], value T)", "Replaces every element by the value, in place.";
            { "temp a [int] = {1, 2}\narrays.fill(a, 0)\nprintln(a)" => "{0, 0}\n" }; edit::fill, changing),
        function!("join" "(a [T], separator string) -> string",
            "The texts of the elements with the separator between them.";
            "arrays.join({1, 2, 3}, \", \")" => "1, 2, 3"; make::join_function),
        function!("all_equal" "(a [T]) -> bool", "Whether all elements are equal.";
            "arrays.all_equal({2, 2})" => "true"; search::all_equal, unknown),
        function!("chunk" "(a [T], size int) -> [[T]]",
            "A new array of arrays with that many elements each; the last one may be shorter.";
            "arrays.chunk({1, 2, 3}, 2)" => "{{1, 2}, {3}}"; make::chunk, unknown, unchecked),
        function!("equals" "(a [T], b [T]) -> bool",
            "Whether both arrays have equal elements in the same order.";
            "arrays.equals({1, 2}, {1, 2})" => "true"; search::equals, unknown, unchecked),
    ],
};
