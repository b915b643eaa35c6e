//! Describes writes to what is watched.

use crate::api::{Described, Limits, Written};
use crate::debug::inspect::frames::{FrameView, frame_view, location};
use crate::debug::inspect::handles::{Handles, Origin};
use ez_runtime::interp::vm::Vm;
use ez_runtime::interp::watch::WatchHit;
use ez_runtime::value::{Heap, Type, Value, inspect};

/// A write to something with this description, in the form of the API, and as a sentence.
pub fn told_write(handles: &mut Handles, vm: &Vm, description: &str, hit: WatchHit) -> (Written, String) {
    let at = location(&vm.program.sources, hit.at);
    let name = description.strip_prefix("variable ").unwrap_or(description);
    let (old, new) = (short_text(hit.old.as_ref()), short_text(hit.new.as_ref()));
    let sentence = match hit.old {
        Some(_) => format!("{name} changed from {old} to {new} in line {}", at.line),
        None => format!("{name} became {new} in line {}", at.line),
    };
    let mut described = |value: &Value| -> Described {
        let origin = Origin { frame: 0, name: None };
        handles.describe(&value.follow(), &Type::Any, Limits::PREVIEW, origin)
    };
    let old = hit.old.as_ref().map(&mut described);
    let new = described(&hit.new.unwrap_or_default());
    (Written { description: description.into(), old, new, at }, sentence)
}

/// Maximum length of a value in a sentence, in characters.
const SHORT: usize = 40;

/// A short text for a value: simple values as literals, others by their kind.
fn short_text(value: Option<&Value>) -> String {
    let Some(value) = value.map(Value::follow) else { return "nothing".into() };
    match value.as_ref().map(|object| &**object) {
        Some(Heap::Array(_)) => "an array".into(),
        Some(Heap::Map(_)) => "a map".into(),
        Some(Heap::Struct(object)) => format!("a {}", object.def.name),
        _ => {
            let text = inspect(&value);
            let cut: String = text.chars().take(SHORT).collect();
            if cut.len() < text.len() { format!("{cut}…") } else { text }
        }
    }
}

/// The index of the frame that has written, and the frame, if it still exists; the innermost one, `view`, if not.
pub fn writing_frame(vm: &Vm, view: &FrameView, hit: &WatchHit) -> (usize, FrameView) {
    let index = vm.depth().saturating_sub(hit.depth) as usize;
    frame_view(vm, view, index).map_or((0, *view), |frame| (index, frame))
}
