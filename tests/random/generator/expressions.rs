//! Expressions of a wanted type.

use super::Generator;
use super::library;
use super::types::{FunctionDecl, INT, Ty, Var};

const WORDS: &[&str] = &["a", "", "abc", "b", "x y", "Hello", "é", "日本", "12", "a,b", "zzz", "the end"];

impl Generator {
    /// An expression of this type; `depth` is how many levels of operations it may have.
    pub fn expression(&mut self, ty: &Ty, depth: usize) -> String {
        if depth == 0 || self.choices.left() == 0 {
            return self.leaf(ty);
        }
        // What every type has: fields, elements, results of functions.
        if self.choices.one_in(6)
            && let Some(found) = self.part_or_call(ty, depth - 1)
        {
            return found;
        }
        let depth = depth - 1;
        match ty {
            Ty::Int("int") => self.int(depth),
            Ty::Int(name) => self.sized(name, depth),
            Ty::Float(_) => self.float(depth),
            Ty::Bool => self.bool(depth),
            Ty::Char => self.char(depth),
            Ty::Byte => self.byte(depth),
            Ty::Str => self.string(depth),
            Ty::Array(element, _) => self.array(ty, element, depth),
            Ty::Map(key, value) => self.map(ty, key, value, depth),
            Ty::Struct(index) if self.choices.one_in(3) => {
                let fields = self.structs[*index].fields.clone();
                let fields: Vec<String> = fields
                    .iter()
                    .map(|(name, ty)| format!("{name}: {}", self.expression(ty, depth)))
                    .collect();
                format!("{}{{{}}}", self.type_name(ty), fields.join(", "))
            }
            Ty::Struct(_) | Ty::Enum(_) => self.leaf(ty),
        }
    }

    /// A variable or a literal.
    fn leaf(&mut self, ty: &Ty) -> String {
        if self.choices.below(4) > 0
            && let Some(var) = self.variable(ty, false)
        {
            return var;
        }
        self.literal(ty, 1)
    }

    /// A variable that can be used as this type.
    pub fn variable(&mut self, ty: &Ty, mutable: bool) -> Option<String> {
        let found: Vec<String> = self
            .visible()
            .into_iter()
            .filter(|var| (var.mutable || !mutable) && ty.accepts(&var.ty))
            .map(|var| self.qualified(&var.module, &var.name))
            .collect();
        (!found.is_empty()).then(|| self.choices.pick(&found).clone())
    }

    /// All variables that are in scope and not hidden.
    pub fn visible(&self) -> Vec<Var> {
        let mut seen: Vec<Var> = Vec::new();
        for var in self.scopes.iter().flatten().rev() {
            if seen.iter().all(|other| other.name != var.name) {
                seen.push(var.clone());
            }
        }
        for var in &self.globals {
            if self.sees(&var.module) && seen.iter().all(|other| other.name != var.name) {
                let mut var = var.clone();
                // Variables of other modules are read only.
                var.mutable &= var.module == self.module;
                seen.push(var);
            }
        }
        seen
    }

