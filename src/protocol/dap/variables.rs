//! Requests about variables and the parts of values.

use serde_json::json;

use crate::protocol::Messages;
use crate::protocol::params::Params;
use crate::protocol::radix::Radix;
use ez_engine::api::{
    self, Children, Container, GetChildren, GetVariables, Scope, SetExpression, SetVariable,
};

use super::lifecycle::NOTHING;
use super::references::Target;
use super::values::{SHOWN, Variable, Variables, scope_shown};
use super::writing::Refusal;
use super::{Call, DapFrontEnd, Handler};

/// Maximum number of parts in a response without paging.
const MAX: usize = 10_000;

pub const REQUESTS: &[(&str, Handler)] = &[
    ("scopes", DapFrontEnd::scopes),
    ("variables", DapFrontEnd::variables),
    ("setVariable", DapFrontEnd::set_variable),
    ("setExpression", DapFrontEnd::set_expression),
];

/// The radix of integers in the answer to a request: `format`, with `hex`.
pub fn radix(params: &Params) -> Result<Radix, String> {
    let hex = params.object("format", |format| format.flag("hex"))?.unwrap_or(false);
    Ok(if hex { Radix::Hexadecimal } else { Radix::Decimal })
}

impl DapFrontEnd {
    fn scopes(&mut self, Call { from, params, work }: Call) -> Result<(), Refusal> {
        params.required("frameId", params.number("frameId", 0, u32::MAX)?)?;
        self.needs_stop()?;
        let frame = self.frame(params)?;
        let question = GetVariables { frame, scope: None, limits: NOTHING };
        self.ask(from, question, work, move |this, from, all, out| {
            let scopes = this.scopes_of(frame, all);
            this.numbering.success(out, from, Some(scopes));
        });
        Ok(())
    }

    fn variables(&mut self, Call { from, params, work }: Call) -> Result<(), Refusal> {
        let reference =
            params.required("variablesReference", params.number("variablesReference", 0, u32::MAX)?)?;
        let start = params.number("start", 0, u32::MAX)?.unwrap_or(0) as usize;
        let count = params.number("count", 0, u32::MAX)?.filter(|count| *count > 0);
        let filter = params.word("filter", &[("indexed", true), ("named", false)])?;
        let radix = radix(params)?;
        self.needs_variables()?;
        let target = self.references.target(reference)?;
        let counted = matches!(target, Target::Parts { counted: true, .. });
        let (shown, whole) = (count.map_or(MAX, |count| count as usize), count.is_none());
        if filter.is_some_and(|wanted| wanted != counted) {
            self.answer_now(from, Some(json!({"variables": []})), work);
            return Ok(());
        }
        match target {
            Target::Scope(frame, scope) => {
                let only = (scope == Scope::Global).then_some(scope);
                let question = GetVariables { frame, scope: only, limits: SHOWN };
                self.ask(from, question, work, move |this, from, all, out| {
                    let of_scope: Vec<_> =
                        all.iter().filter(|variable| scope_shown(variable.scope) == scope).collect();
                    let page = of_scope.into_iter().skip(start).take(shown);
                    let variables = this.variables_shown(page, radix);
                    this.numbering.success(out, from, Some(Variables { variables }));
                });
            }
            Target::Parts { handle, .. } => {
                let question = GetChildren { handle, start, count: shown, limits: SHOWN };
                self.ask(from, question, work, move |this, from, Children { children, total }, out| {
                    let mut variables = this.variables_shown(children.iter(), radix);
                    let left = total.saturating_sub(start + variables.len());
                    if whole && left > 0 {
                        variables.push(Variable::rest(left));
                    }
                    this.numbering.success(out, from, Some(Variables { variables }));
                });
            }
            Target::Returned => {
                let returned: Vec<Variable> =
                    self.returned(radix).into_iter().skip(start).take(shown).collect();
                self.answer_now(from, Some(json!({ "variables": returned })), work);
            }
        }
        Ok(())
    }

    fn set_variable(&mut self, Call { from, params, work }: Call) -> Result<(), Refusal> {
        let reference =
            params.required("variablesReference", params.number("variablesReference", 0, u32::MAX)?)?;
        let (name, value) = (params.required_text("name")?, params.required_text("value")?);
        let radix = radix(params)?;
        self.needs_variables()?;
        let container = match self.references.target(reference)? {
            Target::Scope(frame, _) => Container::Frame(frame),
            Target::Parts { handle, .. } => Container::Value(handle),
            Target::Returned => return Err("what a function has returned cannot be changed".into()),
        };
        let question = SetVariable { container, name, value, limits: SHOWN };
        self.ask(from, question, work, move |this, from, variable, out| {
            let client = this.client();
            let shown = Variable::new(&radix.variable(variable), &client, &mut this.references);
            this.numbering.success(out, from, Some(shown.result("value")));
            this.invalidate(out);
        });
        Ok(())
    }

    fn set_expression(&mut self, Call { from, params, work }: Call) -> Result<(), Refusal> {
        let (expression, value) = (params.required_text("expression")?, params.required_text("value")?);
        let radix = radix(params)?;
        self.needs_variables()?;
        let frame = self.frame(params)?;
        let question = SetExpression { expression, value, frame, limits: SHOWN };
        self.ask(from, question, work, move |this, from, value, out| {
            let client = this.client();
            let shown =
                Variable::described(String::new(), &radix.described(value), &client, &mut this.references);
            this.numbering.success(out, from, Some(shown.result("value")));
            this.invalidate(out);
        });
        Ok(())
    }

    /// Variables or parts of values in the form of the protocol.
    pub(super) fn variables_shown<'a>(
        &mut self,
        all: impl Iterator<Item = &'a api::Variable>,
        radix: Radix,
    ) -> Vec<Variable> {
        let client = self.client();
        all.map(|variable| Variable::new(&radix.variable(variable), &client, &mut self.references)).collect()
    }

    /// Tells the client that the values it shows are out of date.
    pub(super) fn invalidate(&mut self, out: &mut Messages) {
        if self.client().wants_invalidated {
            self.numbering.event(out, "invalidated", json!({"areas": ["variables"]}));
        }
    }
}
