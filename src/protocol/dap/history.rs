//! Custom requests that ask about the past: `lastChange`, `changes`, `outputStep`.

use serde_json::{Map, Value, json};

use crate::protocol::parameter::{STREAMS, page_of_changes};
use crate::protocol::radix::Radix;
use crate::protocol::value_text::{Notation, preview};
use ez_engine::api::{
    Change, Changes, Described, GetChanges, GetOutputSteps, LastChange, LastChangeQuery, Limits, OutputStep,
};

use super::client::Client;
use super::variables::radix;
use super::writing::Refusal;
use super::{Call, DapFrontEnd, Handler};

/// Maximum size of an old and a new value, in bytes.
const SHOWN_BYTES: usize = 1024;

pub const REQUESTS: &[(&str, Handler)] = &[
    ("lastChange", DapFrontEnd::last_change),
    ("changes", DapFrontEnd::changes),
    ("outputStep", DapFrontEnd::output_step),
];

impl DapFrontEnd {
    fn last_change(&mut self, Call { from, params, work }: Call) -> Result<(), Refusal> {
        self.needs_history()?;
        let expression = params.required_text("expression")?;
        let question = LastChangeQuery { expression, frame: self.frame(params)?, limits: Limits::PREVIEW };
        self.ask(from, question, work, |this, from, change, out| {
            let body = last_change(&this.client(), change);
            this.numbering.success(out, from, Some(body));
        });
        Ok(())
    }

    fn changes(&mut self, Call { from, params, work }: Call) -> Result<(), Refusal> {
        let expression = params.required_text("expression")?;
        let (before, count) = page_of_changes(params)?;
        let radix = radix(params)?;
        self.needs_history()?;
        let frame = self.frame(params)?;
        let question = GetChanges { expression, frame, before, count, limits: Limits::PREVIEW };
        self.ask(from, question, work, move |this, from, found, out| {
            let body = changes(&this.client(), found, radix);
            this.numbering.success(out, from, Some(body));
        });
        Ok(())
    }

    fn output_step(&mut self, Call { from, params, work }: Call) -> Result<(), Refusal> {
        let offset = params.required("offset", params.count("offset", 0)?)?;
        let stream = params.word("stream", &STREAMS)?;
        self.needs_history()?;
        self.ask(from, GetOutputSteps { offsets: vec![offset], stream }, work, |this, from, found, out| {
            let body = found.first().map(|found| output_step(&this.client(), found));
            this.numbering.success(out, from, body);
        });
        Ok(())
    }
}

/// Members with the text of a value, of those that are there.
fn values<'a>(
    named: [(&'a str, &'a Option<Described>); 2],
    radix: Radix,
) -> impl Iterator<Item = (String, Value)> + 'a {
    named.into_iter().filter_map(move |(name, value)| {
        let text = preview(&radix.value(&value.as_ref()?.value), Notation::Braces, SHOWN_BYTES).0;
        Some((name.to_string(), text.into()))
    })
}

/// The body of the response to `changes`, which is the same as in the line protocol.
fn changes(client: &Client, found: &Changes, radix: Radix) -> Value {
    let row = |change: &Change| {
        let mut row = client.placed(&change.location);
        row.insert("step".into(), change.step.into());
        if change.at_end {
            row.insert("ensure".into(), true.into());
        }
        row.insert("cause".into(), change.cause.name().into());
        row.extend(values([("oldValue", &change.old), ("newValue", &change.new)], radix));
        row
    };
    let rows: Vec<Map<String, Value>> = found.changes.iter().map(row).collect();
    let mut body = json!({ "expression": found.expression.as_str(), "changes": rows });
    if let (Some(next), Some(body)) = (found.next, body.as_object_mut()) {
        body.insert("next".into(), next.into());
    }
    body
}

/// The body of the response to `outputStep`, which is the same as in the line protocol.
fn output_step(client: &Client, found: &OutputStep) -> Value {
    let mut body = client.placed(&found.location);
    body.insert("offset".into(), found.offset.into());
    body.insert("step".into(), found.step.into());
    if found.at_end {
        body.insert("ensure".into(), true.into());
    }
    if found.by_client {
        body.insert("client".into(), true.into());
    }
    body.into()
}

/// The body of the response to `lastChange`, which is the same as in the line protocol.
fn last_change(client: &Client, change: &LastChange) -> Value {
    let mut body = json!({
        "expression": change.expression.as_str(),
        "cause": change.cause.name(),
        "description": change.description,
        "step": change.step,
    });
    if let Some(body) = body.as_object_mut() {
        body.extend(client.placed(&change.location));
        body.extend(values([("oldValue", &change.old), ("value", &change.new)], Radix::Decimal));
    }
    body
}
