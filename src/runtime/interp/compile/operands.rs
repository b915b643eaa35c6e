//! Operands: the parts of an expression or statement for which its closure exists in several forms, so that the
//! frequent ones take no native call of their own.
//!
//! Each macro binds `$x` to the operand for `$e` in the first form that fits, and expands `$body` for it; the last form
//! is any expression, compiled to a closure. What fits is recognised in [`forms`](super::forms). To take a form out, delete
//! it here; to add one, show what it gains.
//!
//! What each gains: how many times as many instructions a benchmark program (`benches/programs`, with less to do)
//! takes without it, counted by `valgrind --tool=callgrind`, the time to start included. Forms without a number here
//! were taken out.
//!
//! | form | programs |
//! |---|---|
//! | integer: a constant | maps 1.08, loops 1.05 |
//! | integer: a local | loops 1.18, letters 1.11, sort 1.09, strings 1.09 |
//! | integer: a product of a local and a simple one (left operands) | loops 1.16 |
//! | index: a sum of constants and locals, that of one or two locals without a loop; integer: an element of `[int]` in a local at such an index (comparisons, declarations, stores) | sort 1.16, queens 1.03 |
//! | index: a local | matmul 1.21, nbody 1.10, sieve 1.08 |
//! | call: as an operand | fib 1.02, and a native call less a level (`body`): `benches/limits.py` |
//! | call: with one integer | fib 1.06 |
//! | float: a constant, a local | mandelbrot 1.06, 1.33 |
//! | float: a formula (declarations, assignments); its left operand without a closure | mandelbrot 1.46; 1.12 |
//! | object: a local | sort 1.25, sieve 1.19, queens 1.10 |
//! | object: an element of a local | matmul 1.23, nbody 1.19, structs 1.08 |
//! | condition: a comparison of locals and constants | sieve 1.09 |
//! | condition: two or three connected by `&&` or `||` | queens 1.05 |
//! | condition: a comparison of formulas | mandelbrot 1.03 |
//! | map: a local | maps 1.06 |
//! | key: an `int`, a string, a string at hand | maps 1.23, 1.16, 1.04 |
//!
//! The same of the statements and expressions that have a form of their own for a type:
//!
//! | form | programs |
//! |---|---|
//! | `array[i] = x` (`assign`): `int`, `bool`, objects | sort 2.9, sieve 3.6, structs 1.6; `float` like these |
//! | `local op= x`: `int`, `float` | loops 7.3, matmul 3.7 |
//! | `object.field op= x`: `float` | nbody 4.0 |
//! | `map[key] = x`, `map[key] op= x` (`entries`) | maps 1.65, 2.4 |
//! | functions of `math` (`quick`) | nbody 1.13 |
//! | comparison of floats (`bools`) | mandelbrot 1.45 |
//! | comparison with a constant `char`, and with one of several constants (`bools`) | letters 1.43 |
//!
//! And of calls, in `benches/shapes.py`:
//!
//! | form | shapes |
//! |---|---|
//! | functions of `math` on registers (`quick`) | abs 5.4, max of floats 15, is_even 6.1, pow 3.3 |
//! | reading and changing parts (`containers`) | arrays.first and last 4.9, arrays.get and set 11, maps.get 4.1, maps.set 5.2, maps.remove 2.1 |

/// The first of some operands that there is.
macro_rules! first_of {
    ($x:ident => $body:expr; else $general:expr) => {{
        let $x = $general;
        $body
    }};
    ($x:ident => $body:expr; $form:expr, $($others:tt)*) => {
        if let Some($x) = $form { $body } else { first_of!($x => $body; $($others)*) }
    };
}

/// An integer: a constant, a local, or any expression.
macro_rules! int_operand {
    ($b:expr, $e:expr, $x:ident => $body:expr) => {{
        let e: &$crate::program::Expr = $e;
        first_of!($x => $body; $b.constant_int(e), $b.local_int(e), else $b.int(e))
    }};
}

/// The operands of `base[index]`: an object (see `object_operand`), and an index: a local, a constant or sum of constants and
/// locals, or any expression.
macro_rules! element_operands {
    ($b:expr, ($base_expr:expr, $index_expr:expr), ($base:ident, $index:ident) => $body:expr) => {{
        let (base, index): (&$crate::program::Expr, &$crate::program::Expr) = ($base_expr, $index_expr);
        match $b.local_object(base) {
            Some($base) => first_of!($index => $body;
                $b.constant_int(index), $b.local_int(index),
                $b.sum_of_locals::<1>(index), $b.sum_of_locals::<2>(index), $b.simple_sum(index),
                else $b.int(index)),
            None => first_of!($base => {
                first_of!($index => $body; $b.local_int(index), $b.simple_sum(index), else $b.int(index))
            }; $b.local_element(base), $b.computed_element(base), else $b.reference(base)),
        }
    }};
}

