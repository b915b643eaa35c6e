//! Stores to elements and fields that the quick closures of assignments leave to others: conversions, and errors.

use std::rc::Rc;

use crate::program::ArithOp;
use crate::source::Span;
use crate::value::{Type, Value};

use crate::interp::arith::arith_values;
use crate::interp::boxing::float_value;
use crate::interp::closures::Word;
use crate::interp::operand::{IntOperand, ObjectOperand};
use crate::interp::parts::owned;
use crate::interp::slots::Fp;
use crate::interp::targets::Lvalue;
use crate::interp::vm::{Exit, Pending, Stop, Vm};

use super::targets::{index_lvalue, nil_member};

/// A store to an element whose container and index have no side effects: both are evaluated again, in the order of the
/// language.
pub(super) struct ElementStore {
    /// The type of the element.
    pub ty: Type,
    /// The type of the index.
    pub index: Type,
    pub at: Span,
}

impl ElementStore {
    /// Stores an integer register of type `ty`.
    #[cold]
    #[inline(never)]
    pub fn write_int<A: ObjectOperand, I: IntOperand>(
        &self,
        operands: (&A, &I),
        vm: &mut Vm,
        fp: Fp,
        register: Word<i64>,
        ty: &Type,
    ) -> Result<(), Exit> {
        let register = register.take(vm);
        let value = vm.int_value(ty, register)?;
        self.write(operands, vm, fp, value)
    }

    /// Stores a float register.
    #[cold]
    #[inline(never)]
    pub fn write_float<A: ObjectOperand, I: IntOperand>(
        &self,
        operands: (&A, &I),
        vm: &mut Vm,
        fp: Fp,
        register: f64,
    ) -> Result<(), Exit> {
        self.write(operands, vm, fp, float_value(&Type::FLOAT, register))
    }

    /// Stores a bool, or nil.
    #[cold]
    #[inline(never)]
    pub fn write_bool<A: ObjectOperand, I: IntOperand>(
        &self,
        operands: (&A, &I),
        vm: &mut Vm,
        fp: Fp,
        register: Option<bool>,
    ) -> Result<(), Exit> {
        self.write(operands, vm, fp, register.map_or(Value::Nil, Value::Bool))
    }

    /// Stores a value.
    #[cold]
    #[inline(never)]
    pub fn write<A: ObjectOperand, I: IntOperand>(
        &self,
        (base, index): (&A, &I),
        vm: &mut Vm,
        fp: Fp,
        value: Value,
    ) -> Result<(), Exit> {
        vm.pending = Pending::None;
        let array = owned(base, vm, fp)?;
        let register = index.get(vm, fp);
        let index = vm.int_value(&self.index, register)?;
        Ok(index_lvalue(vm, array, index, self.at)?.write(vm, &self.ty, value, self.at)?)
    }
}

/// Stores into a field of type float.
pub(super) struct FieldStore {
    pub name: Rc<str>,
    pub field: u32,
    pub at: Span,
}

impl FieldStore {
    /// Stores a float register.
    #[cold]
    #[inline(never)]
    pub fn write(&self, base: &impl ObjectOperand, vm: &mut Vm, fp: Fp, register: f64) -> Result<(), Exit> {
        let value = float_value(&Type::FLOAT, register);
        Ok(self.lvalue(base, vm, fp)?.write(vm, &Type::FLOAT, value, self.at)?)
    }

    /// `field op= y`.
    #[cold]
    #[inline(never)]
    pub fn change(
        &self,
        base: &impl ObjectOperand,
        vm: &mut Vm,
        fp: Fp,
        op: ArithOp,
        y: f64,
    ) -> Result<(), Exit> {
        let lvalue = self.lvalue(base, vm, fp)?;
        let x = lvalue.read(vm, &Type::FLOAT, self.at)?;
        let r = arith_values(vm, op, &x, &Value::Float(y), self.at)?;
        Ok(lvalue.write(vm, &Type::FLOAT, r, self.at)?)
    }

    fn lvalue<A: ObjectOperand>(&self, base: &A, vm: &mut Vm, fp: Fp) -> Result<Lvalue, Stop> {
        match owned(base, vm, fp)? {
            Some(object) => Ok(Lvalue::Field(object, self.field)),
            None => nil_member(vm, &self.name, self.at),
        }
    }
}