    /// A literal without variables or calls in it.
    pub fn literal(&mut self, ty: &Ty, depth: usize) -> String {
        match ty {
            Ty::Int("int") => match self.choices.below(16) {
                14 => "1267650600228229401496703205376".into(),
                15 => "0xFF".into(),
                13 => "9223372036854775807".into(),
                10..13 => format!("(-{})", 1 + self.choices.below(20)),
                _ => self.choices.below(12).to_string(),
            },
            Ty::Int(_) => self.choices.below(60).to_string(),
            Ty::Float(_) => (*self.choices.pick(&["0.5", "1.0", "2.25", "(-3.5)", "1e3", "0.1"])).into(),
            Ty::Bool => (*self.choices.pick(&["true", "false"])).into(),
            Ty::Char => format!("'{}'", *self.choices.pick(&['a', 'b', 'z', '0', ' '])),
            Ty::Byte if self.no_calls => self.choices.below(256).to_string(),
            Ty::Byte => format!("byte({})", self.choices.below(256)),
            Ty::Str => format!("\"{}\"", *self.choices.pick(WORDS)),
            Ty::Array(element, size) => {
                let count = size.unwrap_or(1 + self.choices.below(4));
                let items: Vec<String> =
                    (0..count).map(|_| self.literal(element, depth.saturating_sub(1))).collect();
                format!("{{{}}}", items.join(", "))
            }
            Ty::Map(key, value) => {
                let count = 1 + self.choices.below(3);
                let keys: &[&str] = match **key {
                    Ty::Str => &["\"a\"", "\"b\"", "\"é\""],
                    Ty::Char => &["'a'", "'b'", "'c'"],
                    _ => &["1", "2", "30"],
                };
                let pairs: Vec<String> =
                    keys[..count].iter().map(|k| format!("{k}: {}", self.literal(value, 0))).collect();
                format!("{{{}}}", pairs.join(", "))
            }
            Ty::Struct(index) => {
                let fields = self.structs[*index].fields.clone();
                let fields: Vec<String> =
                    fields.iter().map(|(name, ty)| format!("{name}: {}", self.literal(ty, 0))).collect();
                format!("{}{{{}}}", self.type_name(ty), fields.join(", "))
            }
            Ty::Enum(index) => {
                let member = self.choices.pick(&self.enums[*index].members.clone()).clone();
                format!("{}.{member}", self.type_name(ty))
            }
        }
    }

    /// A field of a struct, an element of an array, an entry of a map, or the result of a function.
    fn part_or_call(&mut self, ty: &Ty, depth: usize) -> Option<String> {
        match self.choices.below(4) {
            0 => self.call_for(ty, depth),
            1 => self.field_of(ty, false),
            2 => {
                let array = self.expression(&Ty::array(ty.clone()), depth);
                let index = self.expression(&INT, depth);
                Some(format!("{}({array}, {index})", self.element_helper(ty)?))
            }
            _ => {
                let map = self.variable(&Ty::map(Ty::Str, ty.clone()), false)?;
                let (key, default) = (self.expression(&Ty::Str, depth), self.expression(ty, depth));
                Some(format!("maps.get({map}, {key}, {default})"))
            }
        }
    }

    /// A field of a variable, of this type.
    pub fn field_of(&mut self, ty: &Ty, mutable: bool) -> Option<String> {
        let mut found = Vec::new();
        for var in self.visible() {
            let Ty::Struct(index) = var.ty else { continue };
            for (name, field) in &self.structs[index].fields {
                let place = format!("{}.{name}", self.qualified(&var.module, &var.name));
                if ty.accepts(field) && (var.mutable || !mutable) {
                    found.push(place.clone());
                }
                if let Ty::Struct(inner) = field {
                    let inner = &self.structs[*inner].fields;
                    let parts = inner.iter().filter(|(_, t)| ty.accepts(t) && (var.mutable || !mutable));
                    found.extend(parts.map(|(part, _)| format!("{place}.{part}")));
                }
            }
        }
        (!found.is_empty()).then(|| self.choices.pick(&found).clone())
    }

    /// A call of a function that returns this type.
    fn call_for(&mut self, ty: &Ty, depth: usize) -> Option<String> {
        let found = self.callable(|f| f.returns.len() == 1 && ty.accepts(&f.returns[0]));
        if found.is_empty() {
            return None;
        }
        let function = self.choices.pick(&found).clone();
        Some(self.call(&function, depth))
    }

    pub fn callable(&self, wanted: impl Fn(&FunctionDecl) -> bool) -> Vec<FunctionDecl> {
        self.functions.iter().filter(|f| self.sees(&f.module) && wanted(f)).cloned().collect()
    }

    /// A call of a function.
    pub fn call(&mut self, function: &FunctionDecl, depth: usize) -> String {
        let mut arguments = Vec::new();
        for parameter in &function.parameters {
            if parameter.default && self.choices.one_in(3) {
                break;
            }
            let place = match parameter.by_reference && self.choices.below(6) > 0 {
                true if self.choices.one_in(3) => self.field_of(&parameter.ty, true),
                true => self.variable(&parameter.ty, true),
                false => None,
            };
            // What is no place is an ordinary local of the function, but constants are refused.
            let argument = match place {
                Some(place) => place,
                None if parameter.by_reference => self.literal(&parameter.ty, 1),
                None => self.expression(&parameter.ty, depth),
            };
            arguments.push(argument);
        }
        format!("{}({})", self.qualified(&function.module, &function.name), arguments.join(", "))
    }

