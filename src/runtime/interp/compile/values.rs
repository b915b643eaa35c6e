//! Expressions as self-describing values: the general case, and the only one for rare kinds of expressions.

use std::rc::Rc;

use crate::diagnostics::Code;
use crate::interp::access;
use crate::interp::arith::arith_values;
use crate::interp::boxing::{follow_ref, ref_value};
use crate::interp::closures::{Closure, RefFn, ValueFn, closure};
use crate::interp::convert::display_text;
use crate::interp::defaults::{default_field, default_new, default_variable};
use crate::interp::slots::Slot;
use crate::interp::targets::read_boxed;
use crate::interp::vm::{NativeCallSite, Stop, Vm, Wide};
use crate::interp::{builtins, convert, store};
use crate::program::{ArithOp, Expr, ExprKind, InterpPart};
use crate::source::Span;
use crate::sync::deeper_or;
use crate::value::{
    EnumDef, EnumValue, Fields, Heap, OrderedMap, Repr, Str, StructDef, Type, Value, memory, shown_as,
};

use super::Compiler;
use super::natives::{RegisterOperand, Unboxing};
use super::progress::{no_room, not_compiled};

/// A member of an enum as a value, once it has been defined.
pub(super) fn member(def: &Rc<EnumDef>, index: u32) -> Option<Value> {
    let (_, value) = def.members().get(index as usize)?;
    Some(Value::from(Heap::Enum(EnumValue { def: def.clone(), value: value.clone() })))
}

