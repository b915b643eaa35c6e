//! The inputs of `fuzz/corpus` for the targets of `fuzz/targets`. A failure names the input.

use crate::replay::replay;
use crate::targets::TARGETS;

/// A test for each target, so that they run beside each other.
macro_rules! holds {
    ($($name:ident),*) => {
        $(
            #[test]
            fn $name() {
                let name = stringify!($name);
                let (_, body) = TARGETS.into_iter().find(|(known, _)| *known == name).expect("a target");
                replay(name, body);
            }
        )*

        #[test]
        fn each_target_has_a_test() {
            assert_eq!(TARGETS.map(|(name, _)| name), [$(stringify!($name)),*]);
        }
    };
}

holds!(cells, check, dap, format, guests, recording, rpc, same, session);
