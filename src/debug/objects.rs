//! Numbers of objects, by which clients see that two names mean one object.

use std::num::NonZeroU64;
use std::rc::{Rc, Weak};

use foldhash::HashMap;

use crate::api::ObjectId;
use crate::value::{Heap, Ref};

/// The objects that clients have been told of.
#[derive(Default)]
pub(crate) struct Objects {
    /// By address. The weak reference keeps the address from being used again, and nothing else.
    known: HashMap<*const Heap, (ObjectId, Weak<Heap>)>,
    /// The last number used; none is used twice in a session.
    last: u64,
    /// At how many known objects those that are gone are forgotten.
    limit: usize,
}

/// Fewest known objects at which those that are gone are forgotten.
const LEAST_LIMIT: usize = 1024;

impl Objects {
    /// The number of an array, map or struct; `None` for everything else.
    pub fn id(&mut self, object: &Ref) -> Option<ObjectId> {
        if !matches!(&**object, Heap::Array(_) | Heap::Map(_) | Heap::Struct(_)) {
            return None;
        }
        if let Some((id, _)) = self.known.get(&Rc::as_ptr(object)) {
            return Some(*id);
        }
        if self.known.len() >= self.limit {
            self.known.retain(|_, (_, object)| object.strong_count() > 0);
            self.limit = LEAST_LIMIT.max(self.known.len() * 2);
        }
        self.last += 1;
        let id = ObjectId(NonZeroU64::new(self.last)?);
        self.known.insert(Rc::as_ptr(object), (id, Rc::downgrade(object)));
        Some(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{Type, Value};

    fn array() -> Ref {
        Value::array(&Type::INT, [Value::Int(1)]).as_ref().expect("an object").clone()
    }

    #[test]
    fn an_object_keeps_its_number_and_no_other_gets_it() {
        let mut objects = Objects::default();
        let (one, two) = (array(), array());
        let first = objects.id(&one);
        assert_ne!(first, objects.id(&two));
        assert_eq!(first, objects.id(&one.clone()));
        drop(one);
        let later: Vec<_> = (0..3000).map(|_| objects.id(&array())).collect();
        assert!(!later.contains(&first));
        assert!(objects.known.len() <= 2 * LEAST_LIMIT, "{}", objects.known.len());
        assert_eq!(objects.id(Value::str("a").as_ref().expect("an object")), None);
    }
}
