//! Statements.

use super::Generator;
use super::library;
use super::types::{INT, Ty, Var};

/// Levels of operations in the expressions of statements.
const DEPTH: usize = 3;

/// How deep blocks are nested.
const NESTING: usize = 4;

impl Generator {
    /// A block's statements, in a scope of their own that has these variables already.
    pub fn block(&mut self, variables: Vec<Var>, most: usize) {
        self.scopes.push(variables);
        self.indent += 1;
        let count = 1 + self.choices.below(most);
        for _ in 0..count {
            self.statement();
        }
        self.indent -= 1;
        self.scopes.pop();
    }

    pub fn local(name: &str, ty: &Ty, mutable: bool) -> Var {
        Var { module: String::new(), name: name.into(), ty: ty.clone(), mutable }
    }

    fn declare(&mut self, var: Var) {
        self.scopes.last_mut().expect("a scope").push(var);
    }

    pub fn statement(&mut self) {
        let nested = self.scopes.len() < NESTING + 1;
        match self.choices.below(34) {
            0..3 => self.print(),
            3..8 => self.declaration(),
            8..11 => self.assignment(),
            11 => self.compound_assignment(),
            12 => self.field_assignment(),
            13 | 14 => self.array_change(),
            15 => self.map_change(),
            16 | 17 => self.call_statement(),
            18 | 19 => self.several_results(),
            20 => self.reference(),
            21 => self.ensure(),
            22 => self.text_change(),
            23 => self.early_end(),
            24 | 25 => self.idiom(),
            26 | 27 if nested => self.if_chain(),
            28 if nested => self.when(),
            29 | 30 if nested => self.counted_loop(),
            31 if nested => self.for_each(),
            32 if nested => self.as_long_as(),
            33 if nested => self.endless_loop(),
            _ => self.increment(),
        }
    }

    fn print(&mut self) {
        let print = *self.choices.pick(&["println", "println", "println", "print", "eprintln"]);
        let value = match self.choices.one_in(4) {
            true => self.library(library::SHOWN, 1),
            false => {
                let ty = self.any_type();
                self.expression(&ty, DEPTH)
            }
        };
        let other = self.expression(&INT, 1);
        let line = match self.choices.below(3) {
            0 => format!("{print}({value})"),
            1 => format!("{print}({value}, {other})"),
            _ => format!("{print}(\"${{{value}}}; ${{{other}}}\\t\")"),
        };
        self.line(&line);
    }

    fn declaration(&mut self) {
        let ty = self.any_type();
        let constant = self.choices.one_in(6);
        let word = if constant { "const" } else { "temp" };
        let hidden = if self.scopes.len() > 2 && self.choices.one_in(8) { self.outer_name() } else { None };
        let name = hidden.unwrap_or_else(|| self.name("v"));
        // What the checker infers is the type that is meant.
        let inferred = self.choices.one_in(4) && !matches!(ty, Ty::Int(_) | Ty::Array(..) | Ty::Map(..));
        let dynamic_constant = constant && matches!(ty, Ty::Array(_, None));
        if inferred || dynamic_constant {
            let value = self.literal(&ty, 1);
            self.line(&format!("{word} {name} = {value}"));
        } else {
            let value = self.initial(&ty);
            self.line(&format!("{word} {name} {} = {value}", self.type_name(&ty)));
        }
        self.declare(Generator::local(&name, &ty, !constant));
    }

    /// The name of a variable of an outer block.
    fn outer_name(&mut self) -> Option<String> {
        let outer = &self.scopes[..self.scopes.len() - 1];
        let inner = self.scopes.last()?;
        let names: Vec<String> = outer.iter().flatten().map(|v| v.name.clone()).collect();
        let names: Vec<String> = names.into_iter().filter(|n| inner.iter().all(|v| v.name != *n)).collect();
        (!names.is_empty()).then(|| self.choices.pick(&names).clone())
    }

