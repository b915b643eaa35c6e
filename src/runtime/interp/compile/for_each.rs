//! `for_each`.

use crate::diagnostics::Code;
use crate::interp::closures::{StmtFn, ValueFn};
use crate::interp::slots::{Fp, peek};
use crate::interp::store::store;
use crate::interp::vm::{Exit, SEE_WIDE, Stop, Vm};
use crate::program::{Expr, LocalId, Stmt, StoreKind, StoreSite};
use crate::source::Span;
use crate::value::{Array, Elems, Heap, ObjectCell, Ref, Repr, Type, Value, inspect, view_fits};

use super::Compiler;
use super::headers::{Header, LoopBody};
use super::rounds::{Rounds, run_rounds};
use super::stmts::statement;
use super::variables::Variable;

impl Compiler<'_> {
    pub fn for_each_stmt(
        &mut self,
        s: &Stmt,
        index: Option<LocalId>,
        var: LocalId,
        iterable: &Expr,
        body: &[Stmt],
    ) -> StmtFn {
        let each = Each {
            index: index.map(|i| self.loop_variable(i, &Type::INT)),
            var: self.loop_variable(var, &Type::Any),
            at: s.at,
            site: StoreSite { kind: StoreKind::Loop, at: s.at },
            iterable: self.value(iterable),
            body: self.loop_body(s.id, body),
        };
        with_header!(self, s.id, &each.body, header => statement(move |vm, fp| each.run(vm, fp, &header)))
    }
}

struct Each {
    index: Option<Variable>,
    var: Variable,
    at: Span,
    /// The loop variable as a target.
    site: StoreSite,
    iterable: ValueFn,
    body: LoopBody,
}

impl Each {
    fn run(&self, vm: &mut Vm, fp: Fp, header: &impl Header) -> Result<(), Exit> {
        let value = self.iterable.run(vm, fp)?.follow();
        if let Value::Ref(r) = &value {
            match &**r {
                Heap::Array(a) => {
                    let is_outermost = a.begin_iteration();
                    let result = self.array(vm, fp, r, header);
                    if is_outermost {
                        a.end_iteration();
                    }
                    return result;
                }
                Heap::Str(_) => return self.string(vm, fp, r, header),
                _ => {}
            }
        }
        let kind = if matches!(value, Value::Nil) { inspect(&value) } else { value.typeof_name() };
        Ok(vm.fail(Code::E3017, format!("for_each requires array or string, got {kind}"), self.at)?)
    }

    fn set_index(&self, vm: &mut Vm, fp: Fp, i: usize) {
        if let Some(index) = &self.index {
            index.init(vm, fp, Value::Int(i as i64));
        }
    }

    fn array(&self, vm: &mut Vm, fp: Fp, r: &Ref, header: &impl Header) -> Result<(), Exit> {
        let Heap::Array(array) = &**r else { return Ok(()) };
        let items = Items {
            each: self,
            array,
            // The length is fixed at the start: the array cannot change size during the loop.
            indices: 0..array.borrow().data.len(),
            are_registers: view_fits(&self.var.ty, &array.borrow().elem)
                && !self.var.boxed
                && self.var.ty.repr() != Repr::Ref,
            are_wider: !view_fits(&self.var.ty, &array.borrow().elem),
        };
        run_rounds(header, &self.body, vm, fp, items)
    }

    fn string(&self, vm: &mut Vm, fp: Fp, r: &Ref, header: &impl Header) -> Result<(), Exit> {
        let Heap::Str(text) = &**r else { return Ok(()) };
        let chars = Chars {
            each: self,
            chars: text.as_str().char_indices(),
            is_register: *self.var.ty == Type::Char && !self.var.boxed,
        };
        run_rounds(header, &self.body, vm, fp, chars)
    }
}

/// The elements of an array.
struct Items<'e> {
    each: &'e Each,
    array: &'e ObjectCell<Array>,
    indices: std::ops::Range<usize>,
    /// Whether the variable is a register, for whatever the elements are.
    are_registers: bool,
    /// Whether they may not fit the type of the variable.
    are_wider: bool,
}

impl Rounds for Items<'_> {
    #[inline(always)]
    fn begin_next(&mut self, vm: &mut Vm, fp: Fp) -> Result<(), Exit> {
        let index = self.indices.next().ok_or(Exit::Break)?;
        self.each.set_index(vm, fp, index);
        let slot = self.each.var.slot;
        match &peek(self.array, &vm.mutator).data {
            Elems::Ints(all) if self.are_registers => {
                if let Some(x) = all.get(index) {
                    vm.set_int(fp, slot, *x);
                }
            }
            elements => {
                match elements.register(index).filter(|x| self.are_registers && *x as i64 != SEE_WIDE) {
                    Some(content) => vm.frames.set(fp, slot, content),
                    None => self.set_item(vm, fp, index)?,
                }
            }
        }
        Ok(())
    }
}

impl Items<'_> {
    fn set_item(&self, vm: &mut Vm, fp: Fp, index: usize) -> Result<(), Stop> {
        let Each { var, site, .. } = self.each;
        let item = self.array.borrow().data.get(index).unwrap_or_default();
        let item = match var.ty.is_any() {
            true => item,
            false if self.are_wider => store(vm, &var.ty, item, site)?,
            false => item.followed(),
        };
        if self.array.is_frozen() {
            crate::value::freeze(&item);
        }
        var.init(vm, fp, item);
        Ok(())
    }
}

/// The characters of a text.
struct Chars<'e> {
    each: &'e Each,
    chars: std::str::CharIndices<'e>,
    /// Whether the variable is a register.
    is_register: bool,
}

impl Rounds for Chars<'_> {
    #[inline(always)]
    fn begin_next(&mut self, vm: &mut Vm, fp: Fp) -> Result<(), Exit> {
        let (offset, c) = self.chars.next().ok_or(Exit::Break)?;
        self.each.set_index(vm, fp, offset);
        if self.is_register {
            vm.frames.set(fp, self.each.var.slot, u64::from(c as u32));
        } else {
            self.each.var.init(vm, fp, Value::Char(c));
        }
        Ok(())
    }
}
