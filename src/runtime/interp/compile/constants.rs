//! Constants at file level whose values are known before the program runs.

use std::collections::HashMap;

use crate::program::{Expr, ExprKind, GlobalId, Program, StmtKind};
use crate::value::{Type, Value};

use super::Compiler;

/// The values of scalar constants that are initialised with a literal.
#[derive(Debug, Default)]
pub struct Constants(HashMap<GlobalId, Value>);

impl Constants {
    /// The constants of a program none of whose functions can run before they are initialised.
    pub fn of(program: &Program) -> Constants {
        let mut constants = Constants::default();
        let Some(init) = program.function(program.init) else { return constants };
        for stmt in &init.body.stmts {
            let StmtKind::DeclareGlobal { global, value } = &stmt.kind else { continue };
            let ExprKind::Const(literal) = &value.kind else { continue };
            let info = program.globals.get(global.0 as usize);
            let is_exact = info.is_some_and(|global| {
                global.constant
                    && !global.boxed
                    && match literal {
                        Value::Int(_) => global.ty == Type::INT,
                        Value::Float(_) => global.ty == Type::FLOAT,
                        Value::Bool(_) => global.ty == Type::Bool,
                        _ => false,
                    }
            });
            if is_exact {
                constants.0.insert(*global, literal.clone());
            }
        }
        constants
    }
}

impl Compiler<'_> {
    /// The value of a literal, or of a constant at file level that has been initialised when this code runs.
    pub fn known<'v>(&'v self, e: &'v Expr) -> Option<&'v Value> {
        if let ExprKind::Const(value) = &e.kind {
            return Some(value);
        }
        let ExprKind::Global(id) = &e.kind else { return None };
        self.constants.0.get(id).filter(|_| !self.is_observing() && self.func != self.program.init)
    }

    /// Like [`Compiler::known`], for an `int` of 64 bits.
    pub fn known_int(&self, e: &Expr) -> Option<i64> {
        match self.known(e)? {
            Value::Int(k) => Some(*k),
            _ => None,
        }
    }

    /// Like [`Compiler::known`], for a `float`.
    pub fn known_float(&self, e: &Expr) -> Option<f64> {
        match self.known(e)? {
            Value::Float(k) => Some(*k),
            _ => None,
        }
    }
}