    /// A value to be stored in a variable: of a size that does not grow from round to round.
    fn initial(&mut self, ty: &Ty) -> String {
        let value = self.expression(ty, DEPTH);
        match ty {
            Ty::Str => {
                self.need("clip", "do clip(s string) -> string {\n    if len(s) > 40 { return strings.slice(s, 0, 40) }\n    \
                     return s\n}\n");
                format!("clip({value})")
            }
            Ty::Array(element, None) if !matches!(**element, Ty::Struct(_)) => {
                let type_name = self.type_name(element);
                let name: String =
                    type_name.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
                let name = format!("few_{name}");
                let text = format!(
                    "do {name}(a [{type_name}]) -> [{type_name}] {{\n    if len(a) > 6 {{ return arrays.slice(a, 0, 6) }}\n    \
                     return a\n}}\n"
                );
                self.need(&name, &text);
                format!("{name}({value})")
            }
            _ => value,
        }
    }

    fn assignment(&mut self) {
        let mutable: Vec<Var> = self.visible().into_iter().filter(|v| v.mutable).collect();
        if mutable.is_empty() {
            return self.declaration();
        }
        let var = self.choices.pick(&mutable).clone();
        let value = self.initial(&var.ty);
        self.line(&format!("{} = {value}", var.name));
    }

    fn compound_assignment(&mut self) {
        let (ty, operators): (Ty, &[&str]) = match self.choices.below(3) {
            0 => (INT, &["+=", "-="]),
            1 => (Ty::Float("float"), &["+=", "-="]),
            _ => (Ty::Str, &["+="]),
        };
        let field = self.choices.one_in(3).then(|| self.field_of(&ty, true)).flatten();
        let Some(place) = field.or_else(|| self.variable(&ty, true)) else { return self.print() };
        let operator = *self.choices.pick(operators);
        let value = match ty {
            Ty::Str => self.literal(&ty, 0),
            _ => self.expression(&ty, 2),
        };
        self.line(&format!("{place} {operator} {value}"));
    }

    fn increment(&mut self) {
        match self.variable(&INT, true) {
            Some(var) => self.line(&format!("{var}++")),
            None => self.declaration(),
        }
    }

    fn field_assignment(&mut self) {
        let ty = self.any_type();
        match self.field_of(&ty, true) {
            Some(place) if !ty.is_int() || ty == INT => {
                let value = self.initial(&ty);
                self.line(&format!("{place} = {value}"));
            }
            _ => self.declaration(),
        }
    }

    /// A variable, or field, that holds an array of integers.
    fn array_change(&mut self) {
        let ty = Ty::array(INT);
        let field = self.choices.one_in(3).then(|| self.field_of(&ty, true)).flatten();
        let Some(place) = field.or_else(|| self.variable(&ty, true)) else { return self.declaration() };
        match self.choices.below(4) {
            0 => {
                let change = self.library(library::ARRAY_CHANGES, 2).replace('@', &place);
                self.line(&format!("if len({place}) < 12 {{ {change} }}"));
            }
            1 => {
                let function = *self.choices.pick(&["pop", "shift", "last", "first"]);
                self.line(&format!("if len({place}) > 0 {{ println(arrays.{function}({place})) }}"));
            }
            _ => {
                let index = self.choices.below(4);
                let operator = *self.choices.pick(&["=", "+=", "-="]);
                let value = self.expression(&INT, 2);
                // Literal indexes of arrays of fixed size are checked before the run.
                let mut line = format!("{place}[int({index})] {operator} {value}");
                if !self.choices.one_in(12) {
                    line = format!("if len({place}) > {index} {{ {line} }}");
                }
                self.line(&line);
            }
        }
    }

    fn map_change(&mut self) {
        let value = self.choices.pick(&[INT, Ty::Str, Ty::array(INT)]).clone();
        let Some(map) = self.variable(&Ty::map(Ty::Str, value.clone()), true) else {
            return self.declaration();
        };
        let key = format!("\"{}\"", self.choices.pick(&["a", "b", "c", "k"]));
        let line = match self.choices.below(5) {
            0 => format!("maps.remove({map}, {key})"),
            1 if value == INT => {
                format!("if {key} in {map} {{ {map}[{key}] += {} }}", self.expression(&INT, 2))
            }
            2 => format!("if {key} in {map} {{ println({map}[{key}]) }}"),
            3 => {
                let other = self.expression(&Ty::map(Ty::Str, value.clone()), 1);
                format!("{map} = maps.merge({map}, {other})")
            }
            _ => format!("{map}[{key}] = {}", self.initial(&value)),
        };
        self.line(&line);
    }

