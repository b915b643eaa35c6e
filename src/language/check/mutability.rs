//! What cannot be changed: the reports about it, which say what it is, and how to get what can be changed.

use std::rc::Rc;

use crate::syntax::ast;
use ez_runtime::diagnostics::{Code, constant_help};
use ez_runtime::program::LocalKind;
use ez_runtime::source::Span;

use super::checker::Checker;
use super::scopes::Binding;
use super::target_expr::root_name;

impl Checker<'_> {
    /// The name of the immutable local variable at the root of a target, if it is one.
    pub fn immutable_root(&self, e: &ast::Expr) -> Option<Rc<str>> {
        let name = root_name(e)?;
        match self.frame.lookup(name)? {
            Binding::Local(id) => self.frame.local(id).filter(|l| l.constant).map(|l| l.name.clone()),
            Binding::Unbound => Some(name.clone()),
            Binding::Extra(index) => {
                self.frame.extras.get(index).filter(|e| e.constant).map(|e| e.name.clone())
            }
        }
    }

    /// Reports the change of something in an immutable variable: E5017 for a field, else E5016.
    pub fn check_mutable(&mut self, target: &ast::Expr) {
        let Some(name) = self.immutable_root(target) else { return };
        if matches!(target.kind, ast::ExprKind::Member(..)) {
            let message = format!("cannot modify field of immutable struct '{name}' (declared as const)");
            self.report_help(Code::E5017, target.at, message, self.immutable_help(&name));
        } else {
            self.report_immutable(&name, target.at);
        }
    }

    /// E5016
    pub fn report_immutable(&mut self, name: &str, at: Span) {
        let message =
            format!("cannot modify immutable variable '{name}' (declared as const or as non-& parameter)");
        self.report_help(Code::E5016, at, message, self.immutable_help(name));
    }

    /// For a local variable that cannot be changed: what it is, and how to get one that can.
    pub fn immutable_help(&self, name: &str) -> Option<String> {
        let kind = match self.frame.lookup(name)? {
            Binding::Local(id) => self.frame.local(id)?.kind,
            Binding::Unbound => {
                return Some("main() is called without arguments: declare a variable in it".into());
            }
            Binding::Extra(_) => return None,
        };
        match kind {
            LocalKind::Parameter => self.parameter_help(name),
            LocalKind::Loop => Some(format!(
                "'{name}' gets its values from the loop: to compute with a copy, write temp copy = {name}"
            )),
            LocalKind::Result | LocalKind::Variable | LocalKind::Hidden => Some(constant_help(name)),
        }
    }

    fn parameter_help(&self, name: &str) -> Option<String> {
        let copy = format!("to compute with a copy, write temp copy = {name}");
        let decl = &self.syms.func(self.frame.func)?.decl;
        let parameter = decl.params.iter().find(|parameter| &*parameter.name.text == name)?;
        if parameter.default.is_some() {
            // One with a default cannot be a reference.
            return Some(format!("'{name}' is a parameter: {copy}"));
        }
        let function = &decl.name.text;
        Some(format!(
            "'{name}' is a parameter: to change what {function}(...) was given, declare it as &{name}; {copy}"
        ))
    }
}
