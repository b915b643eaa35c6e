//! `when`: selects an arm by a value.

use std::rc::Rc;

use crate::program::{Case, Expr, ExprKind, WhenArm};
use crate::value::{EnumDef, Heap, Ref, Repr, Str, Type, Value, member_equal};

use crate::interp::closures::{ResultFn, ValueFn, closure};
use crate::interp::keys::KeyOperand;
use crate::interp::operand::Constant;
use crate::interp::vm::{Stop, Wide};

use super::Compiler;

/// Returns the index of the arm; the default arm has the number of the other arms.
pub type SelectFn = ResultFn<usize, Stop>;

/// Tests, each with the number of its arm.
type Tests<T> = Box<[(T, usize)]>;

/// A test of a value.
enum Test {
    Known(Value),
    Equal(ValueFn),
    Range(ValueFn),
}

/// A test of an integer register.
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
        let default = arms.len();
        if let Some(tests) = self.int_tests(&subject.ty, arms) {
            let subject = self.int(subject);
            return closure(move |vm, fp| match subject.get(vm, fp) {
                Ok(number) => Ok(first(&tests, |test| test.holds(number)).unwrap_or(default)),
                Err(Wide) => {
                    let value = vm.take_value()?;
                    Ok(first(&tests, |test| test.holds_wide(&value)).unwrap_or(default))
                }
            });
        }
        if let Some(tests) = self.text_tests(&subject.ty, arms) {
            return string_operand!(self, subject, subject => closure(move |vm, fp| {
                subject.evaluate(vm, fp).map(|evaluated| {
                    let key = subject.key(&evaluated, fp, &vm.frames);
                    let arm = key.text().and_then(|text| first(&tests, |case| is_text(case, text)));
                    arm.unwrap_or(default)
                })
            }));
        }
        let tests: Tests<Test> = cases(arms).map(|(case, arm)| (self.test(case), arm)).collect();
        let subject = self.value(subject);
        closure(move |vm, fp| {
            let value = subject.run(vm, fp)?;
            for (test, arm) in &tests {
                let is_hit = match test {
                    Test::Known(known) => holds(&value, known, false),
                    Test::Equal(f) => holds(&value, &f.run(vm, fp)?, false),
                    Test::Range(f) => holds(&value, &f.run(vm, fp)?, true),
                };
                if is_hit {
                    return Ok(*arm);
                }
            }
            Ok(default)
        })
    }

    fn test(&mut self, case: &Case) -> Test {
        match case {
            Case::Equal(e) => match self.known(e) {
                Some(known) => Test::Known(known.clone()),
                None => Test::Equal(self.value(e)),
            },
            Case::Range(e) => Test::Range(self.value(e)),
        }
    }

    /// The cases as texts, if all of them are constant ones.
    fn text_tests(&self, subject: &Type, arms: &[WhenArm]) -> Option<Tests<Ref>> {
        if *subject != Type::Str {
            return None;
        }
        let text = |case: &Case| match case {
            Case::Equal(e) if e.ty == Type::Str => self.known(e)?.as_ref().cloned(),
            _ => None,
        };
        cases(arms).map(|(case, arm)| Some((text(case)?, arm))).collect()
    }

    /// The cases as tests of a register, if that is possible for all of them.
    fn int_tests(&self, subject: &Type, arms: &[WhenArm]) -> Option<Tests<IntTest>> {
        if subject.repr() != Repr::Int {
            return None;
        }
        cases(arms).map(|(case, arm)| Some((self.int_test(subject, case)?, arm))).collect()
    }

    fn int_test(&self, subject: &Type, case: &Case) -> Option<IntTest> {
        match (case, subject) {
            (Case::Equal(Expr { kind: ExprKind::Const(Value::Int(k)), .. }), Type::Int(_)) => {
                Some(IntTest::Constant(*k))
            }
            (Case::Equal(Expr { kind: ExprKind::Const(Value::Char(c)), .. }), Type::Char) => {
                Some(IntTest::Constant(i64::from(u32::from(*c))))
            }
            (Case::Equal(e @ Expr { kind: ExprKind::EnumMember(def, index), ty, .. }), Type::Enum(_)) => {
                (ty == subject).then(|| match self.constant_register(e) {
                    Some(Constant(k)) => IntTest::Constant(k),
                    None => IntTest::Member(def.clone(), *index as usize),
                })
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
    #[inline(always)]
    fn holds(&self, number: i64) -> bool {
        match self {
            IntTest::Constant(k) => number == *k,
            IntTest::Member(def, index) => {
                matches!(def.members().get(*index), Some((_, Value::Int(member))) if *member == number)
            }
            IntTest::Range(start, end) => (*start..*end).contains(&number),
        }
    }

    /// For a value that no register holds: an integer beyond 64 bits, which only a member can equal, or nil.
    fn holds_wide(&self, value: &Value) -> bool {
        let IntTest::Member(def, index) = self else { return false };
        let member = def.members().get(*index);
        !matches!(value, Value::Nil) && member.is_some_and(|(_, member)| member_equal(value, member))
    }
}

/// The cases, each with the number of its arm.
fn cases(arms: &[WhenArm]) -> impl Iterator<Item = (&Case, usize)> {
    arms.iter().zip(0..).flat_map(|(arm, number)| arm.cases.iter().map(move |case| (case, number)))
}

fn is_text(case: &Ref, text: &Str) -> bool {
    matches!(&**case, Heap::Str(case) if case.equals(text))
}

/// The arm of the first test that holds.
#[inline(always)]
fn first<T>(tests: &Tests<T>, holds: impl Fn(&T) -> bool) -> Option<usize> {
    tests.iter().find(|(test, _)| holds(test)).map(|(_, arm)| *arm)
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