    fn int(&mut self, depth: usize) -> String {
        match self.choices.below(14) {
            0..3 => {
                let operator = *self.choices.pick(&["+", "-"]);
                format!("({} {operator} {})", self.expression(&INT, depth), self.expression(&INT, depth))
            }
            3 => {
                let modulus = *self.choices.pick(&["97", "9973", "1000003", "1180591620717411303424"]);
                let (a, b) = (self.expression(&INT, depth), self.expression(&INT, depth));
                format!("(({a} * {b}) % {modulus})")
            }
            4 => format!("({} * {})", self.expression(&INT, depth), 1 + self.choices.below(5)),
            5 => {
                let (a, b) = (self.expression(&INT, depth), self.expression(&INT, depth));
                format!("({a} / (math.abs({b}) + 1))")
            }
            6 => format!("(-{})", self.expression(&INT, depth)),
            7 => match self.variable(&INT, true) {
                Some(var) => format!("{var}{}", self.choices.pick(&["++", "--"])),
                None => self.leaf(&INT),
            },
            8 => format!("int({} * 0.25)", self.expression(&Ty::Float("float"), 0)),
            9 => format!("int({})", self.expression(&Ty::Char, depth)),
            10 => {
                let ty = self.sized_int();
                format!("cast({}, int)", self.expression(&ty, depth))
            }
            _ => self.library(library::INTS, depth),
        }
    }

    /// Of a sized type: always small enough.
    fn sized(&mut self, name: &'static str, depth: usize) -> String {
        let ty = Ty::Int(name);
        match self.choices.below(4) {
            0 | 1 => self.leaf(&ty),
            2 if name != "uint" => format!("{name}(math.mod({}, 50))", self.expression(&INT, depth)),
            _ => match self.variable(&ty, false) {
                Some(var) => format!("({var} {} 2)", self.choices.pick(&["%", "/"])),
                None => self.leaf(&ty),
            },
        }
    }

    fn float(&mut self, depth: usize) -> String {
        let ty = Ty::Float("float");
        match self.choices.below(6) {
            0 | 1 => {
                let operator = *self.choices.pick(&["+", "-"]);
                format!("({} {operator} {})", self.expression(&ty, depth), self.expression(&ty, depth))
            }
            2 => format!("({} * 0.5)", self.expression(&ty, depth)),
            3 => format!("({} / 4.0)", self.expression(&ty, depth)),
            4 => format!("({} + {})", self.expression(&INT, depth), self.leaf(&ty)),
            _ => self.library(library::FLOATS, depth),
        }
    }

    fn bool(&mut self, depth: usize) -> String {
        let comparison = *self.choices.pick(&["<", ">", "<=", ">=", "==", "!="]);
        match self.choices.below(10) {
            0..2 => {
                format!("({} {comparison} {})", self.expression(&INT, depth), self.expression(&INT, depth))
            }
            2 => {
                let ty = self.choices.pick(&[Ty::Float("float"), Ty::Char, Ty::Byte]).clone();
                format!("({} {comparison} {})", self.expression(&ty, depth), self.expression(&ty, depth))
            }
            3 => {
                let operator = *self.choices.pick(&["&&", "||"]);
                format!(
                    "({} {operator} {})",
                    self.expression(&Ty::Bool, depth),
                    self.expression(&Ty::Bool, depth)
                )
            }
            4 => format!("(!({}))", self.expression(&Ty::Bool, depth)),
            5 => {
                let operator = *self.choices.pick(&["==", "!="]);
                let ty = match self.choices.below(3) {
                    0 => Ty::Str,
                    1 => self.enum_type().unwrap_or(Ty::Bool),
                    _ => self.struct_type().unwrap_or(Ty::array(INT)),
                };
                format!("({} {operator} {})", self.expression(&ty, depth), self.expression(&ty, depth))
            }
            6 => {
                let operator = *self.choices.pick(&["in", "not_in", "!in"]);
                let (ty, collection) = match self.choices.below(3) {
                    0 => (INT, Ty::array(INT)),
                    1 => (Ty::Str, Ty::array(Ty::Str)),
                    _ => (Ty::Str, Ty::map(Ty::Str, INT)),
                };
                format!(
                    "({} {operator} {})",
                    self.expression(&ty, depth),
                    self.expression(&collection, depth)
                )
            }
            7 => {
                let (start, end) = (self.choices.below(4), 4 + self.choices.below(9));
                format!("({} in range({start}, {end}))", self.expression(&INT, depth))
            }
            _ => self.library(library::BOOLS, depth),
        }
    }

