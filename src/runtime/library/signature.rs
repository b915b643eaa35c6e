//! Signatures of library rows, parsed from the text in the row.
//!
//! `(a [T], values T...)`, `(m map[K:V], key K, default V?) -> V`, `(x num, y num...) -> num`.
//! A parameter is `name type`, with `?` when it may be left out and `...` when it may be repeated
//! (zero or more times).
//! `[type]` and `map[K:V]` as parameters are the classes of arrays and maps (with element checks for
//! variables); a map without variables (`map[string:string]`) is that type.
//! Types: `any num int float string bool char byte`, `T K V U` (variables), `[type]`, `map[k:v]`,
//! names of library types (`Error`, `File`, `HttpResponse`…), `type` (a type name as argument).
//! As a result, `num` is `int` if all `num` arguments are integers, `any` if one is unknown, else
//! `float`; `elem T` is the element type of T (T itself if that is no array), `wide T` is `int` for
//! integer types, `float` for float types, else T; `type` is the type named by that argument (whose static
//! type in [`Signature::result`] is that type); `(A, B)` is a pair; no `->` is `void`.

use std::collections::HashMap;

use crate::value::{HandleKind, Type, builtin};

/// A parsed signature.
#[derive(Clone, Debug)]
pub struct Signature {
    /// The parameters.
    pub params: Vec<SignatureParam>,
    /// The results: none for void, two or more for a pair.
    pub results: Vec<ParamType>,
}

/// One parameter.
#[derive(Clone, Debug)]
pub struct SignatureParam {
    pub name: String,
    pub ty: ParamType,
    /// `?`
    pub optional: bool,
    /// `...`
    pub repeated: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ParamType {
    /// Anything.
    Any,
    /// Any numeric type: integers, floats, `byte`, enums over numbers.
    Num,
    /// A type variable.
    Var(char),
    /// In results: the element type of the type that a variable is bound to, or that type itself.
    ElemOf(char),
    /// In results: `int` or `float` for a variable that is bound to an integer or float type.
    Wide(char),
    /// An array of this element type.
    Array(Box<ParamType>),
    /// A map of these key and value types.
    Map(Box<ParamType>, Box<ParamType>),
    /// The name of a type (as `json.decode` takes it).
    TypeName,
    /// A type without variables.
    Exact(Type),
}

impl ParamType {
    /// Its name in messages: `numeric`, `int`, `array`, …
    pub fn class_name(&self) -> String {
        match self {
            ParamType::Any
            | ParamType::Var(_)
            | ParamType::ElemOf(_)
            | ParamType::Wide(_)
            | ParamType::TypeName => "any".into(),
            ParamType::Num => "numeric".into(),
            ParamType::Array(_) => "array".into(),
            ParamType::Map(..) => "map".into(),
            ParamType::Exact(ty) => ty.to_string(),
        }
    }
}

struct SignatureReader<'a> {
    rest: &'a str,
}

impl<'a> SignatureReader<'a> {
    fn skip(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn eat(&mut self, token: &str) -> bool {
        self.skip();
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn word(&mut self) -> &'a str {
        self.skip();
        let end = self.rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at_checked(end).unwrap_or((self.rest, ""));
        self.rest = rest;
        word
    }

    fn ty(&mut self) -> ParamType {
        if self.eat("[") {
            let elem = self.ty();
            self.eat("]");
            return ParamType::Array(Box::new(elem));
        }
        let word = self.word();
        if word == "elem" || word == "wide" {
            return match (word, self.ty()) {
                ("elem", ParamType::Var(letter)) => ParamType::ElemOf(letter),
                (_, ParamType::Var(letter)) => ParamType::Wide(letter),
                _ => ParamType::Any,
            };
        }
        if word == "map" && self.eat("[") {
            let key = self.ty();
            self.eat(":");
            let value = self.ty();
            self.eat("]");
            return match (key, value) {
                // A map written out is that type, not the class of maps.
                (ParamType::Exact(key), ParamType::Exact(value)) => ParamType::Exact(Type::map(key, value)),
                (key, value) => ParamType::Map(Box::new(key), Box::new(value)),
            };
        }
        named(word)
    }
}

fn named(word: &str) -> ParamType {
    let mut letters = word.chars();
    if let (Some(letter @ ('T' | 'K' | 'V' | 'U')), None) = (letters.next(), letters.next()) {
        return ParamType::Var(letter);
    }
    match word {
        "num" => ParamType::Num,
        "type" => ParamType::TypeName,
        "nil" => ParamType::Exact(Type::Nil),
        "Entry" => ParamType::Exact(Type::Struct(builtin::builtins().entry.clone())),
        "URL" => ParamType::Exact(Type::Struct(builtin::builtins().url.clone())),
        "File" => ParamType::Exact(Type::Handle(HandleKind::File)),
        "FileInfo" => ParamType::Exact(Type::Handle(HandleKind::FileInfo)),
        "Database" => ParamType::Exact(Type::Handle(HandleKind::Database)),
        name => match Type::primitive(name).or_else(|| builtin::struct_type(name)) {
            Some(ty) => ParamType::Exact(ty),
            None => ParamType::Any,
        },
    }
}

impl Signature {
    /// Parses the text of a row. Malformed parts become `any`; a test parses all rows.
    pub fn parse(text: &str) -> Signature {
        let mut reader = SignatureReader { rest: text };
        let mut params = Vec::new();
        reader.eat("(");
        while !reader.eat(")") && !reader.rest.is_empty() {
            let name = reader.word().to_string();
            let ty = reader.ty();
            let optional = reader.eat("?");
            let repeated = reader.eat("...");
            params.push(SignatureParam { name, ty, optional, repeated });
            if !reader.eat(",") && !reader.rest.starts_with(')') {
                break;
            }
        }
        let mut results = Vec::new();
        if reader.eat("->") {
            if reader.eat("(") {
                while !reader.eat(")") && !reader.rest.is_empty() {
                    results.push(reader.ty());
                    reader.eat(",");
                }
            } else {
                results.push(reader.ty());
            }
        }
        Signature { params, results }
    }