impl Compiler<'_> {
    /// Compiles any expression to a value. A reference as the result is followed, except for that of `ref()`.
    pub fn value(&mut self, e: &Expr) -> ValueFn {
        if !self.goes_on(e) {
            return closure(|vm, _| Err(not_compiled(vm)));
        }
        let watch = self.watch_of(e, None);
        let at = e.at;
        let closure = deeper_or(|| self.value_closure(e), || closure(move |vm, _| Err(no_room(vm, at))));
        match watch {
            Some(watch) => watch.value(closure),
            None => closure,
        }
    }

    fn value_closure(&mut self, e: &Expr) -> ValueFn {
        let at = e.at;
        match &e.kind {
            ExprKind::Const(value) => {
                let value = value.clone();
                closure(move |_, _| Ok(value.clone()))
            }
            ExprKind::Local(id) if self.is_boxed(*id) => {
                let slot = Slot::new(id.0);
                closure(move |vm, fp| read_boxed(vm, fp, slot, at))
            }
            ExprKind::Global(id) if self.plain_global(*id) => self.boxed_register(e),
            ExprKind::Global(id) => {
                let (id, early, fragment) = (*id, self.is_early(*id), self.fragment);
                closure(move |vm, _| {
                    if early && !vm.is_bound(id) {
                        let message = match fragment {
                            true => vm.not_declared(id),
                            false => format!("identifier not found: '{}'", vm.source_text(at)),
                        };
                        return vm.fail(Code::E4001, message, at);
                    }
                    Ok(vm.global_value(id))
                })
            }
            ExprKind::Local(_) => self.boxed_register(e),
            ExprKind::Arith(op, a, b) => self.arith_value(*op, a, b, e),
            ExprKind::Neg(a) if e.ty.repr() == Repr::Ref => {
                let a = self.value(a);
                closure(move |vm, fp| {
                    let x = a.run(vm, fp)?;
                    match x.plain() {
                        Value::Float(x) => Ok(Value::Float(-x)),
                        x => arith_values(vm, ArithOp::Sub, &Value::Int(0), &x, at),
                    }
                })
            }
            ExprKind::Index(base, index) if matches!(base.ty, Type::Map(..)) => self.entry(e, base, index),
            ExprKind::Index(base, index) => self.element(e, base, index),
            ExprKind::Field(base, field) => {
                let (field, name) = (*field, field_name(&base.ty, *field));
                let base = self.reference(base);
                closure(move |vm, fp| {
                    let held = follow_ref(base.get(vm, fp)?);
                    access::field_value(vm, held.as_deref(), (field, &name), at)
                })
            }
            ExprKind::FieldNamed(base, name) => {
                let (base, name) = (self.reference(base), name.clone());
                closure(move |vm, fp| {
                    let held = follow_ref(base.get(vm, fp)?);
                    access::named_field(vm, held.as_deref(), &name, at)
                })
            }
            ExprKind::EnumMember(def, index) => self.enum_member(def, *index),
            ExprKind::Array(items) => from_reference(self.array_literal(e, items)),
            ExprKind::Map(pairs) => self.map_literal(e, pairs),
            ExprKind::Struct(def, fields) => self.struct_literal(def, fields),
            ExprKind::Default => {
                let ty = e.ty.clone();
                closure(move |_, _| Ok(default_variable(&ty)))
            }
            ExprKind::New => {
                let ty = e.ty.clone();
                closure(move |_, _| Ok(default_new(&ty)))
            }
            ExprKind::Range(start, end, step) => self.range_value(start, end, step.as_deref(), at),
            ExprKind::Convert { value: a, counted } => {
                let (from, to, counted) = (a.ty.clone(), e.ty.clone(), *counted);
                let stmt = self.stmt;
                let a = self.value(a);
                closure(move |vm, fp| {
                    let value = a.run(vm, fp)?;
                    if counted && vm.depth == vm.depth_limit {
                        return super::calls::too_deep(vm, at);
                    }
                    if to == Type::Str && value.as_str().is_none() {
                        let shown = shown_as(&from, value.plain());
                        return display_text(vm, &shown, (fp, stmt, at)).map(Value::str);
                    }
                    convert::convert(vm, &value, &from, &to, at)
                })
            }
            ExprKind::ConvertArray(a) => {
                let to = e.ty.clone();
                let a = self.value(a);
                closure(move |vm, fp| {
                    let value = a.run(vm, fp)?;
                    convert::convert_array(vm, &value, &to, at)
                })
            }
            ExprKind::Native(native) => self.native(native, e),
            ExprKind::Builtin { which, args } => {
                let which = *which;
                let types: Vec<Type> = args.iter().map(|a| a.ty.clone()).collect();
                let args: Box<[ValueFn]> = args.iter().map(|a| self.value(a)).collect();
                let stmt = self.stmt;
                closure(move |vm, fp| {
                    let mut values = smallvec::SmallVec::<[Value; 2]>::new();
                    for arg in &args {
                        values.push(arg.run(vm, fp)?);
                    }
                    if vm.depth == vm.depth_limit {
                        return super::calls::too_deep(vm, at);
                    }
                    if which.asks_the_host() {
                        vm.native_at = Some((fp, stmt, at));
                    }
                    let value = builtins::call(vm, which, &values, &types, at)?;
                    if vm.error_watch.values {
                        vm.native_at = Some((fp, stmt, at));
                        vm.tell_error_value(&value)?;
                    }
                    Ok(value)
                })
            }
            ExprKind::RefTo(target) => {
                let reference = self.target_reference(target);
                closure(move |vm, fp| {
                    if vm.depth == vm.depth_limit {
                        return super::calls::too_deep(vm, at);
                    }
                    Ok(Value::Ref(reference.run(vm, fp)?))
                })
            }
            ExprKind::Store(a, site) => {
                let (ty, site) = (e.ty.clone(), site.clone());
                let a = self.value(a);
                closure(move |vm, fp| {
                    let value = a.run(vm, fp)?;
                    store::store(vm, &ty, value, &site)
                })
            }
            ExprKind::Raise(raise) => {
                let raise = raise.clone();
                closure(move |vm, _| vm.raise(&raise))
            }
            // Computed in a register of their type.
            ExprKind::Neg(_)
            | ExprKind::Not(_)
            | ExprKind::Compare(..)
            | ExprKind::And(..)
            | ExprKind::Or(..)
            | ExprKind::In { .. }
            | ExprKind::Interp(_)
            | ExprKind::Call { .. }
            | ExprKind::Postfix(..)
            | ExprKind::Copy { .. } => self.boxed_register(e),
        }
    }

    /// Evaluates to a register, and converts that to a value.
    fn boxed_register(&mut self, e: &Expr) -> ValueFn {
        if e.ty.repr() == Repr::Ref {
            return from_reference(self.reference(e));
        }
        with_register!(e.ty, C => {
            let (ty, f) = (e.ty.clone(), C::compile(self, e));
            closure(move |vm, fp| {
                let register = f.register(vm, fp);
                C::value(vm, &ty, register)
            })
        })
    }

    fn arith_value(&mut self, op: ArithOp, a: &Expr, b: &Expr, e: &Expr) -> ValueFn {
        let at = e.at;
        let ints = a.ty.repr() == Repr::Int && b.ty.repr() == Repr::Int && e.ty.repr() == Repr::Int;
        let number = |t: &Type| matches!(t.repr(), Repr::Int | Repr::Float);
        let floats = number(&a.ty) && number(&b.ty) && e.ty.repr() == Repr::Float;
        let strings = matches!((&a.ty, &b.ty), (Type::Str, Type::Str));
        if ints || floats || strings {
            return self.boxed_register(e);
        }
        let (a, b) = (self.value(a), self.value(b));
        closure(move |vm, fp| {
            let x = a.run(vm, fp)?;
            let y = b.run(vm, fp)?;
            arith_values(vm, op, &x, &y, at)
        })
    }

    fn enum_member(&mut self, def: &Rc<EnumDef>, index: u32) -> ValueFn {
        let def = def.clone();
        match member(&def, index) {
            Some(known) => closure(move |_, _| Ok(known.clone())),
            None => closure(move |_, _| Ok(member(&def, index).unwrap_or_default())),
        }
    }

    fn map_literal(&mut self, e: &Expr, pairs: &[(Expr, Expr)]) -> ValueFn {
        let (key_type, value_type) = match &e.ty {
            Type::Map(k, v) => (k.clone(), v.clone()),
            _ => (Rc::new(Type::Any), Rc::new(Type::Any)),
        };
        let pairs: Box<[_]> = pairs.iter().map(|(k, v)| (self.value(k), k.at, self.value(v))).collect();
        closure(move |vm, fp| {
            let mut entries = OrderedMap::new();
            for (key, at, value) in &pairs {
                let key = key.run(vm, fp)?;
                let key = access::map_key(vm, &key, "unusable as map key: ", *at)?;
                let value = value.run(vm, fp)?;
                entries.insert(key, value);
            }
            let (key, value) = (key_type.clone(), value_type.clone());
            let map = crate::value::MapValue { key, value, entries: Box::new(entries) };
            Ok(Value::from(Heap::Map(map.into())))
        })
    }

    fn struct_literal(&mut self, def: &Rc<StructDef>, fields: &[(u32, Expr)]) -> ValueFn {
        let def = def.clone();
        let count = def.fields().len();
        let in_order = fields.len() == count && fields.iter().enumerate().all(|(i, (f, _))| i == *f as usize);
        let fields: Box<[_]> = fields.iter().map(|(i, value)| (*i as usize, self.value(value))).collect();
        if in_order {
            return closure(move |vm, fp| {
                let mut values = Fields::nil(count);
                for (field, (_, value)) in values.iter_mut().zip(&fields) {
                    *field = value.run(vm, fp)?;
                }
                Ok(Value::struct_of(&def, values))
            });
        }
        closure(move |vm, fp| {
            let mut values: Vec<Option<Value>> = vec![None; count];
            for (i, value) in &fields {
                let value = value.run(vm, fp)?;
                if let Some(slot) = values.get_mut(*i) {
                    *slot = Some(value);
                }
            }
            let filled = values
                .into_iter()
                .zip(def.fields())
                .map(|(value, field)| value.unwrap_or_else(|| default_field(&def, field)));
            Ok(Value::structure(&def, filled))
        })
    }

    fn range_value(
        &mut self,
        start: &Expr,
        end: &Expr,
        step: Option<&Expr>,
        at: crate::source::Span,
    ) -> ValueFn {
        let (start, end) = (self.value(start), self.value(end));
        let step = step.map(|s| self.value(s));
        closure(move |vm, fp| {
            let start = start.run(vm, fp)?;
            let end = end.run(vm, fp)?;
            let step = match &step {
                Some(step) => step.run(vm, fp)?,
                None => Value::Int(1),
            };
            let range = crate::interp::ranges::range(vm, [&start, &end, &step], at)?;
            Ok(Value::from(Heap::Range(range)))
        })
    }

    /// `"a ${b} c"`.
    pub fn interpolate(&mut self, parts: &[InterpPart], at: Span) -> RefFn {
        enum Piece {
            Text(Rc<str>),
            Int(crate::interp::closures::IntFn),
            Value(ValueFn, Type),
        }
        let (start, others) = match parts {
            [InterpPart::Text(start), others @ ..] => (&**start, others),
            _ => ("", parts),
        };
        let start = compact_str::CompactString::new(start);
        let pieces: Box<[Piece]> = others
            .iter()
            .map(|part| match part {
                InterpPart::Text(text) => Piece::Text(text.clone()),
                InterpPart::Value(e) if e.ty.is_integer() => Piece::Int(self.int(e)),
                InterpPart::Value(e) => Piece::Value(self.value(e), e.ty.clone()),
            })
            .collect();
        let stmt = self.stmt;
        RefFn::new(move |vm, fp| {
            // Short texts need no allocation.
            let mut text = start.clone();
            for piece in &pieces {
                match piece {
                    Piece::Text(t) => text.push_str(t),
                    Piece::Int(f) => match f.get(vm, fp) {
                        Ok(i) => text.push_str(itoa::Buffer::new().format(i)),
                        Err(Wide) => {
                            let value = vm.take_value()?;
                            push_display(vm, &mut text, &value, (fp, stmt, at))?;
                        }
                    },
                    Piece::Value(f, ty) => {
                        let value = shown_as(ty, f.run(vm, fp)?);
                        push_display(vm, &mut text, &value, (fp, stmt, at))?;
                    }
                }
            }
            if vm.memory.is_low() {
                vm.check_memory(at)?;
            }
            Ok(Some(Rc::new(Heap::Str(Str::new(text)))))
        })
    }

    /// Whether a global is read directly from its slot.
    pub fn plain_global(&self, id: crate::program::GlobalId) -> bool {
        !self.is_early(id) && !self.global_boxed(id)
    }

    /// Whether the code may run before the global is declared.
    pub(super) fn is_early(&self, id: crate::program::GlobalId) -> bool {
        let declared = self.program.is_declared_by_main(id);
        // The checker has refused uses in `main` that come before the declaration; a condition or a log message of the
        // debugger may be among the initialisers, which the checker knows nothing of.
        self.early_calls
            || declared && (self.func != self.program.main || self.fragment)
            || self.fragment && self.func == self.program.init
    }

    pub fn global_boxed(&self, id: crate::program::GlobalId) -> bool {
        self.program.globals.get(id.0 as usize).is_some_and(|g| g.boxed)
    }
}

