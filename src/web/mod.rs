//! The engine in a page.
