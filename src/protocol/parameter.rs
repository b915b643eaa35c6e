//! Parameters as constants: each says once what it is called, what it can be and whether it may be missing. Functions
//! read it, and the description of the protocol is made of it.

use std::num::NonZeroU64;

use ez_engine::api::{EnvironmentChanges, Handle};
use ez_runtime::host::Capability;
use ez_runtime::value::Stream;

#[cfg(test)]
use super::ez::description::{Described, Shape};
#[cfg(test)]
use super::params::MAX_COUNTED;
use super::params::{Declarations, Declared, Params};
use super::radix::Radix;

/// A parameter, or a member of one that is an object.
pub struct Parameter<K, const REQUIRED: bool> {
    name: &'static str,
    /// What it can be.
    kind: K,
    presence: Presence,
    /// The first version of the protocol that has it.
    since: u32,
    /// What it means.
    pub about: &'static str,
}

/// Constants of parameters: what they mean, their type, name and kind, and what else there is to say of them.
macro_rules! parameters {
    ($($(#[doc = $about:literal])+ $visible:vis $constant:ident: $presence:ident<$kind:ty> = $name:literal, $value:expr
        $(, $more:ident($($given:tt)*))*;)+) => {$(
        $(#[doc = $about])+
        $visible const $constant: $presence<$kind> =
            $presence::new($name, $value, concat!($($about),+).trim_ascii_start())$(.$more($($given)*))*;
    )+};
}

pub(super) use parameters;

/// One that may not be missing.
pub type Required<K> = Parameter<K, true>;

/// One that may be missing, at least as far as it alone is concerned.
pub type Optional<K> = Parameter<K, false>;

/// Whether a parameter may be missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    Required,
    Optional,
    /// Required unless one of these is given, which its readers check.
    Unless(&'static [&'static str]),
    /// Read where the connection is accepted, not by the command.
    OfConnection,
}

impl<K: Kind> Required<K> {
    pub const fn new(name: &'static str, kind: K, about: &'static str) -> Required<K> {
        Parameter { name, kind, presence: Presence::Required, since: 1, about }
    }

    /// This parameter where it may be missing.
    pub const fn optional(self) -> Optional<K>
    where
        K: Copy,
    {
        Parameter {
            name: self.name,
            kind: self.kind,
            presence: Presence::Optional,
            since: self.since,
            about: self.about,
        }
    }

    /// Its value.
    pub fn read(&self, params: &Params) -> Result<K::Value, String> {
        params.required(self.name, self.kind.read(params, self.name)?)
    }
}

impl<K: Kind> Optional<K> {
    pub const fn new(name: &'static str, kind: K, about: &'static str) -> Optional<K> {
        Parameter { name, kind, presence: Presence::Optional, since: 1, about }
    }

    /// This parameter, which may be missing only if one of these is given.
    pub const fn unless(mut self, others: &'static [&'static str]) -> Optional<K> {
        self.presence = Presence::Unless(others);
        self
    }

    /// This parameter where nothing is required if it is missing.
    pub const fn always(mut self) -> Optional<K> {
        self.presence = Presence::Optional;
        self
    }

    /// This parameter, which is read where the connection is accepted.
    pub const fn of_connection(mut self) -> Optional<K> {
        self.presence = Presence::OfConnection;
        self
    }

    /// Its value, if it is given.
    pub fn read(&self, params: &Params) -> Result<Option<K::Value>, String> {
        self.kind.read(params, self.name)
    }
}

impl<K: Kind, const REQUIRED: bool> Parameter<K, REQUIRED> {
    /// This parameter, which version 1 does not have.
    pub const fn since_2(mut self) -> Self {
        self.since = 2;
        self
    }

    /// The error where it, or one that can stand for it, is required; it names all of them.
    pub fn missing(&self, params: &Params) -> String {
        let others = if let Presence::Unless(others) = self.presence { others } else { &[] };
        let others: String = others.iter().map(|other| format!(" or '{other}'")).collect();
        params.missing(self.name) + &others
    }

    /// This parameter with another explanation.
    pub const fn about(mut self, about: &'static str) -> Self {
        self.about = about;
        self
    }

    /// This parameter with another range of values.
    pub fn with(self, kind: K) -> Self {
        Parameter { kind, ..self }
    }
}

impl<K: Kind, const REQUIRED: bool> Declared for Parameter<K, REQUIRED> {
    fn name(&self) -> &'static str {
        self.name
    }

    #[cfg(test)]
    fn describe(&self) -> Described {
        let Parameter { name, presence, since, about, .. } = *self;
        Described { name, shape: self.kind.shape(), presence, since, about }
    }
}

/// The values that a parameter accepts.
pub trait Kind {
    type Value;

    /// The value of the parameter of this name; `None` if it is missing.
    ///
    /// # Errors
    /// A message that names the parameter, and says what is wrong.
    fn read(&self, params: &Params, name: &str) -> Result<Option<Self::Value>, String>;

    #[cfg(test)]
    fn shape(&self) -> Shape;
}