    /// Fewest arguments.
    pub fn min_args(&self) -> usize {
        self.params.iter().filter(|p| !p.optional && !p.repeated).count()
    }

    /// Most arguments; `None` if any number.
    pub fn max_args(&self) -> Option<usize> {
        if self.params.iter().any(|p| p.repeated) { None } else { Some(self.params.len()) }
    }

    /// The parameter that takes argument `index`.
    pub fn param(&self, index: usize) -> Option<&SignatureParam> {
        self.params.get(index).or_else(|| self.params.last().filter(|p| p.repeated))
    }

    /// Binds the type variables in a call with arguments of these types. The first argument that
    /// mentions a variable binds it.
    pub fn bind(&self, args: &[Type]) -> HashMap<char, Type> {
        let mut bound = HashMap::new();
        for (index, arg) in args.iter().enumerate() {
            if let Some(param) = self.param(index) {
                unify(&param.ty, arg, &mut bound);
            }
        }
        bound
    }

    /// Type of the result of a call with arguments of these types: void, one type, or a tuple.
    pub fn result(&self, args: &[Type]) -> Type {
        let bound = self.bind(args);
        let mut results = self.results.iter().map(|r| self.fill(r, args, &bound));
        match self.results.len() {
            0 => Type::Void,
            1 => results.next().unwrap_or(Type::Any),
            _ => Type::tuple(results),
        }
    }

    fn fill(&self, ty: &ParamType, args: &[Type], bound: &HashMap<char, Type>) -> Type {
        match ty {
            ParamType::Any => Type::Any,
            ParamType::TypeName => {
                let place = self.params.iter().position(|p| p.ty == ParamType::TypeName);
                place.and_then(|i| args.get(i)).cloned().unwrap_or(Type::Any)
            }
            ParamType::Num => self.arithmetic(args),
            ParamType::Var(letter) => bound.get(letter).cloned().unwrap_or(Type::Any),
            ParamType::ElemOf(letter) => match bound.get(letter) {
                Some(Type::Array(elem, _)) => (**elem).clone(),
                other => other.cloned().unwrap_or(Type::Any),
            },
            ParamType::Wide(letter) => match bound.get(letter) {
                Some(Type::Int(_)) => Type::INT,
                Some(Type::Float(_)) => Type::FLOAT,
                other => other.cloned().unwrap_or(Type::Any),
            },
            ParamType::Array(elem) => Type::array(self.fill(elem, args, bound)),
            ParamType::Map(key, value) => {
                Type::map(self.fill(key, args, bound), self.fill(value, args, bound))
            }
            ParamType::Exact(ty) => ty.clone(),
        }
    }

    fn arithmetic(&self, args: &[Type]) -> Type {
        let mut result = Type::INT;
        for (index, arg) in args.iter().enumerate() {
            let numeric = self.param(index).is_some_and(|p| p.ty == ParamType::Num);
            match arg {
                _ if !numeric => {}
                Type::Any => return Type::Any,
                Type::Int(_) => {}
                _ => result = Type::FLOAT,
            }
        }
        result
    }
}

fn unify(param: &ParamType, arg: &Type, bound: &mut HashMap<char, Type>) {
    match (param, arg) {
        (ParamType::Var(letter), arg) if !matches!(arg, Type::Any | Type::Nil | Type::Void) => {
            bound.entry(*letter).or_insert_with(|| arg.clone());
        }
        (ParamType::Array(elem), Type::Array(arg, _)) => unify(elem, arg, bound),
        (ParamType::Map(key, value), Type::Map(k, v)) => {
            unify(key, k, bound);
            unify(value, v, bound);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_give_types() {
        let append = Signature::parse("(a [T], values T...)");
        assert_eq!((append.min_args(), append.max_args()), (1, None));
        assert_eq!(append.result(&[Type::array(Type::INT)]), Type::Void);
        let get = Signature::parse("(m map[K:V], key K, default V?) -> V");
        assert_eq!((get.min_args(), get.max_args()), (2, Some(3)));
        assert_eq!(get.result(&[Type::map(Type::Str, Type::Bool), Type::Str]), Type::Bool);
        let add = Signature::parse("(a num, b num) -> num");
        assert_eq!(add.result(&[Type::INT, Type::FLOAT]), Type::FLOAT);
        assert_eq!(add.result(&[Type::INT, Type::INT]), Type::INT);
        let read = Signature::parse("(path string) -> (string, Error)");
        assert_eq!(read.result(&[Type::Str]).to_string(), "(string, Error)");
        let invert = Signature::parse("(m map[K:V]) -> map[V:K]");
        assert_eq!(invert.result(&[Type::map(Type::Str, Type::INT)]).to_string(), "map[int:string]");
    }
}
