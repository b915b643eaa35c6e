//! What a search watches, in a form that is the same in every run of the program.

use serde::{Deserialize, Serialize};

use ez_runtime::interp::watch::{Declared, creation, declaration, is_written_once};
use ez_runtime::program::{FuncId, GlobalId, LocalId, Program, StmtId};
use ez_runtime::value::{PartKey, Value};

/// What to watch, in a form that is the same in every run.
#[derive(Clone, Debug)]
pub(crate) enum Subject {
    /// A local, of a call at this depth: the one that began after step `begin` or, if that is `None`, the last
    /// one.
    Local {
        func: FuncId,
        local: LocalId,
        depth: u32,
        begin: Option<u64>,
    },
    Global(GlobalId),
    /// A part of the object with this number. `declared`: the object is the box of a variable that this
    /// statement declares, with this many calls in progress.
    Part {
        number: u64,
        key: PartKey,
        declared: Option<(StmtId, u32)>,
    },
}

/// A [`Subject`] in a form that can be sent to other processes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum PortableSubject {
    Local(FuncId, LocalId, u32, Option<u64>),
    Global(GlobalId),
    Part(u64, PortableKey, Option<(StmtId, u32)>),
}

/// A part of an object, in that form.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum PortableKey {
    Element(usize),
    Field(u32),
    Variable,
    Text(String),
    Int(i64),
    Byte(u8),
    Char(char),
    Bool(bool),
}

impl Subject {
    /// `None` for entries whose keys are of other kinds: big integers, and members of enums.
    pub fn portable(&self) -> Option<PortableSubject> {
        Some(match self {
            Subject::Local { func, local, depth, begin } => {
                PortableSubject::Local(*func, *local, *depth, *begin)
            }
            Subject::Global(global) => PortableSubject::Global(*global),
            Subject::Part { number, key, declared } => {
                let key = match key {
                    PartKey::Element(index) => PortableKey::Element(*index),
                    PartKey::Field(field) => PortableKey::Field(*field),
                    PartKey::Variable => PortableKey::Variable,
                    PartKey::Entry(Value::Int(key)) => PortableKey::Int(*key),
                    PartKey::Entry(Value::Byte(key)) => PortableKey::Byte(*key),
                    PartKey::Entry(Value::Char(key)) => PortableKey::Char(*key),
                    PartKey::Entry(Value::Bool(key)) => PortableKey::Bool(*key),
                    PartKey::Entry(key) => PortableKey::Text(key.as_str()?.to_string()),
                };
                PortableSubject::Part(*number, key, *declared)
            }
        })
    }
}

impl Subject {
    /// The variable, if it is one.
    fn variable(&self) -> Option<Declared> {
        match self {
            Subject::Local { func, local, .. } => Some(Declared::Local(*func, *local)),
            Subject::Global(global) => Some(Declared::Global(*global)),
            Subject::Part { .. } => None,
        }
    }

    /// The statement that declares it and creates its box, if it is a variable.
    pub fn creating(&self, program: &Program) -> Option<StmtId> {
        creation(program, self.variable()?)
    }

    /// Whether it is a variable that nothing writes to but what begins its life.
    pub fn is_written_once(&self, program: &Program) -> bool {
        self.variable().is_some_and(|variable| is_written_once(program, variable))
    }

    /// The statement that declares it, if it is a variable.
    pub fn declaring(&self, program: &Program) -> Option<StmtId> {
        declaration(program, self.variable()?)
    }
}

impl From<PortableSubject> for Subject {
    fn from(subject: PortableSubject) -> Subject {
        match subject {
            PortableSubject::Local(func, local, depth, begin) => Subject::Local { func, local, depth, begin },
            PortableSubject::Global(global) => Subject::Global(global),
            PortableSubject::Part(number, key, declared) => {
                let key = match key {
                    PortableKey::Element(index) => PartKey::Element(index),
                    PortableKey::Field(field) => PartKey::Field(field),
                    PortableKey::Variable => PartKey::Variable,
                    PortableKey::Text(key) => PartKey::Entry(Value::str(key)),
                    PortableKey::Int(key) => PartKey::Entry(Value::Int(key)),
                    PortableKey::Byte(key) => PartKey::Entry(Value::Byte(key)),
                    PortableKey::Char(key) => PartKey::Entry(Value::Char(key)),
                    PortableKey::Bool(key) => PartKey::Entry(Value::Bool(key)),
                };
                Subject::Part { number, key, declared }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subjects_are_the_same_elsewhere() {
        for key in [
            PartKey::Element(3),
            PartKey::Field(2),
            PartKey::Variable,
            PartKey::Entry(Value::str("a")),
            PartKey::Entry(Value::Int(-1)),
            PartKey::Entry(Value::Byte(9)),
            PartKey::Entry(Value::Char('é')),
            PartKey::Entry(Value::Bool(true)),
        ] {
            let subject = Subject::Part { number: 7, key, declared: Some((StmtId(3), 2)) };
            let portable = subject.portable().expect("is portable");
            assert_eq!(format!("{:?}", Subject::from(portable)), format!("{subject:?}"));
        }
    }
}
