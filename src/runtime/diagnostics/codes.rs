//! The one table of diagnostics codes.
//!
//! A row has the code, its severity and its label (a few words shown under the source line). A code
//! with several meanings has a further row for each at the end, with a label of its own. Messages are
//! written where a code is raised; only the labels are kept here.
//!
//! # Adding a code
//!
//! 1. A row below, in order, with an unused number: `E3099 Error "the words under the place";`. If a code has
//!    another meaning with a different label, a row in `meanings`.
//! 2. The code that reports it: `Checker::report` or `Checker::report_help` (`check/checker.rs`) before running,
//!    `Parser::error` (`syntax/parser/mod.rs`) in the parser, `Vm::fail` or `Vm::fail_with_help`
//!    (`interp/vm/errors.rs`) at run time; in the library `Call::fail` (`library/row.rs`), or `Call::wrong`
//!    (`library/args.rs`), which puts the function's name in front. The message states what is wrong; a help text
//!    states what to write instead.
//! 3. A warning can be switched off with `#suppress`: report it only if `Checker::suppressed` is false for it, and
//!    add it to `warning_code` (`syntax/parser/attributes.rs`) and to `docs/language/names.md`.
//! 4. A section in the file for its group in `src/runtime/diagnostics/explain` (E5 is in `running.md`, W in `warnings.md`):
//!    the code as heading, a few sentences, a program with the mistake (`ez wrong`, or `ez wrong norun` if no
//!    program can show it) and the same program without it (`ez right`). A test runs both.
//! 5. A program in `testdata/programs/own` that raises it, with its `.diag`, and that also has similar code which
//!    does not raise it. If programs recorded from the reference implementation raise it too, the rule does not
//!    agree with EZ 2.0.
//! 6. The rule in its chapter of `docs/language`, and the table of codes there:
//!
//! ```sh
//! .ci/make
//! cargo test --test language --test programs
//! cargo test --lib diagnostics
//! ```

use serde::{Deserialize, Serialize};

use super::Severity;

macro_rules! codes {
    (codes { $($code:ident $severity:ident $label:literal;)* }
     meanings { $($meaning:ident = $base:ident $other:literal;)* }) => {
        /// A diagnostics code of EZ 2.0, or one of several meanings of a code (`E5006Overflow`).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        // Only processes of the same program exchange codes. What is derived for the variants is long.
        #[serde(into = "u16", try_from = "u16")]
        pub enum Code { $($code,)* $($meaning),* }

        impl Code {
            /// Every code, in order; without their further meanings.
            pub const ALL: &[Code] = &[$(Code::$code),*];

            /// The further meanings of some codes.
            pub const MEANINGS: &[Code] = &[$(Code::$meaning),*];

            /// The code itself, if this is one of its further meanings.
            pub fn base(self) -> Code {
                match self {
                    $(Code::$meaning => Code::$base,)*
                    code => code,
                }
            }

            /// The code as reports write it: `E3001`; `PANIC` and `ASSERT` for those two.
            pub fn as_str(self) -> &'static str {
                match self {
                    Code::E5021 => "PANIC",
                    Code::E5022 => "ASSERT",
                    $(#[allow(unreachable_patterns)] Code::$code => stringify!($code),)*
                    $(Code::$meaning => stringify!($base),)*
                }
            }

            /// Whether it says that a text is none of the language: those of the lexer and the parser.
            pub fn is_of_syntax(self) -> bool {
                let name = self.as_str();
                // Codes of the library have more digits.
                name.len() == "E2001".len() && (name.starts_with("E1") || name.starts_with("E2"))
            }

            /// Error or warning.
            pub fn severity(self) -> Severity {
                match self {
                    $(Code::$code => Severity::$severity,)*
                    $(Code::$meaning => Code::$base.severity(),)*
                }
            }

            /// The few words shown under the place.
            pub fn label(self) -> &'static str {
                match self {
                    $(Code::$code => $label,)*
                    $(Code::$meaning => $other,)*
                }
            }

            /// The code with this name (`E5021` and `PANIC` mean the same one).
            pub fn parse(name: &str) -> Option<Code> {
                Code::ALL.iter().copied().find(|c| c.as_str() == name || format!("{c:?}") == name)
            }
        }
    };
}

