//! `when`: selects an arm by a value.

use std::rc::Rc;

use crate::program::{Case, Expr, ExprKind, WhenArm};
use crate::value::{EnumDef, Heap, Repr, Type, Value, member_equal};

use crate::interp::closures::{ResultFn, ValueFn, closure};
use crate::interp::slots::Fp;
use crate::interp::vm::{Stop, Vm, Wide};

use super::Compiler;

/// Returns the index of the arm; the default arm has the number of the other arms.
pub type SelectFn = ResultFn<usize, Stop>;

/// Tests of a value, one list per arm.
type Tests = Box<[Box<[Test]>]>;

enum Test {
    Equal(ValueFn),
    Range(ValueFn),
}

/// Tests of an integer register, one list per arm.
type IntTests = Box<[Box<[IntTest]>]>;

enum IntTest {
    Constant(i64),
    Member(Rc<EnumDef>, usize),
    /// From the first number (inclusive) to the second (exclusive).
    Range(i64, i64),
}

impl Compiler<'_> {
    pub fn selector(&mut self, subject: &Expr, arms: &[WhenArm]) -> SelectFn {
        if let Some(select) = self.observed_selector(subject, arms) {
            return select;
        }
        if let Some(tests) = self.int_tests(&subject.ty, arms) {
            let subject = self.int(subject);
            return closure(move |vm, fp| match subject.get(vm, fp) {
                Ok(number) => Ok(select_int(&tests, number)),
                Err(Wide) => vm.take_value().map(|value| select_wide(&tests, &value)),
            });
        }
        let tests: Tests = arms.iter().map(|arm| arm.cases.iter().map(|c| self.test(c)).collect()).collect();
        let subject = self.value(subject);
        closure(move |vm, fp| {
            let value = subject.run(vm, fp)?;
            select(&tests, &value, vm, fp)
        })
    }

    fn test(&mut self, case: &Case) -> Test {
        match case {
            Case::Equal(e) => Test::Equal(self.value(e)),
            Case::Range(e) => Test::Range(self.value(e)),
        }
    }

    /// The cases as tests of a register, if that is possible for all of them.
    fn int_tests(&self, subject: &Type, arms: &[WhenArm]) -> Option<IntTests> {
        if subject.repr() != Repr::Int {
            return None;
        }
        let arms = arms.iter().map(|arm| arm.cases.iter().map(|c| self.int_test(subject, c)).collect());
        arms.collect()
    }

    fn int_test(&self, subject: &Type, case: &Case) -> Option<IntTest> {
        match (case, subject) {
            (Case::Equal(Expr { kind: ExprKind::Const(Value::Int(k)), .. }), Type::Int(_)) => {
                Some(IntTest::Constant(*k))
            }
            (Case::Equal(Expr { kind: ExprKind::Const(Value::Char(c)), .. }), Type::Char) => {
                Some(IntTest::Constant(i64::from(u32::from(*c))))
            }
            (Case::Equal(Expr { kind: ExprKind::EnumMember(def, index), ty, .. }), Type::Enum(_)) => {
                (ty == subject).then(|| IntTest::Member(def.clone(), *index as usize))
            }
            (Case::Range(Expr { kind: ExprKind::Range(start, end, None), .. }), Type::Int(_)) => {
                match (&start.kind, &end.kind) {
                    (ExprKind::Const(Value::Int(start)), ExprKind::Const(Value::Int(end)))
                        if start <= end =>
                    {
                        Some(IntTest::Range(*start, *end))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

impl IntTest {
    fn holds(&self, number: i64) -> bool {
        match self {
            IntTest::Constant(k) => number == *k,
            IntTest::Member(def, index) => {
                matches!(def.members().get(*index), Some((_, Value::Int(member))) if *member == number)
            }
            IntTest::Range(start, end) => (*start..*end).contains(&number),
        }
    }
}

/// The arm for a value that no register holds: an integer beyond 64 bits, which only a member can equal, or nil.
fn select_wide(tests: &IntTests, value: &Value) -> usize {
    let equals = |test: &IntTest| match test {
        IntTest::Member(def, index) => {
            let member = def.members().get(*index);
            !matches!(value, Value::Nil) && member.is_some_and(|(_, member)| member_equal(value, member))
        }
        IntTest::Constant(_) | IntTest::Range(..) => false,
    };
    let arm = tests.iter().position(|tests| tests.iter().any(equals));
    arm.unwrap_or(tests.len())
}

/// Whether a value equals a case, or lies in its range.
pub(super) fn holds(value: &Value, case: &Value, is_range: bool) -> bool {
    match is_range {
        true => in_case_range(value, case),
        false => !matches!(value, Value::Nil) && member_equal(value, case),
    }
}

/// Whether a value lies in a case's range.
fn in_case_range(value: &Value, range: &Value) -> bool {
    let Value::Ref(r) = range else { return false };
    matches!(&**r, Heap::Range(range) if range.contains(&value.plain()))
}

fn select(tests: &Tests, value: &Value, vm: &mut Vm, fp: Fp) -> Result<usize, Stop> {
    for (arm, tests) in tests.iter().enumerate() {
        for test in tests {
            let hit = match test {
                Test::Equal(f) => holds(value, &f.run(vm, fp)?, false),
                Test::Range(f) => holds(value, &f.run(vm, fp)?, true),
            };
            if hit {
                return Ok(arm);
            }
        }
    }
    Ok(tests.len())
}

fn select_int(tests: &IntTests, number: i64) -> usize {
    let arm = tests.iter().position(|tests| tests.iter().any(|test| test.holds(number)));
    arm.unwrap_or(tests.len())
}
