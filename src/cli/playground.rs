//! `ez playground [DIR]`: serves the page with the debugger, which `.ci/web` builds, to browsers on this computer.

use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};

use crate::clients::show::print;
use ez_runtime::host::http::serve_here_for_ever;
use ez_runtime::platform::{own_path, path_of, reason};
use ez_runtime::value::ServedRoute;

/// The folder beside the program in which the page is, unless another one is named.
const BESIDE: &str = "web";

/// What the page cannot do without.
const NEEDED: [&str; 2] = ["index.html", "ez.wasm"];

const HOW_TO_GET_IT: &str = concat!(
    "build it with .ci/web DIR in the sources and name DIR, or unpack ez-web-",
    env!("CARGO_PKG_VERSION"),
    ".zip, where there is a release, of ",
    env!("CARGO_PKG_REPOSITORY"),
    "/releases"
);

/// Serves the page at a port of this computer until the process is ended; 0 chooses a free one.
///
/// # Errors
/// When there is no page, or it cannot be served.
pub(super) fn playground(folder: Option<&str>, port: u16) -> Result<u8, String> {
    let folder = match folder {
        Some(folder) => path_of(folder),
        None => beside_the_program().ok_or(format!("there is no page beside ez: {HOW_TO_GET_IT}"))?,
    };
    let named = |error: io::Error| format!("{}: {}", folder.display(), reason(&error));
    if let Some(missing) = NEEDED.iter().find(|name| !folder.join(name).is_file()) {
        return Err(format!("there is no {missing} in {}: {HOW_TO_GET_IT}", folder.display()));
    }
    let mut routes = Vec::new();
    add_files(&folder, "/", &mut routes).map_err(named)?;
    let at_port = |error: io::Error| format!("port {port}: {}", reason(&error));
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(at_port)?;
    let address = listener.local_addr().map_err(at_port)?;
    print(&format!("EZ is at http://{address}/ until you press Ctrl-C\n"));
    serve_here_for_ever(&listener, routes).map_err(at_port)?;
    Ok(0)
}

fn beside_the_program() -> Option<PathBuf> {
    let program = std::fs::canonicalize(own_path().ok()?).ok()?;
    Some(program.parent()?.join(BESIDE)).filter(|folder| folder.is_dir())
}

/// Adds a route for each file below a folder, whose URLs begin with `prefix`. Links may lead elsewhere, and files whose
/// names begin with a dot are nobody's page: neither is served.
fn add_files(folder: &Path, prefix: &str, routes: &mut Vec<ServedRoute>) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let (path, kind) = (entry.path(), entry.file_type()?);
        let name = path.file_name().and_then(|name| name.to_str()).filter(|name| !name.starts_with('.'));
        let Some(name) = name else { continue };
        if !kind.is_dir() && !kind.is_file() {
            continue;
        }
        if kind.is_dir() {
            add_files(&path, &format!("{prefix}{name}/"), routes)?;
            continue;
        }
        let body = std::fs::read(&path)?;
        let mut urls = vec![format!("{prefix}{name}")];
        if name == "index.html" {
            urls.push(prefix.into());
        }
        for url in urls {
            for method in ["GET", "HEAD"] {
                routes.push(ServedRoute {
                    method: method.into(),
                    path: url.clone(),
                    status: 200,
                    headers: headers(&path),
                    body: body.clone(),
                });
            }
        }
    }
    Ok(())
}

fn headers(path: &Path) -> Vec<(String, String)> {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let kind = match extension {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "wasm" => "application/wasm",
        "txt" | "ez" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    };
    // The page asks whether there is a newer version itself.
    let fixed = [("Cache-Control", "no-cache"), ("X-Content-Type-Options", "nosniff")];
    let fixed = fixed.map(|(name, value)| (name.to_string(), value.to_string()));
    std::iter::once(("Content-Type".to_string(), kind.to_string())).chain(fixed).collect()
}