fn push_display(
    vm: &mut Vm,
    text: &mut compact_str::CompactString,
    value: &Value,
    at: NativeCallSite,
) -> Result<(), Stop> {
    match value.as_str() {
        Some(s) => push(text, s),
        None => push(text, &display_text(vm, value, at)?),
    }
    Ok(())
}

/// Appends, unless there is no memory ([`memory::deny`]).
fn push(text: &mut compact_str::CompactString, more: &str) {
    if memory::has_room(more.len() as u64) && text.try_reserve(more.len()).is_ok() {
        text.push_str(more);
    } else {
        memory::deny();
    }
}

fn from_reference(f: RefFn) -> ValueFn {
    closure(move |vm, fp| Ok(ref_value(f.get(vm, fp)?)))
}

pub fn field_name(ty: &Type, field: u32) -> Rc<str> {
    match ty {
        Type::Struct(def) => def.fields().get(field as usize).map_or("?".into(), |f| f.name.clone()),
        _ => "?".into(),
    }
}

impl crate::interp::vm::Vm {
    /// Makes the error pending of a node that always fails.
    pub fn raise<X>(&mut self, raise: &crate::program::Raise) -> Result<X, crate::interp::vm::Stop> {
        let code: Code = raise.code;
        let result = self.fail(code, raise.message.clone(), raise.at);
        if let crate::interp::vm::Pending::Error(error) = &mut self.pending {
            error.help = raise.help.as_ref().map(|help| help.text.clone());
        }
        result
    }
}
