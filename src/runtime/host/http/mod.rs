//! HTTP client, and a server with fixed responses.

mod clients;
mod fetch;
mod request;
mod response;
mod serve;
mod url;

pub use fetch::fetch;
pub use serve::{serve, serve_here_for_ever};
