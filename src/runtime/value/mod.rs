//! Types, values, their text forms, copying and comparing; the [`Host`] trait.
//!
//! How programs run is not known here. Values never leave the thread that created them.
//!
//! A [`Value`] has 16 bytes; what is larger is an object to which it refers ([`Heap`]): strings, big integers,
//! arrays, maps, structs, boxed variables. Every change of an object goes through `ObjectCell::change` ([`object`])
//! and needs the thread's only [`Mutator`]: there a debugger observes changes ([`observe`]). The values of
//! constants are frozen, so that a change of them is refused. Which values can be keys of a map, and how they are
//! compared and hashed, is in [`map`]; [`memory`] enforces the memory limit.

mod array;
pub mod builtin;
mod copy;
mod creations;
mod equal;
mod fields;
mod fingerprint;
mod float;
mod gauge;
mod heap;
mod host;
mod inspect;
mod integer;
mod interner;
mod map;
mod members;
pub mod memory;
mod object;
mod object_mut;
mod observe;
mod queue;
mod range;
mod reference;
mod release;
mod scalar;
mod store;
mod string;
#[cfg(test)]
mod test_values;
mod text;
mod types;

pub use array::{Array, Elems, ScalarKind};
pub use copy::{CopyError, deep_copy, freeze};
pub use creations::{
    CreationObserver, become_copy, can_become_copy, last_number, number_run, pause_numbers, resume_numbers,
};
pub use equal::{compare_numbers, number_as_float};
pub use equal::{compare_order, identical, library_equal, member_equal};
pub use fields::Fields;
pub use fingerprint::fingerprint;
pub use float::{parse_float, shown_as};
pub use heap::{EnumValue, Handle, Heap, MapValue, Ref, StructValue, Value, new_object};
pub use host::bytes;
pub use host::{
    CommandEnd, FileKind, FileStatus, Host, HostAnswer, HostRequest, HttpFailure, HttpReply, HttpRequest,
    InterruptFlag, Job, JobResult, RequestClass, ServedRoute, Stream, SystemError, SystemErrorKind, Waited,
    WrapsHost, canonical_header, open_flags,
};
pub use inspect::Inspection;
pub use inspect::{display, inspect, inspect_short, inspect_within, write_display, write_inspect};
pub use integer::{Limits, fit_small};
pub use integer::{Misfit, bounds_text, fit_integer, normalize};
pub use interner::StringInterner;
pub use map::{EntryKey, Key, Lookup, OrderedMap, Place};
pub use members::MemberCounter;
pub use memory::{EXPECTED_SIZE, default_memory_limit, parse_size, set_memory_limit};
pub use memory::{held_memory, raise_memory_limit, within_memory};
pub use object::{Change, Mutator, ObjectCell, Part, Refused};
pub use object_mut::{ObjectMut, ObjectPart, append_to, exchange_object};
pub use observe::{
    ObjectNumbers, PartChange, PartKey, Parts, address_of, is_same, is_unchanged, object_number, part_of,
    reachable_object, track,
};
pub use queue::Queue;
pub use range::Range;
pub use reference::{Reference, Variable};
pub use scalar::Scalar;
pub use store::{StoreFailure, convert, copy_as, misfitting_part, round_single, view_fits};
pub use store::{apart, mismatch_text};
pub use string::{Str, append_str};
pub use text::float_text_bare;
pub use text::{char_expression, char_text, float_text, inspect_string, string_expression};
pub use types::told_apart;
pub use types::{EnumBase, EnumDef, FieldDef, FloatKind, HandleKind, IntKind, Repr, StructDef, Type};
