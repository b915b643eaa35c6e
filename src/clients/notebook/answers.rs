//! Requests that are answered at once: about the kernel, the text of a cell, and the history.

use serde_json::json;

use super::asked::{Asked, Progress};
use super::dispatch::Kernel;
use crate::clients::VERSION;
use crate::protocol::jupyter;
use crate::protocol::jupyter::content::{
    CommOpen, ErrorContent, History, HistoryRequest, IsComplete, IsCompleteRequest, KernelInfo, LanguageInfo,
    Limits, Reply,
};
use ez_language::cells::{Completeness, completeness};

/// How far a line is indented that continues a block.
const INDENT: &str = "    ";

impl Kernel {
    pub fn kernel_info(&mut self, asked: &Asked) -> Result<Progress, ErrorContent> {
        let language_info = LanguageInfo {
            name: "ez",
            version: "2.0.0",
            mimetype: "text/x-ez",
            file_extension: ".ez",
            // Of those that exist, these colour EZ best.
            pygments_lexer: "go",
            codemirror_mode: "go",
        };
        let info = KernelInfo {
            status: "ok",
            protocol_version: jupyter::VERSION,
            implementation: "ez-debugger",
            implementation_version: env!("CARGO_PKG_VERSION"),
            language_info,
            banner: format!(
                "{VERSION}\nA cell is statements and declarations; the value of a last expression is shown.\nThis kernel {}.",
                self.restrictions.text()
            ),
            debugger: true,
            supported_features: &["debugger"],
            limits: Limits {
                deny: self.restrictions.deny.iter().map(|part| part.name()).collect(),
                memory: self.restrictions.memory,
            },
        };
        self.reply(asked, &info);
        Ok(Progress::Replied)
    }

    pub fn is_complete(&mut self, asked: &Asked) -> Result<Progress, ErrorContent> {
        let IsCompleteRequest { code } = asked.content()?;
        self.reply(asked, &is_complete(&code));
        Ok(Progress::Replied)
    }

    pub fn history(&mut self, asked: &Asked) -> Result<Progress, ErrorContent> {
        let request: HistoryRequest = asked.content()?;
        let history = self.history.find(&request);
        self.reply(asked, &Reply::Ok(History { history }));
        Ok(Progress::Replied)
    }

    pub fn comm_info(&mut self, asked: &Asked) -> Result<Progress, ErrorContent> {
        self.reply(asked, &json!({ "status": "ok", "comms": {} }));
        Ok(Progress::Replied)
    }

    /// There is nothing to which a channel could be opened, so it is closed at once.
    pub fn comm_open(&mut self, asked: &Asked) -> Result<Progress, ErrorContent> {
        if let Ok(CommOpen { comm_id }) = asked.content() {
            let content = json!({ "comm_id": comm_id, "data": {} });
            self.tell(Some(&asked.message.raw_header), "comm_close", &content);
        }
        Ok(Progress::Replied)
    }
}

/// Whether a cell can be run as it is.
fn is_complete(code: &str) -> IsComplete {
    match completeness(code) {
        Completeness::Complete => IsComplete::Complete,
        Completeness::Incomplete { .. } => IsComplete::Incomplete { indent: indent_after(code) },
        Completeness::Invalid => IsComplete::Invalid,
    }
}

/// The indentation of the line that follows a text in which something is open.
fn indent_after(code: &str) -> String {
    let last = code.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let indent: String = last.chars().take_while(|c| c.is_whitespace()).collect();
    match last.trim_end().ends_with(['{', '(', '[']) {
        true => indent + INDENT,
        false => indent,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_complete_incomplete_or_invalid() {
        for code in ["", "1 + 1", "do f() {\n}", "import @math\nmath.PI", "temp x int = 1\nx"] {
            assert_eq!(is_complete(code), IsComplete::Complete, "{code}");
        }
        let indent = |code: &str| match is_complete(code) {
            IsComplete::Incomplete { indent } => indent,
            other => panic!("{code}: {other:?}"),
        };
        assert_eq!(indent("do f() {"), "    ");
        assert_eq!(indent("do f() {\n    if true {\n        x = 1\n"), "        ");
        assert_eq!(indent("/* a"), "");
        assert_eq!(indent("1 +"), "");
        for code in ["}", "1 )", "do f( {)"] {
            assert_eq!(is_complete(code), IsComplete::Invalid, "{code}");
        }
    }
}
