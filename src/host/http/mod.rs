//! Requests to web servers, and a web server of fixed answers.

mod fetch;
mod request;
mod response;
mod serve;
mod url;

pub use fetch::fetch;
pub use serve::serve;
