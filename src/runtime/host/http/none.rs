//! A page has neither an HTTP client nor a server.

use crate::host::job_control::JobControl;
use crate::value::{HttpFailure, HttpReply, HttpRequest, ServedRoute};

const NONE: &str = "there is no network in a page";

pub fn fetch(_: HttpRequest, _: &JobControl) -> Result<HttpReply, HttpFailure> {
    Err(HttpFailure::Request(NONE.into()))
}

pub fn serve(_: u16, _: Vec<ServedRoute>, _: &JobControl) -> String {
    NONE.into()
}
