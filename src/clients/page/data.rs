//! The data of a page. What occurs repeatedly is stored once, and a step has only the differences from the
//! one before.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;
use serde_json::value::RawValue;

use super::cells::{Cell, Object, is_zero};
use super::colors::colors;
use super::parts::{Form, Outcome};
use crate::protocol::expected_output::both_lines;
use crate::protocol::json::cut;
use ez_engine::api::Difference;

/// Maximum size in bytes of the output on a page.
const MAX_OUTPUT: usize = 1 << 20;

/// A variable: its name, value and type.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Variable(pub String, pub Cell, pub String);

/// A frame: function, number of the file, line, and number of its variables in the table of scopes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Frame(pub String, pub usize, pub u32, pub usize);

/// An error at which the program has stopped.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Error {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    pub message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

/// Everything that is shown of a stop.
#[derive(Debug)]
pub struct Seen {
    /// The number of the step.
    pub step: u64,
    /// File, line, column, line and column of the end.
    pub at: (usize, u32, u32, u32, u32),
    /// Why the program has stopped, as a sentence.
    pub text: String,
    /// The frames, outermost first, with their variables.
    pub frames: Vec<(String, usize, u32, Vec<Variable>)>,
    /// Number of frames left out after the first.
    pub hidden: usize,
    /// The globals, by file.
    pub globals: BTreeMap<usize, Vec<Variable>>,
    pub objects: Vec<Object>,
    /// Whether objects are left out.
    pub more: bool,
    /// The function that has just returned, and its result.
    pub returned: Option<(String, Cell)>,
    pub error: Option<Error>,
}

/// Output in pieces: the stream (1 is standard error) and the text.
type Output = Vec<(u8, String)>;

#[derive(Debug, Serialize)]
struct Step {
    /// Its number, as in the history of a debug session, unless it is the one after that of the stop before.
    #[serde(rename = "n", skip_serializing_if = "Option::is_none")]
    number: Option<u64>,
    at: (usize, u32, u32, u32, u32),
    text: String,
    /// The output since the previous step.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    out: Output,
    /// Number of outermost frames that have not changed.
    keep: usize,
    /// The other frames.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    frames: Vec<Frame>,
    #[serde(skip_serializing_if = "is_zero")]
    hidden: usize,
    /// The globals by file, if they have changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    globals: Option<Vec<(usize, usize)>>,
    /// Indices in the table of objects, of those that are new or have changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    set: Vec<usize>,
    /// The numbers of objects that are not reachable any more.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    gone: Vec<u64>,
    #[serde(skip_serializing_if = "is_false")]
    more: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    returned: Option<(String, Cell)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Error>,
    /// What was computed from here to the next step, usually by one statement: for each, the number of its form and
    /// a number for each of its parts. Without value this is -1; else the number of the value, which for calls of
    /// the program's functions is followed by the index of the step in the function, for writes by the value before.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    how: Vec<Vec<i64>>,
}

fn is_false(flag: &bool) -> bool {
    !flag
}

#[derive(Debug, Serialize)]
struct File {
    name: String,
    text: String,
    /// See [`colors`].
    colors: String,
}

/// How the program ended.
#[derive(Debug, Default, Serialize)]
struct End {
    text: String,
    /// The output after the last step.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    output: Output,
}

/// What a program is expected to print.
#[derive(Debug, Serialize)]
struct Expected {
    text: String,
    /// Where it has printed something else, if it has.
    #[serde(skip_serializing_if = "Option::is_none")]
    difference: Option<Different>,
}

/// The first difference between what a program has printed and what is expected.
#[derive(Debug, Serialize)]
struct Different {
    /// The number of the step that has printed it; `None`: nothing more came.
    #[serde(skip_serializing_if = "Option::is_none")]
    step: Option<u64>,
    line: u64,
    /// The two lines, one below the other.
    lines: String,
}

/// A table without duplicates.
#[derive(Debug, Default)]
struct Table {
    all: Vec<Box<RawValue>>,
    numbers: HashMap<String, usize>,
}

impl Table {
    /// The index of an item, which is added if it is new.
    fn number<T: Serialize>(&mut self, thing: &T) -> serde_json::Result<usize> {
        let json = serde_json::to_string(thing)?;
        if let Some(number) = self.numbers.get(&json) {
            return Ok(*number);
        }
        let number = self.all.len();
        self.numbers.insert(json.clone(), number);
        self.all.push(RawValue::from_string(json)?);
        Ok(number)
    }
}

impl Serialize for Table {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.all.serialize(serializer)
    }
}

/// A run of a program, as it is stored in the page.
#[derive(Debug, Serialize)]
pub struct Trace {
    program: String,
    files: Vec<File>,
    /// Lists of variables; the first one is empty.
    scopes: Table,
    objects: Table,
    /// The forms of statements that have computed something.
    forms: Table,
    values: Table,
    steps: Vec<Step>,
    end: End,
    /// What is left out, in words.
    notes: Vec<String>,
    /// What the program is expected to print.
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<Expected>,
    /// Output since the last step.
    #[serde(skip)]
    output: Output,
    /// Size of the output so far in bytes.
    #[serde(skip)]
    printed: usize,
    /// The number of the last step.
    #[serde(skip)]
    last: u64,
    /// The frames, globals and objects of the last step.
    #[serde(skip)]
    frames: Vec<Frame>,
    #[serde(skip)]
    globals: Vec<(usize, usize)>,
    #[serde(skip)]
    heap: BTreeMap<u64, usize>,
}

