//! The random numbers of a recorded program: all follow from one seed.

/// Random bits for a program, and for evaluations of the debugger.
pub(super) struct Draws {
    program: fastrand::Rng,
    /// During an evaluation: a copy of the generator, so that the program's numbers do not change.
    evaluation: Option<fastrand::Rng>,
}

impl Draws {
    /// The random bits that follow from a seed.
    pub fn new(seed: u64) -> Draws {
        Draws { program: fastrand::Rng::with_seed(seed), evaluation: None }
    }

    /// A seed for the bits that come next.
    pub fn seed(&self) -> u64 {
        self.program.get_seed()
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.evaluation.as_mut().unwrap_or(&mut self.program).u64(..)
    }

    /// Begins or ends an evaluation of the debugger.
    pub fn set_evaluating(&mut self, evaluating: bool) {
        self.evaluation = evaluating.then(|| self.program.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::Draws;

    #[test]
    fn a_seed_gives_the_same_bits_whatever_is_evaluated() {
        let (mut one, mut other) = (Draws::new(7), Draws::new(7));
        let first = (one.bits(), other.bits());
        other.set_evaluating(true);
        let evaluated = (other.bits(), other.bits());
        other.set_evaluating(false);
        assert_eq!(first.0, first.1);
        assert_eq!((one.bits(), one.bits()), evaluated);
        assert_eq!(other.bits(), evaluated.0);
        let mut later = Draws::new(one.seed());
        assert_eq!((later.bits(), later.bits()), (one.bits(), one.bits()));
    }
}
