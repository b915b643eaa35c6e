//! Remembers values of variables, to show the old values when they change.

use std::collections::HashMap;

use crate::protocol::value_text::whole_text;
use ez_engine::api::{Scope, Variable};

use super::look::{Look, Role};

/// Maximum width of a line about a change, in columns.
const LONGEST: usize = 160;

type Values = HashMap<String, String>;

/// The values shown last.
#[derive(Debug, Default)]
pub struct Seen {
    globals: Values,
    /// By depth of the frame.
    frames: Vec<Values>,
}

/// A new or changed variable.
#[derive(Debug, PartialEq, Eq)]
pub struct Change {
    pub name: String,
    /// The old value, if it is known.
    pub before: Option<String>,
    /// The new value.
    pub now: String,
}

impl Seen {
    /// Forgets all values.
    pub fn clear(&mut self) {
        *self = Seen::default();
    }

    /// The program has stopped with `depth` frames: forgets deeper ones.
    pub fn stopped(&mut self, depth: usize) {
        self.frames.resize_with(depth, HashMap::new);
    }

    fn values(&mut self, scope: Scope, depth: usize) -> Option<&mut Values> {
        match scope {
            Scope::Global => Some(&mut self.globals),
            Scope::Parameter | Scope::Local | Scope::Part => self.frames.get_mut(depth.checked_sub(1)?),
        }
    }

    /// Records the value of a variable in the frame at `depth`; returns the change.
    pub fn note(&mut self, variable: &Variable, depth: usize) -> Change {
        let now = whole_text(&variable.held.value);
        let before = match self.values(variable.scope, depth) {
            Some(values) => values.insert(variable.name.to_string(), now.clone()),
            None => None,
        };
        Change { name: variable.name.to_string(), before: before.filter(|_| !variable.new), now }
    }
}

impl Change {
    /// Whether the old and the new text differ.
    pub fn is_seen(&self) -> bool {
        self.before.as_ref() != Some(&self.now)
    }

    /// A line that describes the change: `+ name = 1`, `~ name: 1 → 2`; of long values only the differing
    /// parts.
    pub fn line(&self, look: Look) -> String {
        let name = &self.name;
        let width = look.width.min(LONGEST);
        let used = "  + : → ".chars().count() + name.chars().count();
        let (role, text) = match &self.before {
            None => (Role::New, format!("  + {name} = {}", self.now)),
            // The change is in a part that is not shown.
            Some(before) if *before == self.now => (Role::Changed, format!("  ~ {name} = {}", self.now)),
            Some(before) => {
                let whole = used + before.chars().count() + self.now.chars().count();
                let (before, after) = if whole > width {
                    different(before, &self.now)
                } else {
                    (before.clone(), self.now.clone())
                };
                // If one text takes less than half of the room, the other gets the rest.
                let room = width.saturating_sub(used);
                let now =
                    Look { width: room.saturating_sub(room.min(before.chars().count() * 2) / 2), ..look };
                let now = now.fit(0, &after);
                let left = Look { width: room.saturating_sub(now.chars().count()), ..look };
                (Role::Changed, format!("  ~ {name}: {} → {now}", left.fit(0, &before)))
            }
        };
        let look = Look { width, ..look };
        format!("{}\n", look.paint(role, &look.fit(0, &text)))
    }
}

/// Number of common characters kept before the difference.
const CONTEXT: usize = 12;

/// Cuts two long texts so that they begin a little before the first difference.
fn different(before: &str, now: &str) -> (String, String) {
    let same = before.chars().zip(now.chars()).take_while(|(a, b)| a == b).count();
    if same <= CONTEXT + 1 {
        return (before.to_string(), now.to_string());
    }
    let from = |text: &str| format!("…{}", text.chars().skip(same - CONTEXT).collect::<String>());
    (from(before), from(now))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(before: Option<&str>, now: &str, width: usize) -> String {
        let before = before.map(str::to_string);
        Change { name: "x".into(), before, now: now.into() }.line(Look { colour: false, width })
    }

    #[test]
    fn changes_are_lines_that_fit() {
        assert_eq!(line(None, "1", 80), "  + x = 1\n");
        assert_eq!(line(Some("1"), "22", 80), "  ~ x: 1 → 22\n");
        assert_eq!(line(Some("[…]"), "[…]", 80), "  ~ x = […]\n");
        assert_eq!(line(None, &"1".repeat(50), 20), "  + x = 11111111111…\n");
        assert_eq!(line(Some(&"1".repeat(50)), &"2".repeat(50), 30), "  ~ x: 111111111… → 222222222…\n");
        let (one, two) = (format!("[{}]", "a, ".repeat(30)), format!("[{}b]", "a, ".repeat(30)));
        assert_eq!(line(Some(&one), &two, 60), "  ~ x: …a, a, a, a, ] → …a, a, a, a, b]\n");
        assert_eq!(line(Some("1"), &"2".repeat(50), 20), "  ~ x: 1 → 22222222…\n");
    }
}
