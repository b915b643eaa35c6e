//! Commands about the files of the program: `getModules`, `getSource`.

use serde::Serialize;

use super::{Ask, Command, Context, ask};
use crate::api::{GetModules, GetSource, ModuleInfo, ModuleKind};
use crate::protocol::ez::encode::{LIST_LIMIT, TEXT_LIMIT, path_text};
use crate::protocol::ez::parts::{divided, paged};
use crate::protocol::ez::wire::PartOf;
use crate::protocol::params::Params;

pub const COMMANDS: &[Command] =
    &[Command::new("getModules", get_modules), Command::new("getSource", get_source)];

#[derive(Serialize)]
struct ModulesData<'a> {
    modules: Vec<ModuleItem<'a>>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    part: Option<PartOf>,
}

#[derive(Serialize)]
struct ModuleItem<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    kind: &'static str,
}

#[derive(Serialize)]
struct SourceData<'a> {
    file: &'a str,
    text: &'a str,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    part: Option<PartOf>,
}

fn get_modules(_: &Params, _: Context) -> Result<Ask, String> {
    ask(GetModules, |_, asked, all, out| {
        let all = all.iter().map(module).collect();
        paged(all, out.limit(LIST_LIMIT - 256), asked.id(), |modules, part, id| {
            out.add("modules", ModulesData { modules, part }, id);
        });
    })
}

fn module(module: &ModuleInfo) -> ModuleItem<'_> {
    ModuleItem {
        name: &module.name,
        file: module.path.as_deref().map(path_text),
        kind: match module.kind {
            ModuleKind::Main => "main",
            ModuleKind::User => "user",
            ModuleKind::Library => "library",
        },
    }
}

fn get_source(params: &Params, _: Context) -> Result<Ask, String> {
    ask(GetSource { file: params.required_text("file")? }, |_, asked, source, out| {
        let file = path_text(&source.path);
        divided(&source.text, out.limit(TEXT_LIMIT), asked.id(), |text, part, id| {
            out.add("source", SourceData { file, text, part }, id);
        });
    })
}