/// The argument of a call with one integer: a local plus or minus a constant, a local, or any expression.
macro_rules! argument_operand {
    ($b:expr, $e:expr, $x:ident => $body:expr) => {{
        let e: &$crate::program::Expr = $e;
        first_of!($x => $body; $b.local_plus(e), $b.local_int(e), else $b.int(e))
    }};
}

/// The left operand of an operation on integers: a constant, a local, a product of a local and a simple one, or any
/// expression.
macro_rules! left_operand {
    ($b:expr, $e:expr, $x:ident => $body:expr) => {{
        let e: &$crate::program::Expr = $e;
        first_of!($x => $body; $b.constant_int(e), $b.local_int(e), $b.simple_product(e), else $b.int(e))
    }};
}

/// A call, if `$e` is one.
macro_rules! call_operand {
    ($b:expr, $e:expr, $x:ident => $body:expr, else $otherwise:expr) => {{
        let e: &$crate::program::Expr = $e;
        if let $crate::program::ExprKind::Call { func, args } = &e.kind
            && !$b.fragment
            && !$b.is_observing()
        {
            match $b.single_int(*func, args) {
                Some(one) => first_of!(arg => {
                    let $x = $b.call_one(*func, arg, e.at);
                    $body
                }; $b.local_plus(one), else $b.int(one)),
                None => {
                    let $x = $b.call_many(*func, args, e.at);
                    $body
                }
            }
        } else {
            $otherwise
        }
    }};
}

/// A float: a constant, a local, or any expression; integers are converted.
macro_rules! float_operand {
    ($b:expr, $e:expr, $x:ident => $body:expr) => {{
        let e: &$crate::program::Expr = $e;
        first_of!($x => $body; $b.constant_float(e), $b.local_float(e), else $b.float(e))
    }};
}

/// A float as `float_operand` has it, or a formula.
macro_rules! formula_operand {
    ($b:expr, $e:expr, $x:ident => $body:expr) => {{
        let e: &$crate::program::Expr = $e;
        match $b.formula(e) {
            Some($crate::interp::formula::Term::Operation(operation)) => {
                $crate::interp::formula::with_formula!(operation, $x => $body)
            }
            Some($crate::interp::formula::Term::Local(slot)) => {
                let $x = $crate::interp::operand::LocalFloat(slot);
                $body
            }
            Some($crate::interp::formula::Term::Constant(k)) => {
                let $x = $crate::interp::operand::Constant(k);
                $body
            }
            Some($crate::interp::formula::Term::Int(_)) | None => {
                let $x = $b.float(e);
                $body
            }
        }
    }};
}

/// An object: a local, an element of one, or any expression.
macro_rules! object_operand {
    ($b:expr, $e:expr, $x:ident => $body:expr) => {{
        let e: &$crate::program::Expr = $e;
        first_of!($x => $body;
            $b.local_object(e), $b.local_element(e), $b.computed_element(e),
            else $b.reference(e))
    }};
}

/// An integer that is compared or assigned: a constant or local, an element of a local at an index that is a local or a
/// sum of simple ones, or any expression.
macro_rules! element_operand {
    ($b:expr, $e:expr, $x:ident => $body:expr) => {{
        let e: &$crate::program::Expr = $e;
        first_of!($x => $body;
            $b.constant_int(e), $b.local_int(e), $b.int_at_local(e), $b.int_at_sum::<1>(e), $b.int_at_sum::<2>(e),
            else $b.int(e))
    }};
}

/// What an integer is compared with: a constant, a local, or any expression.
macro_rules! compared_operand {
    ($b:expr, $e:expr, $x:ident => $body:expr) => {{
        let e: &$crate::program::Expr = $e;
        first_of!($x => $body; $b.constant_register(e), $b.local_int(e), else $b.int(e))
    }};
}

/// The condition of a loop: a comparison of a local with a constant or a local, that and another condition, or any
/// expression. Nil counts as false.
macro_rules! loop_condition_operand {
    ($b:expr, $e:expr, $x:ident => $body:expr) => {{
        let e: &$crate::program::Expr = $e;
        first_of!($x => $body;
            $b.comparison_with_local(e), $b.comparison_with_constant(e), $b.comparison_and_another(e),
            else $b.condition(e))
    }};
}