    fn call_statement(&mut self) {
        let functions = self.callable(|f| f.returns.len() <= 1);
        if functions.is_empty() {
            return self.print();
        }
        let function = self.choices.pick(&functions).clone();
        let call = self.call(&function, 2);
        match function.returns.is_empty() {
            true => self.line(&call),
            false => self.line(&format!("temp _ = {call}")),
        }
    }

    /// `temp a, b = f()` and its variants.
    fn several_results(&mut self) {
        let functions = self.callable(|f| f.returns.len() > 1);
        if functions.is_empty() {
            return self.call_statement();
        }
        let function = self.choices.pick(&functions).clone();
        let call = self.call(&function, 2);
        let returns = function.returns;
        let existing: Vec<Option<String>> = returns.iter().map(|ty| self.variable(ty, true)).collect();
        let locals = |name: &Option<String>| name.as_ref().is_some_and(|n| !n.contains('.'));
        if self.choices.one_in(3) && existing.iter().all(locals) {
            let names: Vec<String> = existing.into_iter().flatten().collect();
            return self.line(&format!("{} = {call}", names.join(", ")));
        }
        let typed = self.choices.one_in(3);
        let mut names = Vec::new();
        let mut declared = Vec::new();
        for ty in &returns {
            if !typed && self.choices.one_in(4) {
                names.push("_".to_string());
                continue;
            }
            let name = self.name("v");
            names.push(if typed { format!("{name} {}", self.type_name(ty)) } else { name.clone() });
            declared.push(Generator::local(&name, ty, true));
        }
        self.line(&format!("temp {} = {call}", names.join(", ")));
        declared.into_iter().for_each(|var| self.declare(var));
    }

    fn reference(&mut self) {
        let mutable: Vec<Var> = self.visible().into_iter().filter(|v| v.mutable).collect();
        if mutable.is_empty() {
            return self.declaration();
        }
        let var = self.choices.pick(&mutable).clone();
        let name = self.name("r");
        self.line(&format!("temp {name} = ref({})", var.name));
        self.declare(Generator::local(&name, &var.ty, true));
    }

    fn ensure(&mut self) {
        let functions = self.callable(|f| f.returns.is_empty());
        let call = match functions.is_empty() || self.choices.one_in(2) {
            true => format!("println(\"ensured\", {})", self.expression(&INT, 1)),
            false => {
                let function = self.choices.pick(&functions).clone();
                self.call(&function, 1)
            }
        };
        // Each execution registers a call.
        if self.loops == 0 {
            self.line(&format!("ensure {call}"));
        }
    }

    /// `s[i] = c`
    fn text_change(&mut self) {
        let Some(text) = self.variable(&Ty::Str, true) else { return self.print() };
        let (index, value) = (self.choices.below(3), self.expression(&Ty::Char, 2));
        self.line(&format!("if len({text}) > {index} {{ {text}[{index}] = {value} }}"));
    }

    /// `break`, `continue`, `return`, and what ends the program.
    fn early_end(&mut self) {
        let condition = self.expression(&Ty::Bool, 2);
        let end = match self.choices.below(24) {
            20 => "panic(\"given up\")".into(),
            21 => "exit(3)".into(),
            22 => format!("assert({condition}, \"as it should be\")"),
            n if self.loops > 0 && n < 14 => (*self.choices.pick(&["break", "continue"])).into(),
            _ => self.return_text(),
        };
        self.line(&format!("if ({condition} && fuel % 3 == 0) {{ {end} }}"));
    }

    /// A `return` of what the function returns.
    pub fn return_text(&mut self) -> String {
        let returns = self.returns.clone();
        let values: Vec<String> = returns
            .iter()
            .map(|ty| {
                self.variable(ty, false).filter(|v| !v.contains('.')).unwrap_or_else(|| self.literal(ty, 1))
            })
            .collect();
        if values.is_empty() { "return".into() } else { format!("return {}", values.join(", ")) }
    }

    fn if_chain(&mut self) {
        let condition = self.expression(&Ty::Bool, DEPTH);
        self.line(&format!("if {condition} {{"));
        self.block(Vec::new(), 3);
        for _ in 0..self.choices.below(3) {
            let condition = self.expression(&Ty::Bool, 2);
            self.line(&format!("}} or {condition} {{"));
            self.block(Vec::new(), 2);
        }
        if self.choices.one_in(2) {
            self.line("} otherwise {");
            self.block(Vec::new(), 2);
        }
        self.line("}");
    }

