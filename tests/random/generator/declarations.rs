//! Files: types, globals, functions.

use std::fmt::Write;

use super::Generator;
use super::library::MODULES;
use super::types::{EnumDecl, FunctionDecl, INT, Parameter, StructDecl, Ty, Var};

impl Generator {
    /// The modules of the program, as files.
    pub fn modules(&mut self) -> Vec<(String, String)> {
        let mut files = Vec::new();
        for name in ["shapes", "parts"].iter().take(self.choices.below(3)) {
            self.module = name.to_string();
            let functions = 1 + self.choices.below(2);
            let own = self.declarations(functions);
            let text = format!("module {name}\n\n{}\n{own}{}", self.imports(), self.take_helpers());
            // A directory is a module, too.
            let path = if *name == "parts" { format!("{name}/first.ez") } else { format!("{name}.ez") };
            files.push((path, text));
        }
        if files.len() == 2 {
            files.push(("parts/second.ez".into(), "module parts\n\nprivate temp unseen int = 3\n".into()));
        }
        self.module = String::new();
        files
    }

    /// The main file.
    pub fn main_file(&mut self) -> String {
        let mut imports = self.imports();
        let modules: Vec<String> = self.structs.iter().map(|s| s.module.clone()).collect();
        for module in ["shapes", "parts"] {
            if modules.iter().any(|m| m == module) {
                imports.insert_str(0, &format!("import \"./{module}\"\n"));
            }
        }
        let count = 1 + self.choices.below(4);
        let own = self.declarations(count);
        self.returns = Vec::new();
        self.body = String::new();
        self.scopes = vec![Vec::new()];
        self.block(Vec::new(), 40);
        self.indent = 1;
        for var in self.globals.clone().iter().filter(|var| var.module.is_empty()) {
            self.line(&format!("println(\"{0} \", {0})", var.name));
        }
        self.indent = 0;
        let body = std::mem::take(&mut self.body);
        format!("{imports}\n{own}{}do main() {{\n{body}}}\n", self.take_helpers())
    }

    fn imports(&self) -> String {
        let modules: Vec<String> = MODULES.iter().map(|name| format!("@{name}")).collect();
        format!("import @std, {}\nusing std\n", modules.join(", "))
    }

    /// Types, globals and functions of the current module.
    fn declarations(&mut self, functions: usize) -> String {
        let mut text = format!("temp fuel int = {}\n\n", 30 + self.choices.below(90));
        for _ in 0..1 + self.choices.below(2) {
            text += &self.enum_declaration();
        }
        for _ in 0..1 + self.choices.below(2) {
            text += &self.struct_declaration();
        }
        for _ in 0..self.choices.below(5) {
            text += &self.global();
        }
        let mut bodies = String::new();
        for _ in 0..functions {
            bodies += &self.function();
        }
        text + &bodies
    }

    /// The helpers that the current module needs.
    fn take_helpers(&mut self) -> String {
        std::mem::take(&mut self.helpers).into_values().map(|text| text + "\n").collect()
    }

    fn enum_declaration(&mut self) -> String {
        let name = self.name("Kind");
        let members: Vec<String> = ["RED", "GREEN", "BLUE", "NONE"][..2 + self.choices.below(3)]
            .iter()
            .map(|m| m.to_string())
            .collect();
        let (before, values): (&str, fn(usize) -> String) = match self.choices.below(4) {
            0 => ("", |_| String::new()),
            1 => ("#flags\n", |_| String::new()),
            2 => ("", |i| format!(" = \"text {i}\"")),
            _ => ("#doc(\"numbers\")\n", |i| format!(" = {}", 10 * i)),
        };
        let mut text = format!("{before}const {name} enum {{\n");
        for (i, member) in members.iter().enumerate() {
            let _ = writeln!(text, "    {member}{}", values(i));
        }
        self.enums.push(EnumDecl { module: self.module.clone(), name, members });
        text + "}\n\n"
    }

