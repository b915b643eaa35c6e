//! What the server can do.

use serde_json::{Value, json};

use crate::clients::VERSION;

use super::asked::Answer;
use super::documents::part;
use super::positions::Encoding;
use super::{actions, forms, meanings, writing};

/// The answer to a method.
pub fn of(method: &str) -> Option<Answer> {
    Some(match method {
        "textDocument/formatting" => forms::formatting,
        "textDocument/documentSymbol" => forms::symbols,
        "textDocument/foldingRange" => forms::folding,
        "textDocument/selectionRange" => forms::selection,
        "textDocument/inlayHint" => forms::hints,
        "textDocument/semanticTokens/full" | "textDocument/semanticTokens/range" => forms::tokens,
        "textDocument/hover" => meanings::hover,
        "textDocument/definition" => meanings::definition,
        "textDocument/typeDefinition" => meanings::type_definition,
        "textDocument/references" => meanings::references,
        "textDocument/documentHighlight" => meanings::highlights,
        "textDocument/prepareRename" => meanings::prepare_rename,
        "textDocument/rename" => meanings::rename,
        "textDocument/completion" => writing::completion,
        "textDocument/signatureHelp" => writing::signature,
        "textDocument/codeAction" => actions::actions,
        _ => return None,
    })
}

/// What the parameters of a method need and lack: a position, positions or a range, with lines and characters.
pub fn missing(method: &str, params: &Value) -> Option<&'static str> {
    let is_position =
        |at: &Value| ["line", "character"].iter().all(|name| at.get(name).is_some_and(Value::is_u64));
    let (name, is_right) = match method {
        "textDocument/formatting"
        | "textDocument/documentSymbol"
        | "textDocument/foldingRange"
        | "textDocument/semanticTokens/full" => return None,
        "textDocument/selectionRange" => {
            let all = params.get("positions").and_then(Value::as_array);
            ("positions", all.is_some_and(|all| all.iter().all(is_position)))
        }
        "textDocument/inlayHint" | "textDocument/semanticTokens/range" | "textDocument/codeAction" => {
            ("range", ["/range/start", "/range/end"].iter().all(|end| is_position(part(params, end))))
        }
        _ => ("position", is_position(part(params, "/position"))),
    };
    (!is_right).then_some(name)
}

/// The answer to `initialize`.
pub fn initialized(encoding: Encoding) -> Value {
    let encoding = match encoding {
        Encoding::Utf8 => "utf-8",
        Encoding::Utf16 => "utf-16",
    };
    json!({
        "capabilities": {
            "positionEncoding": encoding,
            "textDocumentSync": {"openClose": true, "change": 2, "save": true},
            "documentFormattingProvider": true,
            "documentSymbolProvider": true,
            "workspaceSymbolProvider": true,
            "workspace": {"workspaceFolders": {"supported": true, "changeNotifications": true}},
            "foldingRangeProvider": true,
            "selectionRangeProvider": true,
            "inlayHintProvider": true,
            "semanticTokensProvider": {
                "legend": {"tokenTypes": forms::COLOURS, "tokenModifiers": forms::MODIFIERS},
                "full": true,
                "range": true,
            },
            "hoverProvider": true,
            "definitionProvider": true,
            "typeDefinitionProvider": true,
            "referencesProvider": true,
            "documentHighlightProvider": true,
            "renameProvider": {"prepareProvider": true},
            "completionProvider": {"triggerCharacters": [".", "@", "#"]},
            "signatureHelpProvider": {"triggerCharacters": ["(", ",", "{"]},
            "codeActionProvider": {"codeActionKinds": ["quickfix", actions::FIX_ALL]},
        },
        "serverInfo": {"name": "ez", "version": VERSION},
    })
}
