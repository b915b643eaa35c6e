//! Encodes HTTP responses.

pub struct Response {
    pub status: i64,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Response {
    pub fn plain(status: i64, text: &str) -> Response {
        let headers = [("Content-Type", "text/plain; charset=utf-8"), ("X-Content-Type-Options", "nosniff")];
        let headers = headers.map(|(name, value)| (name.to_string(), value.to_string())).into();
        Response { status, headers, body: text.as_bytes().to_vec() }
    }

    /// Encodes the response to a request with this method. `connection` is the value of the `Connection`
    /// header; empty: none.
    pub fn bytes(mut self, method: &str, connection: &str) -> Vec<u8> {
        if !(100..=999).contains(&self.status) {
            self = Response { status: 500, headers: Vec::new(), body: Vec::new() };
        }
        let bodiless = matches!(self.status, 100..=199 | 204 | 304);
        let mut head = format!("HTTP/1.1 {} {}\r\n", self.status, reason(self.status));
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        let date = jiff::Timestamp::now().strftime("%a, %d %b %Y %H:%M:%S GMT");
        head.push_str(&format!("Date: {date}\r\n"));
        if !bodiless {
            head.push_str(&format!("Content-Length: {}\r\n", self.body.len()));
        }
        if !connection.is_empty() {
            head.push_str(&format!("Connection: {connection}\r\n"));
        }
        head.push_str("\r\n");
        let mut all = head.into_bytes();
        if !bodiless && method != "HEAD" {
            all.extend(self.body);
        }
        all
    }
}

/// The reason phrase of a status.
pub fn reason(status: i64) -> String {
    let known = u16::try_from(status).ok().and_then(|s| ureq::http::StatusCode::from_u16(s).ok());
    let text = known.and_then(|s| s.canonical_reason());
    text.map_or_else(|| format!("status code {status}"), str::to_string)
}
