//! Library modules and their rows, and the interface between a library function and the interpreter.
//!
//! # Adding a function
//!
//! For example `math.triple`:
//!
//! 1. A row in the table `MODULE` of `library/math/mod.rs`, next to related functions: name, signature, one line
//!    that ends in a full stop, an expression, and the output of `println` for it.
//!
//! ```text
//! function!("triple" "(x num) -> num", "Three times x."; "math.triple(2)" => "6"; arithmetic::triple, unreserved),
//! ```
//!
//! Statements in braces may take the place of the expression. The head of `library/signature.rs` describes
//! signatures: `?` for optional parameters, `...` for repeated ones, `num`, `any`, type variables. A word behind
//! the function declares each exception: `unreserved` (programs that use the module may have variables of that
//! name: required for every function that is not in EZ 2.0, because existing programs have such variables),
//! `changing` (it changes its first argument), `varying` (the output differs from run to run), `reaching_outside`
//! (it reaches outside the program, although its module does not). `unchecked` (it checks its arguments itself),
//! `unknown` and `float_too` (how the checker treats the result) exist for compatibility with EZ 2.0.
//!
//! 2. The function, of type [`Native`], in `library/math/arithmetic.rs`:
//!
//! ```text
//! pub fn triple(call: &mut Call) -> Result<Value, Fail> {
//!     call.exactly(1, "")?;
//!     Ok(match number(call, 0)? {
//!         Number::Small(i) => normalize(BigInt::from(i) * 3),
//!         Number::Big(b) => normalize(b * 3),
//!         Number::Float(x) => Value::Float(x * 3.0),
//!     })
//! }
//! ```
//!
//! Arguments may have any kind, because the checker does not know the type of a value in an `any`: read them with
//! the helpers of [`Call`] (`library/args.rs`) or of the module, which fail with the code for a wrong kind.
//! `call.fail(code, message)` is a run-time error; a function whose errors have causes outside the program returns
//! an `Error` value instead (`good`, `bad`). Integers have any size: `normalize` returns the small form if the
//! value fits.
//!
//! A call that may take longer than a few milliseconds must be interruptible: `Call::offload` and
//! `Call::offload_detached` (`library/offload.rs`) for computations that touch no values, otherwise a loop that
//! polls the interrupt. Before creating something large, call `Call::room`. Reach the outside through
//! `runtime.host()` only, preferably with `ask` and `ask_patiently` (`library/outside.rs`) or, for a job, `work`
//! (`library/args.rs`), which can be interrupted. Compute floats with `elementary`, not with methods of `f64` that
//! call the system's library (clippy rejects those).
//!
//! 3. A case for each rule in `testdata/library/math.txt`: `math.triple(-2) => -6`; the head of
//!    `tests/language/library_rules.rs` explains how to write cases, including errors. If the function depends on
//!    nothing outside, a call of it in `tests/random/generator/library.rs`; if it may take long, one in `OTHERS`
//!    (`tests/server/long_calls.rs`), and if it is offloaded, in `library/tests/offload.rs`.
//!
//! 4. The page, and the tests:
//!
//! ```sh
//! .ci/make        # writes docs/library.md
//! cargo test --test language library
//! cargo test --lib library
//! ```
//!
//! A new module is a file with its `MODULE` (a [`Module`]), which is added to the list `MODULES` of
//! `library/mod.rs` and to the first paragraph of `docs/language/library.md`.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::diagnostics::Code;
use crate::sync::ALONE;
use crate::value::{Host, Mutator, Stream, Type, Value};

use super::signature::Signature;

/// A library module.
#[derive(Debug)]
pub struct Module {
    /// Its name without `@`.
    pub name: &'static str,
    /// Its purpose, one line.
    pub doc: &'static str,
    /// Its functions and constants.
    pub rows: &'static [Row],
    /// Reserved names without a row: where the module is in `using`, no variable may have such a name
    /// (E4015), and a call of one is an error at run time only.
    pub reserved_names: &'static [&'static str],
    /// Whether all its functions reach outside of the program: files, other programs, other computers.
    pub outside: bool,
}

impl Module {
    /// Whether no variable may have this name where the module is used (E4015).
    pub fn reserves(&self, name: &str) -> bool {
        self.reserved_names.contains(&name) || self.row(name).is_some_and(|row| row.reserved)
    }

    /// The row called `name`.
    pub fn row(&self, name: &str) -> Option<&'static Row> {
        self.rows.iter().find(|r| r.name == name)
    }
}

/// Function or constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowKind {
    /// `m.f(…)`
    Function,
    /// `m.NAME` (also allowed: `m.NAME()`).
    Constant,
}

/// How the checker treats the result of a library function where it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultCheck {
    /// As a value of the type in the signature.
    Declared,
    /// As an integer that also fits a target of type float.
    FloatToo,
    /// It fits every target, where it is checked at run time. Variables that are initialised with such
    /// results have the type `any`.
    Unchecked,
}

