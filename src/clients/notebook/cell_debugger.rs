//! The adapter for notebooks, and how cells are named for it.

use std::path::{MAIN_SEPARATOR, Path};

use super::asked::Asked;
use crate::protocol::dap::{CellConventions, NotebookDebugger};
use crate::protocol::jupyter::{html, murmur2};
use crate::protocol::{ClientLink, Pending};
use ez_engine::api::{RequestId, RequestNumber};
use ez_engine::session::Session;
use ez_runtime::platform::text_of;

/// The seed of the hashes in the paths of cells: that of other kernels.
const HASH_SEED: u32 = 0xc70f_6907;

/// How cells are named whose files would be in `folder`, if they had files.
pub(super) fn conventions(folder: &Path) -> CellConventions {
    CellConventions {
        prefix: format!("{}{MAIN_SEPARATOR}", text_of(folder.as_os_str())),
        suffix: ".ez",
        seed: HASH_SEED,
        path: cell_path,
        html: |value| html(&value.tree),
    }
}

/// The path by which front ends know the cell with this text.
pub(super) fn cell_path(conventions: &CellConventions, code: &str) -> String {
    let CellConventions { prefix, suffix, seed, .. } = conventions;
    format!("{prefix}{}{suffix}", murmur2(code.as_bytes(), *seed))
}

/// The adapter, and its connection to the session.
pub(super) struct CellDebugger {
    pub adapter: NotebookDebugger,
    pub link: ClientLink,
    /// The requests that are not answered yet, by the token that the adapter knows them by.
    pub asked: Pending<Asked>,
}

impl CellDebugger {
    pub fn new(session: &Session, conventions: CellConventions) -> CellDebugger {
        let link = ClientLink::new(session, session.new_connection());
        let mut adapter = NotebookDebugger::new(conventions);
        adapter.begin(link.clone());
        CellDebugger { adapter, link, asked: Pending::default() }
    }

    /// The number by which the adapter knows a request to the session; `None` if it is not one of its own.
    pub fn own(&self, id: RequestId) -> Option<RequestNumber> {
        self.link.connection().in_front_end(id)
    }

    /// A cell is about to run.
    pub fn cell_starts(&mut self) {
        self.adapter.cell_starts();
    }
}
