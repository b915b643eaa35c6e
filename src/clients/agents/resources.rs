//! The resources of the server: the language reference, the library, the debug protocol.

use serde_json::{Map, Value, json};

use super::documents::{DOCUMENTS, SCHEME};
use super::messages::INVALID_PARAMS;
use super::versions::{RpcError, Version};
use ez_runtime::diagnostics::explanation_of;
use ez_runtime::library;

/// The code of an unknown resource, up to version 2025-11-25.
const NOT_FOUND: i32 = -32002;

/// The result of `resources/list`.
pub fn list() -> Value {
    let resources: Vec<Value> = DOCUMENTS
        .iter()
        .map(|document| {
            json!({
                "uri": document.uri(),
                "name": document.path,
                "title": document.title,
                "description": document.description,
                "mimeType": "text/markdown",
            })
        })
        .collect();
    json!({"resources": resources})
}

/// The result of `resources/templates/list`.
pub fn templates() -> Value {
    json!({"resourceTemplates": [
        {
            "uriTemplate": format!("{SCHEME}library/{{name}}"),
            "name": "library/{name}",
            "title": "A module or function of the library",
            "description": "A module, or a function such as strings.split",
            "mimeType": "text/plain",
        },
        {
            "uriTemplate": format!("{SCHEME}code/{{code}}"),
            "name": "code/{code}",
            "title": "A code of an error or warning",
            "description": "What the code means, with a wrong and a right program",
            "mimeType": "text/plain",
        },
    ]})
}

/// The result of `resources/read`.
///
/// # Errors
/// If there is no such resource.
pub fn read(params: &Map<String, Value>, version: Version) -> Result<Value, RpcError> {
    let Some(uri) = params.get("uri").and_then(Value::as_str) else {
        return Err(RpcError::new(INVALID_PARAMS, "uri must be a string"));
    };
    let path = uri.strip_prefix(SCHEME).unwrap_or_default();
    let document = DOCUMENTS.iter().find(|document| document.path == path);
    let found = match document {
        Some(document) => Some(("text/markdown", document.text())),
        None => plain(path).map(|text| ("text/plain", text)),
    };
    match found {
        Some((kind, text)) => Ok(json!({"contents": [{"uri": uri, "mimeType": kind, "text": text}]})),
        None => Err(RpcError {
            code: if version.is_stateless() { INVALID_PARAMS } else { NOT_FOUND },
            message: format!("there is no resource {uri}; resources/list has all"),
            data: Some(json!({"uri": uri})),
        }),
    }
}

/// The text of a resource that follows a template.
fn plain(path: &str) -> Option<String> {
    let name = path.strip_prefix("library/").and_then(|name| library::man(name).ok());
    name.or_else(|| explanation_of(path.strip_prefix("code/")?).ok())
}
