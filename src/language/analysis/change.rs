//! Where a text differs from an older one.

use ez_runtime::source::Span;

/// The part of a text in which another text of the same file differs from it.
pub(super) struct Change {
    /// The bytes up to here are the same, and those from the ends on.
    start: u32,
    old_end: u32,
    new_end: u32,
}

impl Change {
    pub fn between(old: &str, new: &str) -> Change {
        let (before, after) = (old.as_bytes(), new.as_bytes());
        let same = |(a, b): &(&u8, &u8)| a == b;
        let start = before.iter().zip(after).take_while(same).count();
        let most = before.len().min(after.len()) - start;
        let end = before.iter().rev().zip(after.iter().rev()).take(most).take_while(same).count();
        Change {
            start: start as u32,
            old_end: (before.len() - end) as u32,
            new_end: (after.len() - end) as u32,
        }
    }

    /// Where something of the new text was in the old one; `None` if it was not.
    pub fn back(&self, offset: u32) -> Option<u32> {
        match offset {
            _ if offset <= self.start => Some(offset),
            _ if offset >= self.new_end => Some(offset - self.new_end + self.old_end),
            _ => None,
        }
    }

    pub fn forward(&self, offset: u32) -> u32 {
        match offset {
            _ if offset >= self.old_end => offset - self.old_end + self.new_end,
            _ => offset.min(self.start),
        }
    }

    /// Where a part of the old text is in the new one, if nothing of it has changed.
    pub fn moved(&self, at: Span) -> Option<Span> {
        let is_same = at.end <= self.start || at.start >= self.old_end;
        is_same.then(|| Span { start: self.forward(at.start), end: self.forward(at.end), ..at })
    }
}
