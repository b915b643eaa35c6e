//! Selection of the operand type for an expression: constants and plain locals are compiled into the node;
//! everything else is a closure.

/// Binds `$x` to an integer operand for `$e`, and expands `$body` for each operand type.
macro_rules! int_operand {
    ($b:expr, $e:expr, $x:ident => $body:expr) => {{
        let e: &$crate::program::Expr = $e;
        if let Some(k) = $b.known_int(e) {
            let $x = $crate::interp::operand::Constant(k);
            $body
        } else if let Some(slot) = $b.plain_local(e, $crate::value::Repr::Int) {
            let $x = $crate::interp::operand::LocalInt(slot);
            $body
        } else {
            let $x = $b.int(e);
            $body
        }
    }};
}

/// Like `int_operand`, without the case of a constant.
macro_rules! local_operand {
    ($b:expr, $e:expr, $x:ident => $body:expr) => {{
        let e: &$crate::program::Expr = $e;
        if let Some(slot) = $b.plain_local(e, $crate::value::Repr::Int) {
            let $x = $crate::interp::operand::LocalInt(slot);
            $body
        } else {
            let $x = $b.int(e);
            $body
        }
    }};
}

/// Binds `$x` to the operand of an index: a local, a sum or difference of locals and constants, or any expression.
macro_rules! index_operand {
    ($b:expr, $e:expr, $x:ident => $body:expr) => {{
        let e: &$crate::program::Expr = $e;
        if let Some($x) = $b.simple_sum(e) {
            $body
        } else {
            local_operand!($b, e, $x => $body)
        }
    }};
}

/// Binds `$x` to an integer operand: a local, a local plus or minus a constant, or any expression.
macro_rules! offset_operand {
    ($b:expr, $e:expr, $x:ident => $body:expr) => {{
        let e: &$crate::program::Expr = $e;
        if let Some($x) = $b.local_plus(e) {
            $body
        } else {
            local_operand!($b, e, $x => $body)
        }
    }};
}