    fn when(&mut self) {
        let subject = self.name("w");
        let mut strict = false;
        let (ty, cases): (Ty, Vec<String>) = match self.choices.below(4) {
            0 => (INT, vec!["0, 1".into(), "range(2, 6)".into(), "7".into()]),
            1 => (Ty::Str, vec!["\"a\", \"b\"".into(), "\"abc\"".into(), "\"é\"".into()]),
            2 => (Ty::Char, vec!["'a'".into(), "'b', 'z'".into()]),
            _ => match self.enum_type() {
                Some(Ty::Enum(index)) => {
                    strict = true;
                    let name = self.type_name(&Ty::Enum(index));
                    (
                        Ty::Enum(index),
                        self.enums[index].members.iter().map(|m| format!("{name}.{m}")).collect(),
                    )
                }
                _ => (INT, vec!["1".into()]),
            },
        };
        let value = self.expression(&ty, 2);
        self.line(&format!("temp {subject} {} = {value}", self.type_name(&ty)));
        if strict {
            self.line("#strict");
        }
        self.line(&format!("when {subject} {{"));
        self.indent += 1;
        for case in &cases {
            self.line(&format!("is {case} {{"));
            self.block(Vec::new(), 2);
            self.line("}");
        }
        if !strict {
            self.line("default {");
            self.block(Vec::new(), 2);
            self.line("}");
        }
        self.indent -= 1;
        self.line("}");
        self.declare(Generator::local(&subject, &ty, false));
    }

    fn counted_loop(&mut self) {
        let name = self.name("at");
        let range = match self.choices.below(4) {
            0 => format!("range({})", self.choices.below(5)),
            1 => format!("range({}, {})", self.choices.below(2), 2 + self.choices.below(4)),
            2 => format!("range({}, 0, -2)", 3 + self.choices.below(4)),
            _ => format!("range(0, math.mod({}, 5))", self.expression(&INT, 2)),
        };
        let ty = if self.choices.one_in(5) { " int" } else { "" };
        self.line(&format!("for {name}{ty} in {range} {{"));
        self.loop_body(vec![Generator::local(&name, &INT, false)], 4);
    }

    fn for_each(&mut self) {
        let element = match self.choices.below(4) {
            0 => INT,
            1 => Ty::Str,
            2 => self.struct_type().unwrap_or(Ty::Byte),
            _ => Ty::Char,
        };
        let collection = match element {
            Ty::Char => self.expression(&Ty::Str, 2),
            _ => self.initial(&Ty::array(element.clone())),
        };
        let name = self.name("e");
        let mut variables = vec![Generator::local(&name, &element, false)];
        let mut header = name;
        if self.choices.one_in(3) {
            let index = self.name("at");
            header = format!("{index}, {header}");
            variables.push(Generator::local(&index, &INT, false));
        }
        self.line(&format!("for_each {header} in {collection} {{"));
        self.loop_body(variables, 4);
    }

    fn as_long_as(&mut self) {
        let counter = self.name("c");
        let (most, condition) = (1 + self.choices.below(4), self.expression(&Ty::Bool, 2));
        self.line(&format!("temp {counter} int = 0"));
        self.line(&format!("as_long_as {counter} < {most} && {condition} {{"));
        self.indent += 1;
        self.line(&format!("{counter} += 1"));
        self.indent -= 1;
        self.loop_body(vec![Generator::local(&counter, &INT, false)], 3);
    }

    fn endless_loop(&mut self) {
        let counter = self.name("c");
        let most = self.choices.below(4);
        self.line(&format!("temp {counter} int = 0"));
        self.line("loop {");
        self.indent += 1;
        self.line(&format!("if {counter} >= {most} {{ break }}"));
        self.line(&format!("{counter} += 1"));
        self.indent -= 1;
        self.loop_body(vec![Generator::local(&counter, &INT, false)], 3);
    }

    /// The body of a loop, which ends when the fuel is used up, and its closing brace.
    fn loop_body(&mut self, variables: Vec<Var>, most: usize) {
        self.indent += 1;
        self.line("if fuel <= 0 { break }");
        self.line("fuel -= 1");
        self.indent -= 1;
        self.loops += 1;
        self.block(variables, most);
        self.loops -= 1;
        self.line("}");
    }
}
