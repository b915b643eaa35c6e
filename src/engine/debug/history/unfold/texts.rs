//! Where the texts of values are in the text that is made of them: an interpolated string, or what a call prints.

use std::ops::Range;

use foldhash::HashMap;

use ez_runtime::program::{Expr, ExprKind, InterpPart, Native};

/// A piece of a text that is made of values.
pub(crate) enum Piece {
    /// So many bytes that stand in the program, or separate values.
    Bytes(usize),
    /// The text of the expression with this number.
    Value(usize),
}

/// The library functions that write the texts of their arguments, with a blank between them.
const PRINTS: [&str; 4] = ["print", "println", "eprint", "eprintln"];

/// The pieces of the text that an expression makes or prints; empty if it does not.
pub(crate) fn pieces(e: &Expr, numbers: &HashMap<*const Expr, usize>) -> Vec<Piece> {
    let value =
        |e: &Expr| numbers.get(&std::ptr::from_ref(e)).map_or(Piece::Bytes(0), |it| Piece::Value(*it));
    if let ExprKind::Interp(parts) = &e.kind {
        let piece = |part: &InterpPart| match part {
            InterpPart::Text(text) => Piece::Bytes(text.len()),
            InterpPart::Value(e) => value(e),
        };
        return parts.iter().map(piece).collect();
    }
    if let ExprKind::Native(Native { module: "std", row, args, .. }) = &e.kind
        && PRINTS.contains(&row.name)
    {
        let separated = |(index, e)| [Piece::Bytes(usize::from(index > 0)), value(e)];
        return args.iter().enumerate().flat_map(separated).collect();
    }
    Vec::new()
}

/// Where the values of a text are in it, by number, as far as the lengths of their texts are known.
pub(crate) fn places(
    pieces: &[Piece],
    length: impl Fn(usize) -> Option<usize>,
) -> impl Iterator<Item = (usize, Range<usize>)> {
    let mut end = Some(0);
    pieces.iter().filter_map(move |piece| {
        let begin = end?;
        let (number, length) = match piece {
            Piece::Bytes(bytes) => (None, Some(*bytes)),
            Piece::Value(number) => (Some(*number), length(*number)),
        };
        end = length.map(|length| begin + length);
        Some((number?, begin..end?))
    })
}