impl From<Code> for u16 {
    fn from(code: Code) -> u16 {
        code as u16
    }
}

impl TryFrom<u16> for Code {
    type Error = String;

    fn try_from(number: u16) -> Result<Code, String> {
        let mut all = Code::ALL.iter().chain(Code::MEANINGS);
        all.nth(number.into()).copied().ok_or_else(|| format!("no diagnostics code has the number {number}"))
    }
}

codes! {
    codes {
        E1001 Error "character not allowed here";
        E1002 Error "single '|'";
        E1003 Error "comment begins here";
        E1004 Error "string begins here";
        E1005 Error "character literal begins here";
        E1006 Error "invalid escape sequence";
        E1007 Error "invalid escape sequence";
        E1008 Error "no character between the quotes";
        E1009 Error "more than one character";
        E1010 Error "invalid number";
        E1011 Error "consecutive underscores";
        E1012 Error "leading underscore";
        E1013 Error "trailing underscore";
        E1014 Error "underscore before the decimal point";
        E1015 Error "underscore after the decimal point";
        E1016 Error "digits missing after the decimal point";
        E1017 Error "raw string begins here";
        E2001 Error "unexpected token";
        E2002 Error "not expected here";
        E2003 Error "expected an expression";
        E2004 Error "brace never closed";
        E2005 Error "parenthesis never closed";
        E2006 Error "bracket never closed";
        E2007 Error "interpolation never closed";
        E2008 Error "cannot be assigned to";
        E2009 Error "using statement must come first";
        E2010 Error "cannot use module before importing";
        E2011 Error "constant without a value";
        E2012 Error "parameter name already used";
        E2013 Error "field name already used";
        E2014 Error "type missing";
        E2015 Error "return type missing";
        E2016 Error "enum without values";
        E2017 Error "trailing comma";
        E2018 Error "trailing comma";
        E2019 Error "function inside function not allowed";
        E2020 Error "reserved";
        E2021 Error "reserved";
        E2022 Error "name already used";
        E2023 Error "name already declared in scope";
        E2024 Error "expected a type";
        E2025 Error "array size must be an integer";
        E2026 Error "unsupported enum type";
        E2027 Error "invalid integer";
        E2028 Error "too large";
        E2029 Error "expected a name";
        E2030 Error "'{' missing";
        E2031 Error "member needs a value";
        E2032 Error "array size missing";
        E2033 Error "reserved";
        E2034 Error "invalid struct field name";
        E2035 Error "invalid enum value name";
        E2036 Error "import must be at file level";
        E2037 Error "reserved";
        E2038 Error "reserved";
        E2039 Error "required after optional";
        E2040 Error "mutable parameter with a default";
        E2041 Error "'default' missing";
        E2042 Error "'default' not allowed";
        E2043 Error "case already covered";
        E2044 Error "unsupported 'when' value";
        E2045 Error "not an enum";
        E2046 Error "cases missing";
        E2047 Error "type used as a value";
        E2048 Error "boolean in 'when'";
        E2049 Error "nil in 'when'";
        E2050 Error "array or map in 'when'";
        E2051 Error "#suppress can only be applied at file scope or to function declarations";
        E2052 Error "cannot be suppressed";
        E2053 Error "type definitions must be at file level";
        E2054 Error "not an enum member";
        E2055 Error "#strict not allowed here";
        E2056 Error "executable statement not allowed at file scope";
        E2057 Error "write ${...}";
        E2058 Error "#doc not allowed here";
        E2059 Error "#doc documents nothing";
        E2060 Error "second #doc";
        E3001 Error "type mismatch";
        E3002 Error "invalid operand or type";
        E3003 Error "wrong index or key type";
        E3004 Error "not a character";
        E3005 Error "not convertible to int";
        E3006 Error "not convertible to float";
        E3007 Error "invalid conversion";
        E3008 Error "undefined type";
        E3009 Error "undefined type in struct";
        E3010 Error "undefined parameter type";
        E3011 Error "undefined return type";
        E3012 Error "return type mismatch";
        E3013 Error "wrong number of return values";
        E3014 Error "operator not supported for these types";
        E3015 Error "not a function";
        E3016 Error "cannot be indexed";
        E3017 Error "cannot be iterated";
        E3018 Error "expected an array";
        E3019 Error "expected a map";
        E3020 Error "out of range for the type";
        E3021 Error "byte value out of range";
        E3022 Error "value out of range";
        E3023 Error "invalid type";
        E3024 Error "function must return a value";
        E3025 Error "does not fit into a byte";
        E3026 Error "does not fit into a byte";
        E3027 Error "immutable argument for a mutable parameter";
        E3028 Error "mixed member types";
        E3029 Error "float enum as map key";
        E3030 Error "type used as a value";
        E3031 Error "function used as a value";
        E3032 Error "different enum types";
        E3033 Error "duplicate enum value";
        E3034 Error "'any' not allowed here";
        E3035 Error "not all code paths return a value";
        E3036 Error "out of range for the type";
        E3037 Error "private modifier cannot be used here";
        E3038 Error "'void' has no value";
        E3039 Error "expected a function call";
        E3040 Error "several values for one variable";
        E3041 Error "too many elements";
        E4001 Error "variable not found in scope";
        E4002 Error "function not defined";
        E4003 Error "field does not exist on type";
        E4004 Error "enum value does not exist";
        E4005 Error "member not found in module";
        E4006 Error "not in that module";
        E4007 Error "module has not been imported";
        E4008 Error "exists in several modules";
        E4009 Error "program has no entry point";
        E4010 Error "cannot access member of nil";
        E4011 Error "type does not support member access";
        E4012 Error "variable shadows a type definition";
        E4013 Error "variable shadows a function";
        E4014 Error "variable shadows an imported module";
        E4015 Error "variable shadows a function from a used module";
        E4016 Error "loop variable shadows outer loop variable";
        E5001 Error "division by zero";
        E5002 Error "modulo by zero";
        E5003 Error "index out of bounds";
        E5004 Error "string is empty";
        E5005 Error "overflow";
        E5006 Error "cannot be changed";
        E5007 Error "cannot be changed";
        E5008 Error "wrong number of arguments";
        E5009 Error "'break' outside a loop";
        E5010 Error "'continue' outside a loop";
        E5011 Error "not allowed here";
        E5012 Error "wrong number of values";
        E5013 Error "cannot be assigned to";
        E5014 Error "range end must be an integer";
        E5015 Error "operator not applicable";
        E5016 Error "immutable variable";
        E5017 Error "immutable struct";
        E5018 Error "limit exceeded";
        E5019 Error "range step must be an integer";
        E5020 Error "integer expected";
        E5021 Error "panicked here";
        E5022 Error "assertion failed here";
        E5023 Error "integer expected";
        E5024 Error "wrong type returned";
        E5098 Error "time is over here";
        E5099 Error "internal error";
        E6001 Error "cannot be imported";
        E6002 Error "cannot be loaded";
        E6003 Error "module has invalid format";
        E6004 Error "module not imported";
        E6005 Error "module name does not match directory";
        E6006 Error "files in directory declare different module names";
        E6007 Error "cannot import from internal/ directory outside package";
        E6008 Error "cannot assign to module member";
        E6009 Error "cannot access private member from outside module";
        E7001 Error "wrong arguments";
        E7002 Error "array expected";
        E7003 Error "wrong argument type";
        E7004 Error "integer expected";
        E7005 Error "number expected";
        E7007 Error "map expected";
        E7008 Error "boolean expected";
        E7010 Error "result too large or invalid";
        E7011 Error "negative count";
        E7014 Error "cannot be converted";
        E7015 Error "has no length";
        E7016 Error "not found";
        E7017 Error "permission denied";
        E7018 Error "is a directory";
        E7019 Error "is not a directory";
        E7020 Error "refused for safety";
        E7021 Error "is a directory";
        E7022 Error "already exists";
        E7023 Error "directory not empty";
        E7024 Error "cannot set environment variable";
        E7025 Error "no current directory";
        E7026 Error "cannot change directory";
        E7027 Error "host name unknown";
        E7028 Error "user name unknown";
        E7029 Error "home directory unknown";
        E7030 Error "command could not be started";
        E7031 Error "command failed";
        E7032 Error "negative duration";
        E7033 Error "conversion overflow";
        E7035 Error "environment variable not set";
        E7040 Error "empty path";
        E7041 Error "null byte in path";
        E7042 Error "is a directory";
        E7043 Error "invalid pattern";
        E7050 Error "handle is closed";
        E7099 Error "input/output error";
        E8001 Error "negative number";
        E8002 Error "argument out of domain";
        E8003 Error "argument out of domain";
        E8004 Error "negative number";
        E8006 Error "invalid bounds";
        E8007 Error "operation failed";
        E9001 Error "index out of bounds";
        E9002 Error "numeric array expected";
        E9003 Error "step must not be zero";
        E9004 Error "array is empty";
        E9005 Error "invalid range";
        E9006 Error "array is being iterated";
        E9007 Error "array is empty";
        E9008 Error "not enough elements";
        E10001 Error "negative count";
        E10002 Error "invalid string argument";
        E10003 Error "index out of bounds";
        E10004 Error "string is empty";
        E11001 Error "invalid date or time";
        E12001 Error "not usable as a key";
        E12002 Error "immutable map";
        E12003 Error "key not found";
        E12004 Error "not a [key, value] pair";
        E12005 Error "value cannot become a key";
        E12006 Error "duplicate key";
        E13001 Error "invalid JSON";
        E13002 Error "cannot be encoded";
        E13003 Error "key must be a string";
        E13004 Error "struct type missing";
        E14001 Error "invalid input";
        E14002 Error "request or write failed";
        E14003 Error "file could not be created";
        E14004 Error "invalid method";
        E14005 Error "request failed";
        E14006 Error "cannot be encoded";
        E15001 Error "operation failed";
        E16001 Error "invalid base64";
        E16002 Error "invalid hex";
        E16003 Error "invalid URL encoding";
        E17001 Error "invalid database path";
        E17002 Error "cannot read database";
        E17003 Error "cannot write database";
        E17004 Error "invalid database content";
        E17005 Error "database is closed";
        E18001 Error "cannot listen";
        E18002 Error "invalid port";
        E18003 Error "cannot be encoded";
        E18004 Error "server error";
        W1001 Warning "unused";
        W1002 Warning "module imported but not used";
        W1003 Warning "unused";
        W1004 Warning "unused";
        W1005 Warning "blank identifier does not require type annotation";
        W2001 Warning "code will never execute";
        W2002 Warning "suspicious";
        W2003 Warning "suspicious";
        W2004 Warning "implicit type conversion occurring";
        W2005 Warning "renamed";
        W2006 Warning "suspicious";
        W2007 Warning "variable shadows global variable or constant";
        W2008 Warning "integer arithmetic may overflow";
        W2009 Warning "may be nil";
        W2010 Warning "may be nil";
        W2011 Warning "not the named return variable";
        W3001 Warning "array literal";
        W3002 Warning "array literal";
        W3003 Warning "fixed-size array not fully initialized";
        W4001 Warning "module name does not match";
    }
    meanings {
        E1001Interpolation = E1001 "not valid inside ${...}";
        E2003Closer = E2003 "closes nothing";
        E4001Reference = E4001 "refers to nothing";
        E5006Overflow = E5006 "overflow";
        E5006Nil = E5006 "nil cannot be calculated with";
        E5018Memory = E5018 "limit exceeded";
        E5007Overflow = E5007 "overflow";
        E5008Overflow = E5008 "overflow";
        E5009Overflow = E5009 "overflow";
        E9001Empty = E9001 "array is empty";
        E9003Index = E9003 "index must be an integer";
        E9004Size = E9004 "invalid size";
        E12001Missing = E12001 "key not found";
    }
}
