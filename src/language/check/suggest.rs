//! "did you mean": suggestions for unknown names.

use crate::syntax::{ast, foreign};
use ez_runtime::diagnostics::Help;
use ez_runtime::library;
use ez_runtime::source::Span;
use ez_runtime::value::Type;

use super::checker::Checker;
use super::symbols::ModuleRef;

const KEYWORDS: &str = "temp const do return if or otherwise for for_each as_long_as loop break continue in \
                        not_in range import using struct enum nil new true false";
const BUILTINS: &str = "len typeof input int float string read_int copy error ref exit panic assert";
const TYPES: &str = "int uint float string bool char byte i8 i16 i32 i64 i128 i256 u8 u16 u32 u64 u128 u256 \
                     f32 f64";
const LIBRARY_TYPES: &str = "Error File FileInfo Database HttpResponse Router Route Response";

/// The name nearest to `input`; of several equally near ones the longest, since letters are left out more often than
/// added, of these the first. The longer the input, the more edits are allowed.
pub(super) fn nearest<'a>(input: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = match input.len() {
        0..=2 => 0,
        3..=5 => 1,
        _ => 2,
    };
    let mut best: Option<(usize, &str)> = None;
    // Each edit changes a character, of four bytes at most: names much longer or shorter need not be compared.
    let is_near = |name: &str| name.len().abs_diff(input.len()) <= 4 * limit;
    for name in names.into_iter().filter(|name| is_near(name)) {
        let distance = if name.eq_ignore_ascii_case(input) { 0 } else { strsim::osa_distance(input, name) };
        if distance <= limit
            && name != input
            && best.is_none_or(|(d, b)| (distance, b.len()) < (d, name.len()))
        {
            best = Some((distance, name));
        }
    }
    best.map(|(_, name)| name)
}

/// Help for an unknown name, if one of `names` is near.
pub fn did_you_mean<'a>(input: &str, names: impl IntoIterator<Item = &'a str>) -> Option<Help> {
    nearest(input, names).map(meant)
}

/// The help for a name that may be meant, by another one at which the report is.
fn meant(name: &str) -> Help {
    Help::from(format!("did you mean '{name}'?")).perhaps(name)
}

/// Help for an unknown name: one of `names` that is near, or all the names if none is near: "its fields are …".
pub fn one_of(input: &str, what: &str, names: &[&str]) -> Option<Help> {
    did_you_mean(input, names.iter().copied())
        .or_else(|| (!names.is_empty()).then(|| format!("{what}: {}", names.join(", ")).into()))
}

/// The functions of `@std`, which nearly every program uses.
fn output_functions() -> impl Iterator<Item = &'static str> {
    library::module("std").into_iter().flat_map(|module| module.rows).map(|row| row.name)
}

fn translation(name: &str) -> Option<Help> {
    let help = Help::from(foreign::translation(name)?);
    Some(match foreign::value(name) {
        Some(value) => help.surely(value),
        None => help,
    })
}

/// Functions and members of other languages.
pub(super) fn foreign_function(name: &str) -> Option<String> {
    let help = match name {
        "push" => "an element is added with arrays.append(array, value)",
        "length" | "size" | "count" | "strlen" => "the length of a string, array or map is len(x)",
        "str" | "to_string" | "toString" => {
            "text is made of a value with string(x), or inside a text: \"${x}\""
        }
        "scanf" | "gets" | "readline" | "prompt" | "raw_input" => {
            "a line is read with input(), a number with: temp n, problem = read_int()"
        }
        "wait" | "sleep" => "a program waits with sleep_seconds(1), which is in @std",
        "append" => "an element is added with arrays.append(array, value), with 'import @arrays'",
        "parseInt" | "atoi" => "a number is made of text with cast(text, int)",
        "console" | "echo" | "puts" | "write" | "writeln" | "cout" | "System" | "say" | "show"
        | "display" => "text is written with println(...)",
        _ => return None,
    };
    Some(help.into())
}

