//! Answers that do not fit into one event. They are divided into several, of which only the last has the
//! `id`.

use serde::Serialize;
use serde_json::value::RawValue;

use crate::protocol::json::json_prefix;
use ez_engine::api::write_json;

use super::wire::PartOf;

/// Writes a text in pieces of at most `most` bytes of JSON.
pub fn divided(
    text: &str,
    most: usize,
    id: Option<&RawValue>,
    mut tell: impl FnMut(&str, Option<PartOf>, Option<&RawValue>),
) {
    let mut pieces = Vec::new();
    let mut rest = text;
    loop {
        let end = json_prefix(rest, most);
        let (piece, behind) = rest.split_at_checked(end).unwrap_or((rest, ""));
        pieces.push(piece);
        // A piece has at least one character.
        if behind.is_empty() || piece.is_empty() {
            break;
        }
        rest = behind;
    }
    let parts = pieces.len();
    for (index, piece) in pieces.into_iter().enumerate() {
        tell(piece, part_of(index, parts), id.filter(|_| index + 1 == parts));
    }
}

/// Writes the items of a list in events of at most `most` bytes.
pub fn paged<T: Serialize>(
    items: Vec<T>,
    most: usize,
    id: Option<&RawValue>,
    mut tell: impl FnMut(Vec<T>, Option<PartOf>, Option<&RawValue>),
) {
    let mut pages: Vec<Vec<T>> = vec![Vec::new()];
    let mut room = most;
    let mut bytes = Vec::new();
    for item in items {
        bytes.clear();
        write_json(&mut bytes, &item);
        let size = bytes.len() + 1;
        let full = pages.last().is_some_and(|page| !page.is_empty() && size > room);
        if full {
            pages.push(Vec::new());
            room = most;
        }
        room = room.saturating_sub(size);
        if let Some(page) = pages.last_mut() {
            page.push(item);
        }
    }
    let parts = pages.len();
    for (index, page) in pages.into_iter().enumerate() {
        tell(page, part_of(index, parts), id.filter(|_| index + 1 == parts));
    }
}

/// The place of an event among those of an answer; `None` if it is the only one.
pub fn part_of(index: usize, parts: usize) -> Option<PartOf> {
    (parts > 1).then_some(PartOf { part: index + 1, parts })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_lists_are_told_whole() {
        let id = RawValue::from_string("7".into()).unwrap();
        for text in ["", "abc", &"é\n".repeat(1000)] {
            let (mut whole, mut last) = (String::new(), 0);
            divided(text, 100, Some(&id), |piece, _, id| {
                whole.push_str(piece);
                last += usize::from(id.is_some());
            });
            assert_eq!((whole.as_str(), last), (text, 1));
        }
        let mut pages = Vec::new();
        paged((0..100).collect(), 40, Some(&id), |page: Vec<i32>, part, id| {
            pages.push((page, part.map(|part| part.parts), id.is_some()));
        });
        let all: Vec<i32> = pages.iter().flat_map(|(page, ..)| page.clone()).collect();
        assert_eq!(all, (0..100).collect::<Vec<_>>());
        assert!(pages.iter().all(|(page, parts, _)| page.len() <= 20 && *parts == Some(pages.len())));
        assert_eq!(pages.iter().filter(|(.., answers)| *answers).count(), 1);
    }
}
