//! Requests about the program's files.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::protocol::Received;
use ez_engine::api::{GetModules, GetSource, ModuleInfo, ModuleKind};

use super::wire::Source;
use super::writing::Refusal;
use super::{Call, DapFrontEnd, Handler};

pub const REQUESTS: &[(&str, Handler)] = &[
    ("source", DapFrontEnd::source),
    ("loadedSources", DapFrontEnd::loaded_sources),
    ("modules", DapFrontEnd::modules),
];

impl DapFrontEnd {
    fn source(&mut self, Call { from, params, work }: Call) -> Result<(), Refusal> {
        let file = self.client().path_of(params, "source")?;
        self.ask(from, GetSource { file }, work, |this, from, source, out| {
            let body = json!({"content": source.text, "mimeType": "text/x-ez"});
            this.numbering.success(out, from, Some(body));
        });
        Ok(())
    }

    fn loaded_sources(&mut self, Call { from, work, .. }: Call) -> Result<(), Refusal> {
        self.ask(from, GetModules, work, |this, from, all, out| {
            let client = this.client();
            let paths = all.iter().filter_map(|module| module.path.as_deref());
            let sources: Vec<Source> = paths.map(|path| client.source(path)).collect();
            this.numbering.success(out, from, Some(json!({ "sources": sources })));
        });
        Ok(())
    }

    fn modules(&mut self, Call { from, params, work }: Call) -> Result<(), Refusal> {
        let start = params.number("startModule", 0, u32::MAX)?.unwrap_or(0) as usize;
        let count = params.number("moduleCount", 0, u32::MAX)?.filter(|count| *count > 0);
        let count = count.map_or(usize::MAX, |count| count as usize);
        self.ask(from, GetModules, work, move |this, from, all, out| {
            let client = this.client();
            let shown = |module: &ModuleInfo| {
                let is_user = module.kind != ModuleKind::Library;
                // Two files can have a module of the same name.
                let id = module.path.as_deref().map_or_else(|| module.name.clone(), |path| client.path(path));
                let mut shown = json!({"id": id, "name": module.name, "isUserCode": is_user});
                if let (Some(path), Value::Object(shown)) = (&module.path, &mut shown) {
                    shown.insert("path".into(), client.path(path).into());
                }
                shown
            };
            let page: Vec<Value> = all.iter().skip(start).take(count).map(shown).collect();
            let body = json!({"modules": page, "totalModules": all.len()});
            this.numbering.success(out, from, Some(body));
        });
        Ok(())
    }

    /// Asks for the program's files, whose texts are then read: columns are counted in them.
    pub(super) fn ask_for_files(&mut self, work: &mut Vec<Received>) {
        self.ask_for_itself(GetModules, work, |this, all, _| {
            let paths = all.iter().filter_map(|module| module.path.as_deref());
            this.unread.extend(paths.map(|path| path.to_string_lossy().into_owned()));
        });
    }

    /// Makes it possible to convert columns in a file, also before the session has given its text.
    pub(super) fn learn_columns(&mut self, file: &str) {
        if let Some(client) = &mut self.client {
            Arc::make_mut(&mut client.wide).look_up(Path::new(file));
        }
    }

    /// Asks for the text of a file of the program.
    pub(super) fn read_file(&mut self, file: String, work: &mut Vec<Received>) {
        let is_recorded = self.configuration.contains_key("replay");
        self.ask_for_itself(GetSource { file }, work, move |this, source, out| {
            let Some(client) = &mut this.client else { return };
            Arc::make_mut(&mut client.wide).add(&source.path, &source.text);
            if is_recorded && client.differs_from_recorded(&source.path, &source.text) {
                let path = source.path.display();
                let text = format!("{path} is not what was recorded: its recorded text is shown.\n");
                this.numbering.output(out, "console", &text);
            }
        });
    }
}
