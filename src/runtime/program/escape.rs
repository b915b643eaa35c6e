//! Finds `&` parameters that need no box.
//!
//! A `&` parameter that holds an array, map or struct and is only changed in place, never assigned itself,
//! behaves like a plain parameter as long as nobody assigns the caller's variable meanwhile; and nobody can
//! if that variable is a local which is only ever passed to such parameters. Parameters and locals that form
//! such a closed group are kept in slots instead of boxes (`boxed` is cleared), so that access is as fast as
//! for any local.

use std::collections::HashSet;
use std::rc::Rc;

use super::visit::{Use, Visitor, walk};
use super::{FuncId, Function, LocalId, Stmt, StmtKind, Target, TargetKind};

type Variable = (FuncId, LocalId);

/// Clears `boxed` of variables that need no box.
pub fn unbox_non_escaping(functions: &mut [Rc<Function>]) {
    let mut group = candidates(functions);
    let mut survey = Survey {
        function: FuncId(0),
        stored: HashSet::new(),
        referred: HashSet::new(),
        passed: Vec::new(),
        given_others: HashSet::new(),
    };
    for function in functions.iter() {
        survey.function = function.id;
        walk(&function.body.stmts, &mut survey);
    }
    survey.settle(functions, &mut group);
    for function in functions {
        let id = function.id;
        let Some(function) = Rc::get_mut(function) else { continue };
        for (index, local) in function.locals.iter_mut().enumerate() {
            if group.contains(&(id, LocalId(index as u32))) {
                local.boxed = false;
            }
        }
    }
}

fn candidates(functions: &[Rc<Function>]) -> HashSet<Variable> {
    let all =
        functions.iter().flat_map(|f| f.locals.iter().enumerate().map(move |(i, local)| (f.id, i, local)));
    all.filter(|(_, _, local)| local.boxed && local.ty.is_container())
        .map(|(func, i, _)| (func, LocalId(i as u32)))
        .collect()
}

/// How the program uses variables themselves, as opposed to their parts.
struct Survey {
    function: FuncId,
    /// Assigned.
    stored: HashSet<Variable>,
    /// Referred to by `ref()`.
    referred: HashSet<Variable>,
    /// Variables passed to parameters.
    passed: Vec<(Variable, Variable)>,
    /// Parameters that are passed something else than a local.
    given_others: HashSet<Variable>,
}

impl Visitor for Survey {
    fn stmt(&mut self, stmt: &Stmt) {
        // A variable declared from `ref()` is another name for some target.
        if let StmtKind::DeclareRef { local, .. } = stmt.kind {
            self.referred.insert((self.function, local));
        }
    }

    fn target(&mut self, target: &Target, how: Use) {
        let here = if let TargetKind::Local(id) = target.kind { Some((self.function, id)) } else { None };
        match (how, here) {
            (Use::Stored, Some(variable)) => {
                self.stored.insert(variable);
            }
            (Use::Referred, Some(variable)) => {
                self.referred.insert(variable);
            }
            (Use::Passed(func, i), Some(variable)) => {
                self.passed.push((variable, (func, LocalId(i as u32))));
            }
            (Use::Passed(func, i), None) => {
                self.given_others.insert((func, LocalId(i as u32)));
            }
            (Use::Stored | Use::Referred, None) => {}
        }
    }
}

impl Survey {
    /// Removes variables from the group until it is closed.
    fn settle(&self, functions: &[Rc<Function>], group: &mut HashSet<Variable>) {
        let by_ref: HashSet<Variable> = functions
            .iter()
            .flat_map(|f| f.params.iter().filter(|p| p.by_ref).map(move |p| (f.id, p.local)))
            .collect();
        group.retain(|variable| {
            let reassigned = by_ref.contains(variable) && self.stored.contains(variable);
            !(reassigned || self.referred.contains(variable) || self.given_others.contains(variable))
        });
        loop {
            let before = group.len();
            for (variable, parameter) in &self.passed {
                if !group.contains(parameter) {
                    group.remove(variable);
                }
                if !group.contains(variable) {
                    group.remove(parameter);
                }
            }
            if group.len() == before {
                return;
            }
        }
    }
}