/// The Rust function after a row.
pub type Native = fn(&mut Call) -> Result<Value, Fail>;

/// One function or constant.
#[derive(Clone, Copy)]
pub struct Row {
    /// Its name without module.
    pub name: &'static str,
    /// Parameters and result, see [`Signature`].
    pub signature: &'static str,
    /// Function or constant.
    pub kind: RowKind,
    /// Whether argument counts and kinds are checked before running; otherwise the function itself
    /// checks them.
    pub checked: bool,
    /// How the checker treats its result.
    pub result_check: ResultCheck,
    /// Whether no variable may have its name where the module is used (E4015).
    pub reserved: bool,
    /// Whether it changes its first argument in place.
    pub changes: bool,
    /// Whether it reaches outside of the program, though the rest of its module does not.
    pub outside: bool,
    /// What it does, one line.
    pub doc: &'static str,
    /// Statements (in a `main` that uses `std` and imports the module) that show it.
    pub example: &'static str,
    /// What the example prints; `None` when it differs from run to run.
    pub output: Option<&'static str>,
    /// The function.
    pub run: Native,
}

impl std::fmt::Debug for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", self.name, self.signature)
    }
}

/// The text, but nothing in a page, where nobody can ask for it: what is not used is not loaded.
const fn for_people(text: &'static str) -> &'static str {
    if ALONE { "" } else { text }
}

impl Row {
    /// A function, checked before running.
    pub const fn function(
        name: &'static str,
        signature: &'static str,
        doc: &'static str,
        example: &'static str,
        output: &'static str,
        run: Native,
    ) -> Row {
        let (doc, example, output) = (for_people(doc), for_people(example), Some(for_people(output)));
        let kind = RowKind::Function;
        let result_check = ResultCheck::Declared;
        let (checked, reserved, changes, outside) = (true, true, false, false);
        Row {
            name,
            signature,
            kind,
            checked,
            result_check,
            reserved,
            changes,
            outside,
            doc,
            example,
            output,
            run,
        }
    }

    /// A constant; its signature is `() -> TYPE`.
    pub const fn constant(
        name: &'static str,
        signature: &'static str,
        doc: &'static str,
        example: &'static str,
        output: &'static str,
        run: Native,
    ) -> Row {
        let function = Row::function(name, signature, doc, example, output, run);
        Row { kind: RowKind::Constant, reserved: false, ..function }
    }

    /// This row, whose calls the function itself checks when it runs. Variables may have its name.
    pub const fn unchecked(mut self) -> Row {
        self.checked = false;
        self.reserved = false;
        self
    }

    /// This row, with [`ResultCheck::Unchecked`].
    pub const fn unknown(mut self) -> Row {
        self.result_check = ResultCheck::Unchecked;
        self
    }

    /// This row, with [`ResultCheck::FloatToo`].
    pub const fn float_too(mut self) -> Row {
        self.result_check = ResultCheck::FloatToo;
        self
    }

    /// This row; variables may have its name.
    pub const fn unreserved(mut self) -> Row {
        self.reserved = false;
        self
    }

    /// This row; no variable may have its name where the module is used.
    pub const fn reserved(mut self) -> Row {
        self.reserved = true;
        self
    }

    /// This row, changing its first argument in place.
    pub const fn changing(mut self) -> Row {
        self.changes = true;
        self
    }

    /// This row, reaching outside of the program.
    pub const fn reaching_outside(mut self) -> Row {
        self.outside = true;
        self
    }

    /// This row, with an example whose output differs from run to run.
    pub const fn varying(mut self) -> Row {
        self.output = None;
        self
    }

    /// Its signature, parsed.
    pub fn parsed(&self) -> Signature {
        Signature::parse(self.signature)
    }
}

/// A row of a function: `NAME SIGNATURE, DOC; EXAMPLE => OUTPUT; FUNCTION`, then the methods of [`Row`] that
/// declare exceptions. The example is an expression that is printed, or `{ STATEMENTS => OUTPUT }`.
macro_rules! function {
    ($name:literal $signature:literal, $doc:literal; { $example:expr => $output:expr };
     $run:expr $(, $option:ident)*) => {
        $crate::library::Row::function($name, $signature, $doc, $example, $output, $run)$(.$option())*
    };
    ($name:literal $signature:literal, $doc:literal; $example:literal => $output:literal;
     $run:expr $(, $option:ident)*) => {
        $crate::library::Row::function(
            $name,
            $signature,
            $doc,
            concat!("println(", $example, ")"),
            concat!($output, "\n"),
            $run,
        )$(.$option())*
    };
}

/// A row of a constant whose example prints it: an int, or a float with how it is shown.
macro_rules! constant {
    ($module:literal, $name:literal, $value:literal, $doc:literal) => {
        constant!(@"int", $module, $name, $doc, $value, $crate::value::Value::Int($value))
    };
    ($module:literal, $name:literal, $doc:literal, $output:literal, $value:expr) => {
        constant!(@"float", $module, $name, $doc, $output, $crate::value::Value::Float($value))
    };
    (@$type:literal, $module:literal, $name:literal, $doc:literal, $output:literal, $value:expr) => {
        $crate::library::Row::constant(
            $name,
            concat!("() -> ", $type),
            $doc,
            concat!("println(", $module, ".", $name, ")"),
            concat!($output, "\n"),
            |_| Ok($value),
        )
    };
}

pub(super) use {constant, function};

/// A call of a library function.
pub struct Call<'a> {
    /// The module's own name.
    pub module: &'static str,
    /// The function's name.
    pub name: &'static str,
    /// The arguments: references followed, boxed scalars unwrapped. `any` values keep their kind.
    pub args: &'a [Value],
    /// Static types of the arguments.
    pub types: &'a [Type],
    /// Static type of the result, type variables filled in (`[int]` for `arrays.slice` of `[int]`).
    pub result: &'a Type,
    /// The part of the interpreter that library functions may use.
    pub runtime: &'a mut dyn Runtime,
}

