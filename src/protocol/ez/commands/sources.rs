//! Commands about the files of the program: `getModules`, `getSource`.

use super::{Ask, Command, Context, ask};
#[cfg(test)]
use crate::protocol::ez::description::{Event, event};
use crate::protocol::ez::encode::{LIST_LIMIT, TEXT_LIMIT, path_text};
use crate::protocol::ez::parts::{divided, paged};
use crate::protocol::ez::wire::{PartOf, written};
use crate::protocol::parameter::{Required, Text, parameters};
use crate::protocol::params::Params;
use ez_engine::api::{GetModules, GetSource, ModuleInfo, ModuleKind};

pub const COMMANDS: &[Command] = &[
    Command::since_2("getModules", "Asks for the modules of the program.", get_modules)
        .answered_by(&["modules"])
        .of_program(),
    Command::since_2("getSource", "Asks for the text of a file as it was loaded.", get_source)
        .takes(&[&FILE])
        .answered_by(&["source"])
        .of_program(),
];

parameters! {
    /// The file, as events name it.
    FILE: Required<Text> = "file", Text;
}

#[cfg(test)]
pub const EVENTS: &[Event] = &[
    event::<ModulesData>("modules", 2, "The modules of the program.").divided("modules"),
    event::<SourceData>("source", 2, "The text of a file as it was loaded.").divided("text"),
];

written! {
    struct ModulesData<'a> {
        /// The modules.
        modules: Vec<ModuleItem<'a>>,
        #[serde(flatten, skip_serializing_if = "Option::is_none")]
        part: Option<PartOf>,
    }

    /// A module of the program.
    #[cfg_attr(test, schemars(rename = "Module"))]
    struct ModuleItem<'a> {
        /// Its name.
        name: &'a str,
        /// Its file; missing for libraries.
        #[serde(skip_serializing_if = "Option::is_none")]
        file: Option<&'a str>,
        /// What it is.
        #[cfg_attr(test, schemars(extend("enum" = ["main", "user", "library"])))]
        kind: &'static str,
    }

    struct SourceData<'a> {
        /// The file.
        file: &'a str,
        /// Its text.
        text: &'a str,
        #[serde(flatten, skip_serializing_if = "Option::is_none")]
        part: Option<PartOf>,
    }
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
    ask(GetSource { file: FILE.read(params)? }, |_, asked, source, out| {
        let file = path_text(&source.path);
        divided(&source.text, out.limit(TEXT_LIMIT), asked.id(), |text, part, id| {
            out.add("source", SourceData { file, text, part }, id);
        });
    })
}
