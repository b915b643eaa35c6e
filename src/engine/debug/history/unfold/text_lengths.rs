//! How long the texts of values are of which a text is made.

use std::cell::RefCell;

use foldhash::HashMap;

use ez_runtime::value::{Type, Value, display, shown_as};

use super::nodes::Node;
use super::texts::Piece;

/// How many bytes the texts of values have of which a text is made, by number of the expression.
#[derive(Default)]
pub(crate) struct TextLengths {
    known: RefCell<HashMap<usize, usize>>,
    /// The values of which a text is made only after calls.
    later: RefCell<HashMap<usize, Value>>,
}

impl TextLengths {
    /// An expression has this value.
    pub fn note(&self, nodes: &[Node], number: usize, value: &Value) {
        let Some(node) = nodes.get(number) else { return };
        let length = |node: &Node, value: &Value| text_length(value, &node.ty);
        for piece in &node.pieces {
            if let Piece::Value(number) = piece
                && let Some((value, node)) = self.later.borrow_mut().remove(number).zip(nodes.get(*number))
            {
                self.known.borrow_mut().insert(*number, length(node, &value));
            }
        }
        if node.is_shown_later {
            self.later.borrow_mut().insert(number, value.follow());
        } else if node.is_piece {
            self.known.borrow_mut().insert(number, length(node, &value.follow()));
        }
    }

    /// The length of the text of an expression's value, if a text was made of it.
    pub fn get(&self, nodes: &[Node], number: usize) -> Option<usize> {
        let node = nodes.get(number)?;
        let constant = node.constant.as_ref().map(|value| text_length(value, &node.ty));
        constant.or_else(|| self.known.borrow().get(&number).copied())
    }
}

/// How many bytes the text of a value of this static type has.
fn text_length(value: &Value, ty: &Type) -> usize {
    value.as_str().map_or_else(|| display(&shown_as(ty, value.clone())).len(), str::len)
}