/// Kinds: the values, how they are read, and as what they are described.
macro_rules! kinds {
    ($($(#[$about:meta])* $kind:ident$(<$T:ident$(: $bound:ident)?>)?$(($($field:ident: $type:ty),+))?:
        $value:ty = $read:expr, $shape:expr;)+) => {$(
        $(#[$about])*
        #[derive(Clone, Copy)]
        pub struct $kind$(<$T: 'static>)?$(($(pub $type),+))?;

        impl$(<$T$(: $bound)?>)? Kind for $kind$(<$T>)? {
            type Value = $value;

            fn read(&self, params: &Params, name: &str) -> Result<Option<$value>, String> {
                $(let $kind($($field),+) = *self;)?
                ($read)(params, name $($(, $field)+)?)
            }

            #[cfg(test)]
            fn shape(&self) -> Shape {
                $(let $kind($($field),+) = *self;)?
                $shape
            }
        }
    )+};
}

kinds! {
    Text: String = text, Shape::Text;
    /// A text, or `null`, which takes away what is there.
    TextOrNull: Option<String> = text_change, Shape::TextOrNull;
    /// A text `HOST:PORT`.
    HostPort: String = text, Shape::HostPort;
    /// A text that is not empty, without null bytes.
    Path: String = Params::path, Shape::Path;
    Bool: bool = Params::choice, Shape::Bool;
    /// A whole number in this range.
    Whole(least: u32, most: u32): u32 = Params::number, Shape::Whole(least.into(), most.into());
    /// A whole number from this one.
    Counted(least: u32): u64 = Params::count, Shape::Whole(least.into(), MAX_COUNTED);
    /// The number of a value with parts.
    Reference: Handle = handle, Shape::Reference;
    /// One of these texts, with what they mean.
    Word<T: Copy>(words: &'static [(&'static str, T)]): T = Params::word, Shape::Words(texts(words));
    /// A list of these texts.
    Words<T: Copy>(words: &'static [(&'static str, T)]): Vec<T> = Params::words, Shape::ListOfWords(texts(words));
    /// 2, 10 or 16.
    Base: Radix = radix, Shape::Base;
    /// A list of texts.
    Texts: Vec<String> = Params::texts, Shape::Texts;
    /// A list of capabilities, or a text with commas between them.
    Capabilities: Vec<Capability> = |params: &Params, name| params.capabilities(name).map(Some), Shape::Capabilities;
    /// A number of bytes, or a text such as `512M`.
    Size: u64 = Params::size, Shape::Size;
    /// An object: from names to texts or `null`.
    Environment: EnvironmentChanges = Params::changes, Shape::Environment;
    /// An object with these members, and what reads it.
    Object<T>(members: Declarations, read: Read<T>): T = object, { let _ = read; Shape::Object(members) };
    /// A list of objects with these members, and what reads each.
    Objects<T>(members: Declarations, read: Read<T>): Vec<T> = objects, { let _ = read; Shape::Objects(members) };
}

type Read<T> = fn(&Params) -> Result<T, String>;

impl Whole {
    /// From 1.
    pub const POSITIVE: Whole = Whole(1, u32::MAX);
    /// From 0.
    pub const NUMBER: Whole = Whole(0, u32::MAX);
}

fn text(params: &Params, name: &str) -> Result<Option<String>, String> {
    Ok(params.text(name)?.map(str::to_string))
}

fn text_change(params: &Params, name: &str) -> Result<Option<Option<String>>, String> {
    if !params.has(name) {
        return Ok(None);
    }
    text(params, name).map(Some)
}

fn handle(params: &Params, name: &str) -> Result<Option<Handle>, String> {
    let Some(value) = params.get(name) else { return Ok(None) };
    match value.as_u64().and_then(NonZeroU64::new) {
        Some(number) => Ok(Some(Handle(number))),
        None if value.is_number() => Err(params.wrong(name, "must be a whole number of at least 1")),
        None => Err(params.wrong_type(name, "a whole number", value)),
    }
}

fn radix(params: &Params, name: &str) -> Result<Option<Radix>, String> {
    match params.number(name, 0, u32::MAX)? {
        None => Ok(None),
        Some(10) => Ok(Some(Radix::Decimal)),
        Some(16) => Ok(Some(Radix::Hexadecimal)),
        Some(2) => Ok(Some(Radix::Binary)),
        Some(_) => Err(params.wrong(name, "must be 2, 10 or 16")),
    }
}

fn object<T>(params: &Params, name: &str, members: Declarations, read: Read<T>) -> Result<Option<T>, String> {
    params.object(name, |object| read(&object.declaring(members)))
}

fn objects<T>(
    params: &Params,
    name: &str,
    members: Declarations,
    read: Read<T>,
) -> Result<Option<Vec<T>>, String> {
    params.objects(name, |object| read(&object.declaring(members)))
}

#[cfg(test)]
fn texts<T>(words: &[(&'static str, T)]) -> Vec<&'static str> {
    words.iter().map(|(word, _)| *word).collect()
}

parameters! {
    /// Only writes before this place: `next` of an answer.
    pub BEFORE: Optional<Counted> = "before", Counted(1);
    /// How many, about (default: 20).
    pub COUNT: Optional<Whole> = "count", Whole(1, 1000);
}

/// The standard streams for output, by name.
pub const STREAMS: [(&str, Stream); 2] = [("stdout", Stream::Stdout), ("stderr", Stream::Stderr)];

/// The part of a variable's changes that is asked for, which is the same in all protocols (see
/// [`GetChanges`](ez_engine::api::GetChanges)).
pub fn page_of_changes(params: &Params) -> Result<(Option<u64>, usize), String> {
    Ok((BEFORE.read(params)?, COUNT.read(params)?.unwrap_or(20) as usize))
}