/// Binds `$x` to a call with an integer result, if `$e` is one, and expands `$body`.
macro_rules! call_operand {
    ($b:expr, $e:expr, $x:ident => $body:expr, else $otherwise:expr) => {{
        let e: &$crate::program::Expr = $e;
        if let $crate::program::ExprKind::Call { func, args } = &e.kind
            && !$b.fragment
            && !$b.is_observing()
        {
            match $b.single_int(*func, args) {
                Some(one) => match $b.local_plus(one) {
                    Some(arg) => {
                        let $x = $b.call_one(*func, arg, e.at);
                        $body
                    }
                    None => {
                        let arg = $b.int(one);
                        let $x = $b.call_one(*func, arg, e.at);
                        $body
                    }
                },
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

/// Binds `$x` to a float operand; integer expressions are converted.
macro_rules! float_operand {
    ($b:expr, $e:expr, $x:ident => $body:expr) => {{
        let e: &$crate::program::Expr = $e;
        if let Some(k) = $b.known_float(e) {
            let $x = $crate::interp::operand::Constant(k);
            $body
        } else if let Some(slot) = $b.plain_local(e, $crate::value::Repr::Float) {
            let $x = $crate::interp::operand::LocalFloat(slot);
            $body
        } else {
            let $x = $b.float(e);
            $body
        }
    }};
}

/// Binds `$x` to a bool operand: a constant, or any expression.
macro_rules! bool_operand {
    ($b:expr, $e:expr, $x:ident => $body:expr) => {{
        let e: &$crate::program::Expr = $e;
        if let Some($crate::value::Value::Bool(k)) = $b.known(e) {
            let $x = $crate::interp::operand::Constant(*k);
            $body
        } else {
            let $x = $b.boolean(e);
            $body
        }
    }};
}

/// Binds `$x` to an object operand: a local (boxed or not), an element of one, or any expression.
macro_rules! object_operand {
    ($b:expr, $e:expr, $x:ident => $body:expr) => {{
        let e: &$crate::program::Expr = $e;
        if let Some(slot) = $b.plain_local(e, $crate::value::Repr::Ref).filter(|_| !e.ty.is_any()) {
            let $x = $crate::interp::operand::LocalRef(slot);
            $body
        } else if let Some(slot) = $b.boxed_local(e).filter(|_| !e.ty.is_any()) {
            let $x = $crate::interp::operand::BoxedRef(slot, e.at);
            $body
        } else if let Some((container, index)) = $b.element_of_local(e) {
            match container {
                $crate::interp::compile::places::LocalContainer::Plain(slot) => {
                    let container = $crate::interp::operand::LocalRef(slot);
                    local_operand!($b, index, index => {
                        let $x = $crate::interp::operand::ElementRef { container, index, at: e.at };
                        $body
                    })
                }
                $crate::interp::compile::places::LocalContainer::Boxed(slot, index) => {
                    let container = $crate::interp::operand::BoxedRef(slot, e.at);
                    let index = $crate::interp::operand::LocalInt(index);
                    let $x = $crate::interp::operand::ElementRef { container, index, at: e.at };
                    $body
                }
            }
        } else {
            let $x = $b.reference(e);
            $body
        }
    }};
}

/// Maps an arithmetic operator to its type.
macro_rules! with_arith {
    ($op:expr, $O:ident => $body:expr) => {
        match $op {
            $crate::program::ArithOp::Add => {
                type $O = $crate::interp::arith::Add;
                $body
            }
            $crate::program::ArithOp::Sub => {
                type $O = $crate::interp::arith::Sub;
                $body
            }
            $crate::program::ArithOp::Mul => {
                type $O = $crate::interp::arith::Mul;
                $body
            }
            $crate::program::ArithOp::Div => {
                type $O = $crate::interp::arith::Div;
                $body
            }
            $crate::program::ArithOp::Mod => {
                type $O = $crate::interp::arith::Mod;
                $body
            }
        }
    };
}

/// Maps a comparison operator to its type.
macro_rules! with_compare {
    ($op:expr, $O:ident => $body:expr) => {
        match $op {
            $crate::program::CompareOp::Eq => {
                type $O = $crate::interp::arith::Eq;
                $body
            }
            $crate::program::CompareOp::Ne => {
                type $O = $crate::interp::arith::Ne;
                $body
            }
            $crate::program::CompareOp::Lt => {
                type $O = $crate::interp::arith::Lt;
                $body
            }
            $crate::program::CompareOp::Le => {
                type $O = $crate::interp::arith::Le;
                $body
            }
            $crate::program::CompareOp::Gt => {
                type $O = $crate::interp::arith::Gt;
                $body
            }
            $crate::program::CompareOp::Ge => {
                type $O = $crate::interp::arith::Ge;
                $body
            }
        }
    };
}

/// Binds a condition: a comparison of a local with a local or constant is compiled in; everything else is a
/// closure.
macro_rules! cond_operand {
    ($b:expr, $e:expr, $x:ident => $body:expr) => {{
        let e: &$crate::program::Expr = $e;
        match $b.simple_comparison(e) {
            Some((op, left, $crate::interp::operand::Simple::Local(right))) => with_compare!(op, O => {
                let $x = $crate::interp::operand::CompareInts::<O, _, _> {
                    left: $crate::interp::operand::LocalInt(left),
                    right: $crate::interp::operand::LocalInt(right),
                    at: e.at,
                    op: std::marker::PhantomData,
                };
                $body
            }),
            Some((op, left, $crate::interp::operand::Simple::Constant(right))) => with_compare!(op, O => {
                let $x = $crate::interp::operand::CompareInts::<O, _, _> {
                    left: $crate::interp::operand::LocalInt(left),
                    right: $crate::interp::operand::Constant(right),
                    at: e.at,
                    op: std::marker::PhantomData,
                };
                $body
            }),
            None => {
                let $x = $b.boolean(e);
                $body
            }
        }
    }};
}

/// Binds `$x` to a map operand: a local, or any expression.
macro_rules! map_operand {
    ($b:expr, $e:expr, $x:ident => $body:expr) => {{
        let e: &$crate::program::Expr = $e;
        if let Some(slot) = $b.plain_local(e, $crate::value::Repr::Ref) {
            let $x = $crate::interp::operand::LocalRef(slot);
            $body
        } else {
            let $x = $b.reference(e);
            $body
        }
    }};
}

/// Binds `$x` to the operand of a map's key.
macro_rules! key_operand {
    ($b:expr, $e:expr, $x:ident => $body:expr) => {{
        let e: &$crate::program::Expr = $e;
        if e.ty == $crate::value::Type::INT {
            local_operand!($b, e, key => {
                let $x = $crate::interp::keys::IntKeys(key);
                $body
            })
        } else if e.ty != $crate::value::Type::Str {
            let $x = $b.value(e);
            $body
        } else if let Some(slot) = $b.plain_local(e, $crate::value::Repr::Ref) {
            let $x = $crate::interp::keys::LocalKey(slot);
            $body
        } else {
            let $x = $crate::interp::keys::StrKeys($b.reference(e));
            $body
        }
    }};
}
