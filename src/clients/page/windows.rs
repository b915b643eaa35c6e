//! Which parts of long arrays and maps are shown.

use std::collections::HashMap;

use super::cells::Cell;

/// Maximum number of parts of an object that are shown.
const MAX_PARTS: usize = 60;

/// Number of parts of an object in which changes are looked for.
pub const MAX_COMPARED: usize = 4000;

/// The parts of long arrays and maps that are shown, by number of the object.
#[derive(Default)]
pub struct Windows {
    known: HashMap<u64, Window>,
}

struct Window {
    /// The parts at the last step.
    parts: Vec<Cell>,
    /// Index of the first part that is shown.
    start: usize,
    /// The index of the part that was changed last.
    last: Option<usize>,
}

impl Windows {
    /// The index of the first part of an object to show, so that the last change is in sight, and the index of
    /// the last change. `parts` are its first parts, of `total`.
    pub fn of(&mut self, id: u64, parts: &[Cell], total: usize) -> (usize, Option<usize>) {
        let before = self.known.get(&id);
        if total <= MAX_PARTS && before.is_none() {
            return (0, None);
        }
        let (mut start, mut last) = before.map_or((0, None), |window| (window.start, window.last));
        if let Some(before) = before {
            let changed =
                |(index, part): (usize, &Cell)| (before.parts.get(index) != Some(part)).then_some(index);
            last = parts.iter().enumerate().find_map(changed).or(last);
        }
        if let Some(last) = last.filter(|last| !(start..start + MAX_PARTS).contains(last)) {
            start = last.saturating_sub(MAX_PARTS / 2);
        }
        start = start.min(parts.len().saturating_sub(MAX_PARTS));
        self.known.insert(id, Window { parts: parts.to_vec(), start, last });
        (start, last)
    }

    /// The parts to show, from this index on.
    pub fn range<T>(parts: &[T], start: usize) -> &[T] {
        let shown = parts.get(start..).unwrap_or_default();
        shown.get(..MAX_PARTS).unwrap_or(shown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(count: i64) -> Vec<Cell> {
        (0..count).map(Cell::Number).collect()
    }

    #[test]
    fn the_last_change_is_in_sight() {
        let mut windows = Windows::default();
        let mut parts = numbers(1000);
        assert_eq!(windows.of(1, &parts, 1000), (0, None));
        parts[665] = Cell::Number(-1);
        assert_eq!(windows.of(1, &parts, 1000), (635, Some(665)));
        // It stays until something outside of it changes.
        parts[640] = Cell::Number(-1);
        assert_eq!(windows.of(1, &parts, 1000), (635, Some(640)));
        parts.push(Cell::Number(1));
        assert_eq!(windows.of(1, &parts, 1001), (941, Some(1000)));
        parts.truncate(3);
        assert_eq!(windows.of(1, &parts, 3).0, 0);
        assert_eq!(Windows::range(&parts, 0).len(), 3);
        assert_eq!(windows.of(2, &numbers(60), 60), (0, None));
    }
}