    fn struct_declaration(&mut self) -> String {
        let name = self.name("Shape");
        let mut fields = vec![("x".to_string(), INT), ("name".to_string(), Ty::Str)];
        for _ in 0..self.choices.below(4) {
            let ty = self.any_type();
            fields.push((self.name("field"), ty));
        }
        let mut text = format!("const {name} struct {{\n");
        for (field, ty) in &fields {
            let _ = writeln!(text, "    {field} {}", self.type_name(ty));
        }
        self.structs.push(StructDecl { module: self.module.clone(), name, fields });
        text + "}\n\n"
    }

    fn global(&mut self) -> String {
        let ty = self.any_type();
        let mutable = !self.choices.one_in(4) || matches!(ty, Ty::Array(_, None));
        let word = if mutable { "temp" } else { "const" };
        let name = self.name("g");
        self.no_calls = true;
        let value = self.literal(&ty, 1);
        self.no_calls = false;
        let text = format!("{word} {name} {} = {value}\n\n", self.type_name(&ty));
        self.globals.push(Var { module: self.module.clone(), name, ty, mutable });
        text
    }

    fn function(&mut self) -> String {
        let name = self.name("fun");
        let parameters = self.parameters();
        let returns: Vec<Ty> = match self.choices.below(5) {
            0 => Vec::new(),
            4 => vec![self.any_type(), self.any_type()],
            _ => vec![self.any_type()],
        };
        let header: Vec<String> = parameters
            .iter()
            .map(|p| {
                let by = if p.by_reference { "&" } else { "" };
                let default =
                    if p.default { format!(" = {}", self.default_value(&p.ty)) } else { String::new() };
                format!("{by}{} {}{default}", p.name, self.type_name(&p.ty))
            })
            .collect();
        let result: Vec<String> = returns.iter().map(|ty| self.type_name(ty)).collect();
        let result = match returns.len() {
            0 => String::new(),
            1 => format!(" -> {}", result[0]),
            _ => format!(" -> ({})", result.join(", ")),
        };
        self.returns = returns.clone();
        self.body = String::new();
        let locals =
            parameters.iter().map(|p| Generator::local(&p.name, &p.ty, p.by_reference)).collect::<Vec<_>>();
        self.scopes = vec![locals];
        self.indent = 1;
        self.line("if fuel <= 0 {");
        self.indent += 1;
        self.last_return(true);
        self.indent -= 1;
        self.line("}");
        self.line("fuel -= 1");
        self.indent = 0;
        self.block(Vec::new(), 8);
        self.indent = 1;
        self.last_return(false);
        self.indent = 0;
        let body = std::mem::take(&mut self.body);
        self.functions.push(FunctionDecl {
            module: self.module.clone(),
            name: name.clone(),
            parameters,
            returns,
        });
        format!("do {name}({}){result} {{\n{body}}}\n\n", header.join(", "))
    }

    fn parameters(&mut self) -> Vec<Parameter> {
        let count = self.choices.below(4);
        let mut parameters: Vec<Parameter> = Vec::new();
        for _ in 0..count {
            let ty = self.any_type();
            let by_reference = self.choices.one_in(3);
            let name = self.name("p");
            parameters.push(Parameter { name, ty, by_reference, default: false });
        }
        // Only the last ones may be left out.
        if self.choices.one_in(3)
            && let Some(last) = parameters.last_mut().filter(|p| !p.by_reference)
        {
            last.default = matches!(last.ty, Ty::Str | Ty::Bool | Ty::Char | Ty::Int("int"));
        }
        parameters
    }

    fn default_value(&self, ty: &Ty) -> &'static str {
        match ty {
            Ty::Str => "\"by default\"",
            Ty::Bool => "true",
            Ty::Char => "'d'",
            _ => "8",
        }
    }

    /// The `return` at a function's end: values go through variables, whose types are sure.
    fn last_return(&mut self, short: bool) {
        let mut names = Vec::new();
        for ty in self.returns.clone() {
            let value = if short { self.literal(&ty, 1) } else { self.expression(&ty, 2) };
            let name = self.name("out");
            self.line(&format!("temp {name} {} = {value}", self.type_name(&ty)));
            names.push(name);
        }
        match names.is_empty() {
            true => self.line("return"),
            false => self.line(&format!("return {}", names.join(", "))),
        }
    }
}
