//! Arrays whose first elements are removed one by one.

use super::array::Elems;
use super::heap::Value;

/// The elements of an array that is used as a queue: removing the first one takes constant time, because the
/// others stay where they are until half of the storage is unused.
#[derive(Clone, Debug)]
pub struct Queue {
    /// The elements, after `front` that were removed. Never a queue itself.
    storage: Elems,
    front: usize,
}

/// Removing the first of so few elements moves less than a cache line or two.
const SHORT: usize = 64;

impl Queue {
    /// The storage, and how many elements at its beginning were removed.
    pub fn parts(&self) -> (&Elems, usize) {
        (&self.storage, self.front)
    }

    /// Like [`Queue::parts`], for changes; the removed elements must not be touched.
    pub fn parts_mut(&mut self) -> (&mut Elems, usize) {
        (&mut self.storage, self.front)
    }

    /// The elements without those that were removed.
    fn settled(self) -> Elems {
        let mut storage = self.storage;
        storage.drop_first(self.front);
        storage
    }
}

impl Elems {
    /// Removes the first value, in constant time on the average.
    pub fn shift(&mut self) -> Option<Value> {
        let first = self.get(0)?;
        if let Elems::Queue(queue) = self {
            // What was removed is released at once.
            if let Elems::Values(values) = &mut queue.storage
                && let Some(place) = values.get_mut(queue.front)
            {
                *place = Value::Nil;
            }
            queue.front += 1;
            if queue.front * 2 > queue.storage.len() {
                self.settle();
            }
        } else if self.len() <= SHORT {
            self.drop_first(1);
        } else {
            let storage = std::mem::replace(self, Elems::Values(Vec::new()));
            *self = Elems::Queue(Box::new(Queue { storage, front: 0 }));
            return self.shift();
        }
        Some(first)
    }

    /// Gives the elements the form in which each representation is a vector. Takes as long as moving all of
    /// them if the array was used as a queue.
    pub fn settle(&mut self) {
        if matches!(self, Elems::Queue(_))
            && let Elems::Queue(queue) = std::mem::replace(self, Elems::Values(Vec::new()))
        {
            *self = queue.settled();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{Type, identical};

    fn same(a: Option<Value>, b: Option<Value>) -> bool {
        match (a, b) {
            (Some(a), Some(b)) => identical(&a, &b),
            (a, b) => a.is_none() && b.is_none(),
        }
    }

    /// An array of numbers, changed as its model is.
    #[test]
    fn queues_are_as_vectors() {
        let mut random = fastrand::Rng::with_seed(7);
        for ty in [Type::INT, Type::Byte, Type::Any] {
            let value = |i: usize| if ty == Type::Byte { Value::Byte(i as u8) } else { Value::Int(i as i64) };
            let mut elems = Elems::for_type(&ty);
            let mut model: Vec<Value> = Vec::new();
            for i in 0..20_000 {
                match random.u8(0..10) {
                    0..=4 => {
                        elems.push(value(i % 200));
                        model.push(value(i % 200));
                    }
                    5..=6 if i > 3_000 => {
                        let wanted = if model.is_empty() { None } else { Some(model.remove(0)) };
                        assert!(same(elems.shift(), wanted));
                    }
                    7 => assert!(same(elems.pop(), model.pop())),
                    8 if !model.is_empty() => {
                        let at = random.usize(0..model.len());
                        elems.set(at, value(i % 100));
                        model[at] = value(i % 100);
                    }
                    _ => {}
                }
                assert_eq!(elems.len(), model.len());
                let at = random.usize(0..model.len() + 1);
                assert!(same(elems.get(at), model.get(at).cloned()));
            }
            assert!(elems.iter().zip(&model).all(|(a, b)| identical(&a, b)));
            elems.settle();
            assert!(elems.iter().zip(&model).all(|(a, b)| identical(&a, b)));
        }
    }
}
