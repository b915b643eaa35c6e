//! The elementary functions (exponentials, logarithms, trigonometry) and rounding, the same to the last
//! bit on every system. The operating system's C library is not used: its results differ from system to
//! system, and mingw rounds 0.49999999999999994 to 1.
//!
//! `libm` is accurate to one unit in the last place only (its `exp(1.0)` is not `E`); `pxfm` is correctly
//! rounded, but wrong in rare cases (`pow(1e308, -0.5)` is NaN). So `pxfm`'s result is used if it is
//! within `TOLERANCE` of `libm`'s, else `libm`'s.

pub use libm::{ceil, floor, fmod, round, trunc};

/// How many floats may lie between results of the two libraries that agree.
const TOLERANCE: u64 = 2;

/// `precise` if it is within `TOLERANCE` of `sound`, else `sound`.
fn confirmed(precise: f64, sound: f64) -> f64 {
    let signs_agree = precise.is_sign_negative() == sound.is_sign_negative();
    let distance = precise.to_bits().abs_diff(sound.to_bits());
    if signs_agree && precise.is_finite() && sound.is_finite() && distance <= TOLERANCE {
        precise
    } else {
        sound
    }
}

/// Functions of one number that both libraries have.
macro_rules! functions {
    ($($doc:literal $name:ident $precise:ident;)*) => {$(
        #[doc = $doc]
        pub fn $name(x: f64) -> f64 {
            confirmed(pxfm::$precise(x), libm::$name(x))
        }
    )*};
}

functions! {
    "e to the power of `x`." exp f_exp;
    "2 to the power of `x`." exp2 f_exp2;
    "The natural logarithm." log f_log;
    "The logarithm to base 2." log2 f_log2;
    "The logarithm to base 10." log10 f_log10;
    "Sine of an angle in radians." sin f_sin;
    "Cosine of an angle in radians." cos f_cos;
    "Tangent of an angle in radians." tan f_tan;
    "The angle in radians with this sine." asin f_asin;
    "The angle in radians with this cosine." acos f_acos;
    "The angle in radians with this tangent." atan f_atan;
    "Hyperbolic sine." sinh f_sinh;
    "Hyperbolic cosine." cosh f_cosh;
    "Hyperbolic tangent." tanh f_tanh;
    "The cube root." cbrt f_cbrt;
}

/// `x` to the power of `y`. Most powers are squares, which are rounded correctly as a product.
pub fn pow(x: f64, y: f64) -> f64 {
    if y == 2.0 {
        return x * x;
    }
    confirmed(pxfm::f_pow(x, y), libm::pow(x, y))
}

/// The angle in radians of the point `(x, y)`.
pub fn atan2(y: f64, x: f64) -> f64 {
    confirmed(pxfm::f_atan2(y, x), libm::atan2(y, x))
}

/// The length of the hypotenuse of a right triangle with these legs.
pub fn hypot(x: f64, y: f64) -> f64 {
    confirmed(pxfm::f_hypot(x, y), libm::hypot(x, y))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::{E, FRAC_PI_4, LN_2, LN_10, PI, SQRT_2};

    #[test]
    fn known_values_are_exact() {
        for (got, wanted) in [
            (exp(1.0), E),
            (log(10.0), LN_10),
            (log(2.0), LN_2),
            (log(9.0) / log(3.0), 2.0),
            (log10(1000.0), 3.0),
            (log2(8.0), 3.0),
            (exp2(10.0), 1024.0),
            (pow(2.0, 0.5), SQRT_2),
            (pow(1.05, 10.0), 1.628894626777442),
            (pow(10.0, -2.0), 0.01),
            (cbrt(27.0), 3.0),
            (hypot(3.0, 4.0), 5.0),
            (atan(1.0), FRAC_PI_4),
            (acos(-1.0), PI),
            (cosh(1.0), 1.5430806348152437),
            (round(0.49999999999999994), 0.0),
            (round(-2.5), -3.0),
            (fmod(-7.0, 3.0), -1.0),
        ] {
            assert_eq!(got.to_bits(), wanted.to_bits(), "{got:?} {wanted:?}");
        }
    }

    #[test]
    fn squares_are_what_both_libraries_say() {
        let mut random = fastrand::Rng::with_seed(1);
        let ends = [0.0, -0.0, 1e-300, 1e200, -1e200, f64::MIN_POSITIVE, f64::INFINITY, f64::NEG_INFINITY];
        let others = (0..10_000).map(|_| f64::from_bits(random.u64(..)));
        for x in ends.into_iter().chain(others.filter(|x| !x.is_nan())) {
            let wanted = confirmed(pxfm::f_pow(x, 2.0), libm::pow(x, 2.0));
            assert_eq!(pow(x, 2.0).to_bits(), wanted.to_bits(), "{x:?}");
        }
        assert!(pow(f64::NAN, 2.0).is_nan());
    }

    #[test]
    fn the_ends_of_the_range_are_sound() {
        assert_eq!(pow(1e308, -0.5), 1e-154);
        assert_eq!(pow(1.0, f64::NAN), 1.0);
        assert_eq!(pow(f64::NAN, 0.0), 1.0);
        assert_eq!(sinh(-0.0).to_bits(), (-0.0f64).to_bits());
        assert_eq!(exp(710.0), f64::INFINITY);
        assert_eq!(log(0.0), f64::NEG_INFINITY);
        assert!(log(-1.0).is_nan() && asin(2.0).is_nan());
        assert_eq!(confirmed(f64::NAN, 1.0), 1.0);
        assert_eq!(confirmed(1.0 + f64::EPSILON, 1.0), 1.0 + f64::EPSILON);
        assert_eq!(confirmed(1.5, 1.0), 1.0);
    }
}