    fn char(&mut self, depth: usize) -> String {
        match self.choices.below(3) {
            0 => self.leaf(&Ty::Char),
            1 => format!("char(97 + math.mod({}, 26))", self.expression(&INT, depth)),
            _ => {
                let (text, index) = (self.expression(&Ty::Str, depth), self.expression(&INT, depth));
                self.need(
                    "char_of",
                    "do char_of(s string, i int) -> char {\n    if len(s) == 0 { return 'z' }\n    \
                     temp at int = math.mod(i, len(s))\n    return s[at]\n}\n",
                );
                format!("char_of({text}, {index})")
            }
        }
    }

    fn byte(&mut self, depth: usize) -> String {
        match self.choices.below(2) {
            0 => self.leaf(&Ty::Byte),
            _ => format!("byte(math.mod({}, 256))", self.expression(&INT, depth)),
        }
    }

    fn string(&mut self, depth: usize) -> String {
        match self.choices.below(8) {
            0 | 1 => {
                format!("({} + {})", self.expression(&Ty::Str, depth), self.expression(&Ty::Str, depth))
            }
            2..4 => {
                let ty = self.any_type();
                let (a, b) = (self.expression(&ty, depth), self.expression(&INT, depth));
                format!("\"<${{{a}}} ${{{b}}}>\"")
            }
            _ => self.library(library::STRINGS, depth),
        }
    }

    fn array(&mut self, ty: &Ty, element: &Ty, depth: usize) -> String {
        if let Ty::Array(_, Some(_)) = ty {
            return self.leaf(ty);
        }
        match self.choices.below(4) {
            0 => self.leaf(ty),
            1 => {
                let count = 1 + self.choices.below(3);
                let items: Vec<String> = (0..count).map(|_| self.expression(element, depth)).collect();
                format!("{{{}}}", items.join(", "))
            }
            _ => match element {
                Ty::Int("int") => self.library(library::INT_ARRAYS, depth),
                Ty::Str => self.library(library::STRING_ARRAYS, depth),
                Ty::Byte => self.library(library::BYTE_ARRAYS, depth),
                Ty::Char => format!("strings.chars({})", self.expression(&Ty::Str, depth)),
                _ => format!("arrays.reverse({})", self.leaf(ty)),
            },
        }
    }

    fn map(&mut self, ty: &Ty, key: &Ty, value: &Ty, depth: usize) -> String {
        match self.choices.below(3) {
            0 => self.leaf(ty),
            1 => format!("copy({})", self.leaf(ty)),
            _ if *key == Ty::Str => {
                format!("{{\"k\": {}, \"l\": {}}}", self.expression(value, depth), self.leaf(value))
            }
            _ => self.literal(ty, 1),
        }
    }

    /// The function that gives an element of an array whatever the index, and another value for an empty
    /// array.
    fn element_helper(&mut self, ty: &Ty) -> Option<String> {
        let type_name = self.type_name(ty);
        let name: String = type_name.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
        let name = format!("at_{name}");
        if !self.helpers.contains_key(&name) {
            let default = self.literal(ty, 1);
            let text = format!(
                "do {name}(a [{type_name}], i int) -> {type_name} {{\n    if len(a) == 0 {{\n        \
                 temp none {type_name} = {default}\n        return none\n    }}\n    \
                 temp at int = math.mod(i, len(a))\n    return a[at]\n}}\n"
            );
            self.need(&name, &text);
        }
        Some(name)
    }

    /// Declares a helper function in the current module.
    pub fn need(&mut self, name: &str, text: &str) {
        self.helpers.entry(name.into()).or_insert_with(|| text.into());
    }
}