/// A condition: a comparison of a local with a constant or a local, two or three conditions connected by `&&` or `||`, a
/// comparison of formulas, or any expression. Nil counts as false.
macro_rules! condition_operand {
    ($b:expr, $e:expr, $x:ident => $body:expr) => {{
        let e: &$crate::program::Expr = $e;
        first_of!($x => $body;
            $b.comparison_with_local(e), $b.comparison_with_constant(e),
            $b.comparison_and_another(e), $b.two_conditions(e), $b.three_conditions(e),
            $b.compared_with_constant(e), $b.compared_with_formula(e),
            else $b.condition(e))
    }};
}

/// A map: a local, or any expression.
macro_rules! map_operand {
    ($b:expr, $e:expr, $x:ident => $body:expr) => {{
        let e: &$crate::program::Expr = $e;
        first_of!($x => $body; $b.local_object(e), else $b.reference(e))
    }};
}

/// The key of a map: an `int`, a string in a local or a constant one, any string, or any expression.
macro_rules! key_operand {
    ($b:expr, $e:expr, $x:ident => $body:expr) => {{
        let e: &$crate::program::Expr = $e;
        first_of!($x => $body; $b.int_key(e), $b.string_at_hand(e), $b.string_key(e), else $b.value(e))
    }};
}

/// Expands `$body` with `$C` for the closures whose registers hold scalars of a type.
macro_rules! with_register {
    ($ty:expr, $C:ident => $body:expr) => {
        match $ty.repr() {
            $crate::value::Repr::Float => {
                type $C = $crate::interp::closures::FloatFn;
                $body
            }
            $crate::value::Repr::Bool => {
                type $C = $crate::interp::closures::BoolFn;
                $body
            }
            $crate::value::Repr::Int | $crate::value::Repr::Ref => {
                type $C = $crate::interp::closures::IntFn;
                $body
            }
        }
    };
}

/// A string: in a local or a constant one, or any expression.
macro_rules! string_operand {
    ($b:expr, $e:expr, $x:ident => $body:expr) => {{
        let e: &$crate::program::Expr = $e;
        first_of!($x => $body; $b.string_at_hand(e), else $crate::interp::keys::StrKeys($b.reference(e)))
    }};
}

/// Expands `$body` for each arithmetic operator, with `$O` for its type.
macro_rules! with_arith {
    ($op:expr, $O:ident => $body:expr) => {
        with_arith!($op, $O => $body; Add Sub Mul Div Mod)
    };
    ($op:expr, $O:ident => $body:expr; $($operator:ident)*) => {
        match $op {
            $($crate::program::ArithOp::$operator => {
                type $O = $crate::interp::arith::$operator;
                $body
            })*
        }
    };
}

/// A scalar that is no unboxed local, if the target is one that is found without side effects: expands `$body` with it.
macro_rules! scalar_operand {
    ($b:expr, $target:expr, $scalar:ident => $body:expr) => {{
        let target: &$crate::program::Target = $target;
        if let $crate::program::TargetKind::Index { base, index, constant: None } = &target.kind
            && $b.may_repeat(&[base, index])
        {
            if $b.is_element(base, index) {
                let index_type = index.ty.clone();
                first_of!(base => first_of!(index => {
                    let $scalar = $crate::interp::compile::scalar_targets::Element { base, index, index_type };
                    $body
                }; $b.simple_int(index), else $b.int(index));
                $b.local_object(base), $b.computed_element(base), else $b.reference(base));
            } else if matches!(base.ty, $crate::value::Type::Map(..)) {
                map_operand!($b, base, map => key_operand!($b, index, key => {
                    let $scalar = $crate::interp::compile::scalar_targets::Entry { map, key };
                    $body
                }));
            }
        } else {
            variable_or_field!($b, target, $scalar => $body)
        }
    }};
}

/// A global, a boxed local, or a field, if the target is one that is found without side effects.
macro_rules! variable_or_field {
    ($b:expr, $target:expr, $scalar:ident => $body:expr) => {{
        let target: &$crate::program::Target = $target;
        if let Some($scalar) = $b.global_slot(target) {
            $body
        } else if let Some($scalar) = $b.boxed_variable(target) {
            $body
        } else if let $crate::program::TargetKind::Field { base, field } = &target.kind
            && $b.may_repeat(&[base])
        {
            let field = *field;
            object_operand!($b, base, base => {
                let $scalar = $crate::interp::compile::scalar_targets::Field { base, field };
                $body
            });
        }
    }};
}
