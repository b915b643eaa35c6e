//! Comments: where they end, and those between two tokens.

use memchr::{memchr, memmem};

use ez_runtime::text::slice;

/// A comment, or a first line for shells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comment<'t> {
    /// The byte at which it begins in the text that was read.
    pub start: usize,
    /// The comment as written, without the end of the line after it.
    pub text: &'t str,
    /// Whether it goes on to the end of its line.
    pub is_line: bool,
    /// Whether what follows it is no part of it: the line, or the comment, has an end.
    pub is_closed: bool,
}

impl Comment<'_> {
    /// The byte behind it in the text that was read.
    pub fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

/// The number of bytes of a comment behind its `//`; `None` if the text ends with it.
pub(super) fn line_length(behind: &str) -> Option<usize> {
    memchr(b'\n', behind.as_bytes())
}

/// The number of bytes of a comment behind its `/*`, with its `*/`; `None` if there is none. Comments are not nested.
pub(super) fn block_length(behind: &str) -> Option<usize> {
    memmem::find(behind.as_bytes(), b"*/").map(|end| end + 2)
}

/// The comment with which a text begins.
pub fn comment_at_start(text: &str) -> Option<Comment<'_>> {
    let block = text.strip_prefix("/*");
    let length = match block {
        Some(behind) => block_length(behind),
        None => line_length(text.strip_prefix("//").or_else(|| text.strip_prefix("#!"))?),
    };
    let length = length.map(|length| 2 + length);
    let text = slice(text, ..length.unwrap_or(text.len()));
    Some(Comment { start: 0, text, is_line: block.is_none(), is_closed: length.is_some() })
}

/// The comments in a text between two tokens, or before the first, where a line for shells may be.
pub fn comments(gap: &str) -> impl Iterator<Item = Comment<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < gap.len() {
            let rest = slice(gap, at..);
            // A `#!` can only be at the beginning of the file.
            if let Some(comment) = comment_at_start(rest).filter(|_| at == 0 || rest.starts_with('/')) {
                let comment = Comment { start: at, ..comment };
                at = comment.end();
                return Some(comment);
            }
            let next = rest.char_indices().skip(1).find(|(_, c)| *c == '/');
            at = next.map_or(gap.len(), |(next, _)| at + next);
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use proptest::prelude::*;

    use super::*;
    use crate::syntax::lex;
    use ez_runtime::source::SourceMap;

    fn texts(gap: &str) -> Vec<&str> {
        comments(gap).map(|comment| comment.text).collect()
    }

    #[test]
    fn a_star_belongs_to_one_end_only() {
        for text in
            ["/*/ a */", "/*/*/", "/**/", "/***/", "/* // */", "/*/", "/*/ /", "//*/ a", "#!/usr/bin/*"]
        {
            assert_eq!(texts(text), [text]);
        }
        assert_eq!(texts(" /*/*/ /*/ a */// b\n/**/"), ["/*/*/", "/*/ a */", "// b", "/**/"]);
        let open = |gap| comments(gap).last().is_some_and(|comment| !comment.is_closed);
        assert!(open("/*/") && open("// a") && open("/**/ /* "));
        assert!(!open("") && !open("/*/*/") && !open("// /*\n") && !open("/* // */"));
    }

    proptest! {
        /// What is between tokens for the lexer are blanks and these comments, each of them whole.
        #[test]
        fn comments_are_those_of_the_lexer(text in r"(#!)?[/*a \n]{0,24}") {
            let file = SourceMap::new().add("", Path::new(""), &text);
            let mut from = 0;
            for token in lex(&file).0 {
                let gap = slice(&text, from..token.span.start as usize);
                let mut blanks = gap.to_string();
                for comment in comments(gap).collect::<Vec<_>>().into_iter().rev() {
                    blanks.replace_range(comment.start..comment.end(), "");
                    let alone = SourceMap::new().add("", Path::new(""), comment.text);
                    prop_assert_eq!(lex(&alone).0.len(), 1, "{:?}", comment);
                    // What follows is none of it.
                    let more = SourceMap::new().add("", Path::new(""), &format!("{}\na", comment.text));
                    let is_closed = comment.is_line || lex(&more).0.len() == 2;
                    prop_assert_eq!(is_closed, comment.is_line || comment.is_closed, "{:?}", comment);
                }
                prop_assert_eq!(blanks.trim(), "");
                from = token.span.end as usize;
            }
        }
    }
}