impl Trace {
    /// The trace of the program with this name, without steps.
    ///
    /// # Errors
    /// If serializing fails, which is not expected.
    pub fn new(program: &str) -> serde_json::Result<Trace> {
        let mut scopes = Table::default();
        scopes.number(&Vec::<Variable>::new())?;
        Ok(Trace {
            program: program.into(),
            files: Vec::new(),
            scopes,
            objects: Table::default(),
            forms: Table::default(),
            values: Table::default(),
            steps: Vec::new(),
            end: End::default(),
            notes: Vec::new(),
            expected: None,
            output: Vec::new(),
            printed: 0,
            last: 0,
            frames: Vec::new(),
            globals: Vec::new(),
            heap: BTreeMap::new(),
        })
    }

    /// Number of stops: several may have the same step.
    pub fn stops(&self) -> usize {
        self.steps.len()
    }

    /// The number of the last step.
    pub fn last_step(&self) -> u64 {
        self.last
    }

    /// How the program ended, as a sentence.
    pub fn ending(&self) -> &str {
        &self.end.text
    }

    /// The program's name.
    pub fn program(&self) -> &str {
        &self.program
    }

    /// Adds a file; returns its number.
    pub fn add_file(&mut self, name: String, text: String) -> usize {
        let colors = colors(&text);
        self.files.push(File { name, text, colors });
        self.files.len() - 1
    }

    /// Adds output of the program.
    pub fn print(&mut self, is_error: bool, text: &str) {
        if self.printed > MAX_OUTPUT {
            return;
        }
        self.printed += text.len();
        let stream = u8::from(is_error);
        match self.output.last_mut() {
            Some((last, before)) if *last == stream => before.push_str(text),
            _ => self.output.push((stream, text.into())),
        }
        if self.printed > MAX_OUTPUT {
            self.output.push((1, "\n… the rest of the output is left out …\n".into()));
            self.note("Output is shown up to 1 MiB.");
        }
    }

    /// Adds a note that something is left out.
    pub fn note(&mut self, text: &str) {
        if !self.notes.iter().any(|note| note == text) {
            self.notes.push(text.into());
        }
    }

    /// Says what the program is expected to print.
    pub fn expect(&mut self, text: &str) {
        let text = cut(text, MAX_OUTPUT);
        self.expected = Some(Expected { text, difference: None });
    }

    /// Whether something is expected, and all that was printed so far is as it is expected.
    pub fn is_as_expected(&self) -> bool {
        self.expected.as_ref().is_some_and(|expected| expected.difference.is_none())
    }

    /// Says where the program has printed something else; `step` is that of the statement.
    pub fn differs(&mut self, difference: &Difference, step: Option<u64>) {
        if let Some(expected) = &mut self.expected {
            let lines = both_lines(difference);
            expected.difference = Some(Different { step, line: difference.line, lines });
        }
    }

    /// Adds a step.
    ///
    /// # Errors
    /// If serializing fails.
    pub fn add(&mut self, seen: Seen) -> serde_json::Result<()> {
        let mut frames = Vec::new();
        for (function, file, line, variables) in seen.frames {
            frames.push(Frame(function, file, line, self.scopes.number(&variables)?));
        }
        let keep = frames.iter().zip(&self.frames).take_while(|(new, old)| new == old).count();
        let mut globals = Vec::new();
        for (file, variables) in seen.globals {
            globals.push((file, self.scopes.number(&variables)?));
        }
        let mut heap = BTreeMap::new();
        for object in &seen.objects {
            heap.insert(object.id, self.objects.number(object)?);
        }
        let is_other = |(id, number): &(&u64, &usize)| self.heap.get(*id) != Some(*number);
        let number = (seen.step != self.last + 1).then_some(seen.step);
        self.last = seen.step;
        self.steps.push(Step {
            number,
            at: seen.at,
            text: seen.text,
            out: std::mem::take(&mut self.output),
            keep,
            frames: frames.get(keep..).unwrap_or_default().to_vec(),
            hidden: seen.hidden,
            globals: (globals != self.globals).then(|| globals.clone()),
            set: heap.iter().filter(is_other).map(|(_, number)| *number).collect(),
            gone: self.heap.keys().filter(|id| !heap.contains_key(id)).copied().collect(),
            more: seen.more,
            returned: seen.returned,
            error: seen.error,
            how: Vec::new(),
        });
        (self.frames, self.globals, self.heap) = (frames, globals, heap);
        Ok(())
    }

    /// Adds what a statement has computed to the step with this index, at which it began; returns its index there.
    /// `replaced` is that of what the same statement had computed earlier. `step_of` gives the index of the step at a
    /// position.
    ///
    /// # Errors
    /// If serializing fails.
    pub fn add_parts(
        &mut self,
        step: usize,
        (form, outcomes): (Form, Vec<Outcome>),
        replaced: Option<usize>,
        step_of: impl Fn(u64) -> Option<usize>,
    ) -> serde_json::Result<usize> {
        let mut how = vec![self.forms.number(&form)? as i64];
        let mut number = |cell: Option<Cell>| match cell {
            Some(cell) => self.values.number(&cell).map(|number| number as i64),
            None => Ok(-1),
        };
        for outcome in outcomes {
            match outcome {
                Outcome::Nothing => how.push(-1),
                Outcome::Cell(cell) => how.push(number(Some(cell))?),
                Outcome::Call(cell, begin) => {
                    how.extend([number(cell)?, step_of(begin).map_or(-1, |step| step as i64)]);
                }
                Outcome::Written(new, old) => how.extend([number(new)?, number(old)?]),
            }
        }
        let Some(step) = self.steps.get_mut(step) else { return Ok(0) };
        match replaced.and_then(|index| step.how.get_mut(index)) {
            Some(earlier) => *earlier = how,
            None => step.how.push(how),
        }
        Ok(replaced.unwrap_or(step.how.len() - 1))
    }

    pub fn end(&mut self, text: String) {
        self.end = End { text, output: std::mem::take(&mut self.output) };
    }
}
