//! Requests to web servers.

use crate::value::{HttpFailure, HttpReply, HttpRequest};

pub fn fetch(request: HttpRequest) -> Result<HttpReply, HttpFailure> {
    Err(HttpFailure::Request(request.url))
}
