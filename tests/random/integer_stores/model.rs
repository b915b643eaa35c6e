//! Integer types as sets of numbers: what fits, what arithmetic gives, which error it is.

use num_bigint::BigInt;

/// An integer type: its name, and the numbers that it has.
#[derive(Clone, Debug, PartialEq)]
pub struct Ty {
    pub name: &'static str,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Int,
    Uint,
    Signed(u32),
    Unsigned(u32),
    Byte,
    /// An enum over `int`.
    Enum,
}

/// What is stored into, which decides the code of the error for a byte.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Target {
    Declared,
    Assigned,
    Element,
    /// An element of an array literal.
    LiteralElement,
    Result,
}

/// The operators of compound assignments.
pub const OPERATORS: [&str; 5] = ["+", "-", "*", "/", "%"];

impl Ty {
    pub fn all() -> Vec<Ty> {
        let mut all = vec![
            Ty { name: "int", kind: Kind::Int },
            Ty { name: "uint", kind: Kind::Uint },
            Ty { name: "byte", kind: Kind::Byte },
            Ty { name: "E", kind: Kind::Enum },
        ];
        let sized = [
            ("i8", "u8", 8),
            ("i16", "u16", 16),
            ("i32", "u32", 32),
            ("i64", "u64", 64),
            ("i128", "u128", 128),
            ("i256", "u256", 256),
        ];
        for (signed, unsigned, bits) in sized {
            all.push(Ty { name: signed, kind: Kind::Signed(bits) });
            all.push(Ty { name: unsigned, kind: Kind::Unsigned(bits) });
        }
        all
    }

    pub fn is_byte(&self) -> bool {
        self.kind == Kind::Byte
    }

    pub fn is_enum(&self) -> bool {
        self.kind == Kind::Enum
    }

    pub fn is_int(&self) -> bool {
        self.kind == Kind::Int
    }

    /// Whether it is one of the 14 integer types.
    pub fn is_integer(&self) -> bool {
        !self.is_byte() && !self.is_enum()
    }

    /// Whether the checker lets values of the type `other` be stored in places of this one.
    pub fn takes(&self, other: &Ty) -> bool {
        match (self.kind, other.kind) {
            (Kind::Enum, Kind::Enum | Kind::Int) | (Kind::Int, Kind::Enum) => true,
            (Kind::Enum, _) | (_, Kind::Enum) => false,
            _ => true,
        }
    }

    /// The lowest and the highest number, where there are such.
    pub fn bounds(&self) -> (Option<BigInt>, Option<BigInt>) {
        let power = |bits: u32| BigInt::from(1) << bits;
        match self.kind {
            Kind::Int | Kind::Enum => (None, None),
            Kind::Uint => (Some(BigInt::ZERO), None),
            Kind::Byte => (Some(BigInt::ZERO), Some(BigInt::from(255))),
            Kind::Signed(bits) => (Some(-power(bits - 1)), Some(power(bits - 1) - 1)),
            Kind::Unsigned(bits) => (Some(BigInt::ZERO), Some(power(bits) - 1)),
        }
    }

    pub fn has(&self, number: &BigInt) -> bool {
        let (low, high) = self.bounds();
        low.is_none_or(|low| *number >= low) && high.is_none_or(|high| *number <= high)
    }

    /// The code of the error for storing this number; `None` if it fits.
    pub fn store(&self, number: &BigInt, target: Target) -> Option<&'static str> {
        if self.has(number) {
            return None;
        }
        let negative = *number < BigInt::ZERO;
        Some(match (self.kind, target) {
            (Kind::Byte, Target::Declared | Target::Result) => "E3020",
            (Kind::Byte, Target::Assigned) => "E3025",
            (Kind::Byte, Target::Element) => "E3026",
            (Kind::Byte, Target::LiteralElement) => "E3022",
            (Kind::Uint | Kind::Unsigned(_), _) if negative => "E3020",
            _ => "E3036",
        })
    }

    /// The result of `x op y` for an `x` of this type and a `y` of another one, or the code of the error.
    pub fn arithmetic(&self, op: &str, x: &BigInt, y: &BigInt, other: &Ty) -> Result<BigInt, &'static str> {
        if *y == BigInt::ZERO && op == "/" {
            return Err("E5001");
        }
        if *y == BigInt::ZERO && op == "%" {
            return Err("E5002");
        }
        let (number, code) = match op {
            "+" => (x + y, "E5005"),
            "-" => (x - y, "E5006"),
            "*" => (x * y, "E5007"),
            "/" => (x / y, "E5007"),
            _ => (x % y, "E5007"),
        };
        // The result has the type of the left operand, beside a byte that of the right one.
        let ty = if self.is_byte() { other } else { self };
        match ty.kind {
            Kind::Uint if number < BigInt::ZERO => Err("E3020"),
            _ if ty.has(&number) => Ok(number),
            _ => Err(code),
        }
    }

    /// The result of `x++` or `x--`, or the code of the error.
    pub fn step(&self, x: &BigInt, up: bool) -> Result<BigInt, &'static str> {
        let number = if up { x + 1 } else { x - 1 };
        match (self.kind, up) {
            _ if self.has(&number) => Ok(number),
            (Kind::Uint, _) => Err("E3020"),
            (_, true) => Err("E5008"),
            (_, false) => Err("E5009"),
        }
    }

    /// A number of this type: often one at its bounds, at those of `other`, or small.
    pub fn number(&self, rng: &mut fastrand::Rng, other: &Ty) -> BigInt {
        let mut candidates: Vec<BigInt> = (-2..4).map(BigInt::from).collect();
        candidates.extend([127, 128, 255, 256, 300, i64::MAX, i64::MIN].map(BigInt::from));
        candidates.push(BigInt::from(i64::MAX) + 1);
        candidates.push(BigInt::from(i64::MIN) - 1);
        for ty in [self, other] {
            let (low, high) = ty.bounds();
            for bound in low.into_iter().chain(high) {
                candidates.extend([&bound - 1, bound.clone(), bound + 1]);
            }
        }
        candidates.push(BigInt::from(rng.i64(..)) * rng.i64(..) * rng.i64(..));
        candidates.push(BigInt::from(rng.i64(-1000..1000)));
        candidates.retain(|number| self.has(number));
        rng.choice(candidates).unwrap()
    }
}
