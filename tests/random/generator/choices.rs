//! The stream of choices that a program is made of.

/// Choices, used one after the other. When none is left, each choice is the first alternative: generators
/// put the simplest one first.
#[derive(Clone, Debug)]
pub struct Choices {
    values: Vec<u32>,
    used: usize,
}

impl Choices {
    /// `count` random choices that depend on `seed` alone.
    pub fn from_seed(seed: u64, count: usize) -> Choices {
        let mut random = fastrand::Rng::with_seed(seed);
        Choices::new((0..count).map(|_| random.u32(..)).collect())
    }

    /// These choices.
    pub fn new(values: Vec<u32>) -> Choices {
        Choices { values, used: 0 }
    }

    /// All choices, used or not.
    pub fn values(&self) -> &[u32] {
        &self.values
    }

    /// How many choices are left.
    pub fn left(&self) -> usize {
        self.values.len() - self.used
    }

    /// A number below `count`.
    pub fn below(&mut self, count: usize) -> usize {
        let value = self.values.get(self.used).copied().unwrap_or(0);
        self.used = (self.used + 1).min(self.values.len());
        value as usize % count.max(1)
    }

    /// True once in `count` times.
    pub fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == count - 1
    }

    /// One of some items.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}