impl Call<'_> {
    /// The `index`th argument; nil when it was not given.
    pub fn arg(&self, index: usize) -> Value {
        self.args.get(index).cloned().unwrap_or_default()
    }

    /// `module.name`
    pub fn qualified(&self) -> String {
        format!("{}.{}", self.module, self.name)
    }

    /// A run-time error at the call.
    pub fn fail<T>(&self, code: Code, message: impl Into<String>) -> Result<T, Fail> {
        Err(Fail::new(code, message))
    }
}

/// The part of the interpreter that library functions may use. All methods are called on the thread of
/// the program.
pub trait Runtime {
    /// The host, which performs all input and output.
    fn host(&mut self) -> &mut dyn Host;
    /// Writes output of the program.
    ///
    /// # Errors
    /// If the stream is closed.
    fn write(&mut self, stream: Stream, text: &str) -> io::Result<()>;
    /// The permission to change objects.
    fn mutator(&mut self) -> &mut Mutator;

    /// To be called when a wait ended early because of an interrupt (a pause, a debugger's request). It
    /// returns when the program may go on; the wait is then to be resumed.
    ///
    /// # Errors
    /// [`Fail::Halt`] when the program is to end.
    fn on_interrupt(&mut self) -> Result<(), Fail>;

    /// Ends the program with this exit status; the function has to return the failure it gets.
    fn exit(&mut self, status: i32) -> Fail;
}

/// Why a library function has no result.
#[derive(Debug)]
pub enum Fail {
    /// A run-time error.
    Error(Box<Failure>),
    /// The program is ending; there is nothing to report.
    Halt,
}

/// Calls a library function.
///
/// # Errors
/// The function's own; and E5099 if it panics, which would be a mistake in this crate: the program ends with a
/// report then, and the process goes on.
pub fn invoke(row: &Row, call: &mut Call) -> Result<Value, Fail> {
    catch_unwind(AssertUnwindSafe(|| (row.run)(call))).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<&str>().copied();
        let why =
            text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("it panicked");
        let message = format!("{}.{}() has failed: {why}", call.module, call.name);
        Err(Fail::new(Code::E5099, message).with_help(REPORT))
    })
}

/// The help for a mistake in this crate.
const REPORT: &str = "this is a mistake in ez, not in the program: please report it, with the program";

/// A run-time error of a library function.
#[derive(Debug)]
pub struct Failure {
    pub code: Code,
    pub message: String,
    pub help: Option<String>,
}

impl Fail {
    /// A run-time error.
    pub fn new(code: Code, message: impl Into<String>) -> Fail {
        Fail::Error(Box::new(Failure { code, message: message.into(), help: None }))
    }

    /// This error, with a help.
    pub fn with_help(mut self, help: impl Into<String>) -> Fail {
        if let Fail::Error(failure) = &mut self {
            failure.help = Some(help.into());
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::testing::Bench;

    #[test]
    fn a_panic_becomes_an_error() {
        let row = Row::function("sum", "(a int)", "", "", "", |call| Ok(call.args[9].clone()));
        let mut runtime = Bench::default();
        let mut call = Call {
            module: "math",
            name: "sum",
            args: &[],
            types: &[],
            result: &Type::Any,
            runtime: &mut runtime,
        };
        let Err(Fail::Error(failure)) = invoke(&row, &mut call) else { panic!("it fails") };
        assert_eq!(failure.code, Code::E5099);
        let message = "math.sum() has failed: index out of bounds: the len is 0 but the index is 9";
        assert_eq!(failure.message, message);
        assert!(failure.help.is_some_and(|help| help.contains("report")));
    }
}