/// For `System.out.println(…)`, by the object before the function.
pub(super) fn output_of_other_languages(object: &ast::Expr) -> Option<String> {
    if let ast::ExprKind::Member(object, _) = &object.kind {
        return output_of_other_languages(object);
    }
    foreign_function(object.name()?)
}

impl Checker<'_> {
    /// For an unknown variable.
    pub fn variable_help(&self, name: &str) -> Option<Help> {
        let locals = self.frame.names.names();
        let globals = self.module().into_iter().flat_map(|m| m.globals.keys()).map(|name| &**name);
        let mut globals: Vec<&str> = globals.collect();
        globals.sort_unstable();
        translation(name)
            .or_else(|| (name == "set").then(|| "a value is stored with '=': name = value".into()))
            .or_else(|| self.called_without_parentheses(name).map(Help::from))
            .or_else(|| did_you_mean(name, locals.chain(globals)))
            .or_else(|| did_you_mean(name, KEYWORDS.split_whitespace()))
            .or_else(|| did_you_mean(name, BUILTINS.split_whitespace()))
    }

    /// Help for the name of a type or function that is used as a variable.
    fn called_without_parentheses(&self, name: &str) -> Option<String> {
        if Type::primitive(name).is_some() {
            return Some(format!(
                "'{name}' is a type: it follows the name of a variable, as in 'temp x {name}', or converts a value, as in '{name}(x)'"
            ));
        }
        let builtin = super::builtins::is_builtin(name);
        let used = self.usings().iter().any(|used| match &used.module {
            ModuleRef::Library(module) => module.row(name).is_some(),
            _ => false,
        });
        (builtin || used || output_functions().any(|row| row == name))
            .then(|| format!("'{name}' is a function: its arguments are put in parentheses, {name}(...)"))
    }

    /// Help for a method call on a value, `object.name(…)`.
    pub fn method_help(&self, ty: &Type, object: &str, name: &str) -> Option<String> {
        if matches!(name, "length" | "size" | "len")
            && matches!(ty, Type::Str | Type::Array(..) | Type::Map(..))
        {
            return Some(format!("the length is len({object})"));
        }
        let module = match ty {
            Type::Str => "strings",
            Type::Array(..) => "arrays",
            Type::Map(..) => "maps",
            Type::Struct(def) => {
                let own = self.module().is_some_and(|module| module.funcs.contains_key(name));
                return Some(if own {
                    format!("structs have no functions of their own: {name}({object})")
                } else {
                    format!(
                        "structs have no functions of their own: do {name}(it {}) {{ ... }} is called as {name}({object})",
                        def.name
                    )
                });
            }
            _ => return None,
        };
        let name = if name == "push" { "append" } else { name };
        let known = library::module(module).is_some_and(|m| m.row(name).is_some());
        Some(if known {
            format!("values have no methods: with 'import @{module}' it is {module}.{name}({object}, ...)")
        } else {
            format!("values have no methods: what can be done with them is in @{module}")
        })
    }

    /// For an unknown function.
    pub fn function_help(&self, name: &str, at: Span) -> Option<Help> {
        let mut own: Vec<&str> =
            self.module().map_or_else(Vec::new, |m| m.funcs.keys().map(|n| &**n).collect());
        own.sort_unstable();
        let usings = self.usings();
        let used = usings.iter().filter_map(|used| match &used.module {
            ModuleRef::Library(module) => Some(module.rows.iter().map(|row| row.name)),
            _ => None,
        });
        translation(name)
            .or_else(|| self.struct_call_help(name).map(Help::from))
            .or_else(|| self.elsewhere(name, at))
            .or_else(|| did_you_mean(name, own))
            .or_else(|| foreign_function(name).map(Help::from))
            .or_else(|| did_you_mean(name, used.flatten()))
            .or_else(|| did_you_mean(name, output_functions()))
            .or_else(|| did_you_mean(name, BUILTINS.split_whitespace()))
    }

    /// Names the modules of the library that have the function, and how to call it.
    fn elsewhere(&self, name: &str, at: Span) -> Option<Help> {
        let file = self.file_sym()?;
        let imported = file.imports.iter().find_map(|import| match &import.module {
            ModuleRef::Library(module) => module.row(name).map(|_| import.alias.clone()),
            _ => None,
        });
        if let Some(alias) = imported {
            let help = format!("write '{alias}.{name}(...)', or add 'using {alias}' below the imports");
            return Some(Help::from(help).surely(format!("{alias}.{name}")));
        }
        let modules: Vec<&str> =
            library::MODULES.iter().filter(|m| m.row(name).is_some()).map(|m| m.name).collect();
        match modules.as_slice() {
            [] => None,
            ["std"] => {
                let help = format!("'{name}' is in @std: add 'import @std' and 'using std' above");
                Some(Help::from(help).fix(file.add_import("std", "\nusing std")))
            }
            [only] => {
                let help =
                    format!("'{name}' is in @{only}: add 'import @{only}' and call '{only}.{name}(...)'");
                let import = file.add_import(only, "");
                Some(Help::from(help).fix(import.and(at, format!("{only}.{name}"))))
            }
            [rest @ .., last] => {
                Some(format!("modules that have a '{name}': @{} and @{last}", rest.join(", @")).into())
            }
        }
    }

    /// For an unknown type.
    pub fn type_help(&self, name: &str) -> Option<Help> {
        if let Some(translated) = foreign::type_name(name) {
            return Some(Help::from(format!("did you mean '{translated}'?")).surely(translated));
        }
        let mut own: Vec<&str> =
            self.module().map_or_else(Vec::new, |m| m.types.keys().map(|n| &**n).collect());
        own.sort_unstable();
        did_you_mean(name, own)
            .or_else(|| did_you_mean(name, TYPES.split_whitespace()))
            .or_else(|| did_you_mean(name, LIBRARY_TYPES.split_whitespace()))
            .or_else(|| self.imported_type_help(name))
    }

    /// A type of that name in an imported module.
    fn imported_type_help(&self, name: &str) -> Option<Help> {
        self.file_sym()?.imports.iter().find_map(|import| {
            let ModuleRef::User(index) = import.module else { return None };
            let sym = self.syms.modules.get(index)?.types.get(name)?;
            (!sym.private).then(|| meant(&format!("{}.{name}", import.alias)))
        })
    }

    /// For an unknown variable or constant of a user module.
    pub fn module_value_help(&self, index: usize, name: &str) -> Option<Help> {
        let module = self.syms.modules.get(index)?;
        let shown =
            module.globals.iter().filter(|(_, id)| self.syms.global(**id).is_some_and(|g| !g.private));
        let mut names: Vec<&str> = shown.map(|(name, _)| &**name).collect();
        names.sort_unstable();
        did_you_mean(name, names)
    }

    /// For an unknown function of a user module.
    pub fn module_function_help(&self, index: usize, name: &ast::Name) -> Option<Help> {
        let module = self.syms.modules.get(index)?;
        let shown = module.funcs.iter().filter(|(_, id)| self.syms.func(**id).is_some_and(|f| !f.private));
        let mut names: Vec<&str> = shown.map(|(name, _)| &**name).collect();
        names.sort_unstable();
        did_you_mean(&name.text, names)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn builtin(name: &str) -> Option<String> {
        did_you_mean(name, BUILTINS.split_whitespace()).map(|help| help.text)
    }

    #[test]
    fn the_first_of_the_nearest_names_wins() {
        assert_eq!(builtin("lne").as_deref(), Some("did you mean 'len'?"));
        assert_eq!(builtin("asert").as_deref(), Some("did you mean 'assert'?"));
        assert_eq!(did_you_mean("total", ["Total", "totals"]), Some(meant("Total")));
    }

    #[test]
    fn what_is_far_away_is_not_offered() {
        assert_eq!(did_you_mean("x", ["do", "if"]), None);
        assert_eq!(did_you_mean("Customer", TYPES.split_whitespace()), None);
        assert_eq!(one_of("zz", "its fields", &["a", "b"]), Some("its fields: a, b".into()));
    }
}
