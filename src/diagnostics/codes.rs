//! The one table of diagnostics codes.
//!
//! A row: code, severity, label (a few words shown under the place). Who raises a code says the
//! message; what a code means in general is said here only.

use super::Severity;

macro_rules! codes {
    ($($code:ident $severity:ident $label:literal;)*) => {
        /// A diagnostics code of EZ 2.0.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[allow(missing_docs)]
        pub enum Code { $($code),* }

        impl Code {
            /// Every code, in order.
            pub const ALL: &[Code] = &[$(Code::$code),*];

            /// As reports write it: `E3001`; `PANIC` and `ASSERT` for those two.
            pub fn as_str(self) -> &'static str {
                match self {
                    Code::E5021 => "PANIC",
                    Code::E5022 => "ASSERT",
                    $(#[allow(unreachable_patterns)] Code::$code => stringify!($code),)*
                }
            }

            /// Error or warning.
            pub fn severity(self) -> Severity {
                match self { $(Code::$code => Severity::$severity),* }
            }

            /// The few words shown under the place.
            pub fn label(self) -> &'static str {
                match self { $(Code::$code => $label),* }
            }

            /// The code with this name (`E5021` and `PANIC` mean the same one).
            pub fn parse(name: &str) -> Option<Code> {
                Code::ALL.iter().copied().find(|c| c.as_str() == name || format!("{c:?}") == name)
            }
        }
    };
}

codes! {
    E1001 Error "";
    E1002 Error "";
    E1003 Error "";
    E1004 Error "";
    E1005 Error "";
    E1006 Error "";
    E1007 Error "";
    E1008 Error "";
    E1009 Error "";
    E1010 Error "";
    E1011 Error "";
    E1012 Error "";
    E1013 Error "";
    E1014 Error "";
    E1015 Error "";
    E1016 Error "";
    E1017 Error "";
    E2001 Error "";
    E2002 Error "expected token not found";
    E2003 Error "";
    E2004 Error "";
    E2005 Error "";
    E2006 Error "";
    E2007 Error "";
    E2008 Error "";
    E2009 Error "using statement must come first";
    E2010 Error "cannot use module before importing";
    E2011 Error "";
    E2012 Error "parameter name already used";
    E2013 Error "field name already used";
    E2014 Error "";
    E2015 Error "";
    E2016 Error "";
    E2017 Error "";
    E2018 Error "";
    E2019 Error "function inside function not allowed";
    E2020 Error "variable name is reserved";
    E2021 Error "function name is reserved";
    E2022 Error "";
    E2023 Error "name already declared in scope";
    E2024 Error "";
    E2025 Error "";
    E2026 Error "";
    E2027 Error "";
    E2028 Error "";
    E2029 Error "";
    E2030 Error "";
    E2031 Error "";
    E2032 Error "";
    E2033 Error "parameter name is reserved";
    E2034 Error "invalid struct field name";
    E2035 Error "invalid enum value name";
    E2036 Error "import must be at file level";
    E2037 Error "struct name is reserved";
    E2038 Error "enum name is reserved";
    E2039 Error "";
    E2040 Error "";
    E2041 Error "";
    E2042 Error "";
    E2043 Error "";
    E2044 Error "";
    E2045 Error "";
    E2046 Error "";
    E2047 Error "";
    E2048 Error "";
    E2049 Error "";
    E2050 Error "";
    E2051 Error "#suppress can only be applied at file scope or to function declarations";
    E2052 Error "warning code cannot be suppressed";
    E2053 Error "type definitions must be at file level";
    E2054 Error "";
    E2055 Error "";
    E2056 Error "executable statement not allowed at file scope";
    E2057 Error "";
    E2058 Error "";
    E2059 Error "";
    E2060 Error "";
    E3001 Error "";
    E3002 Error "";
    E3003 Error "";
    E3004 Error "";
    E3005 Error "";
    E3006 Error "";
    E3007 Error "";
    E3008 Error "";
    E3009 Error "";
    E3010 Error "";
    E3011 Error "";
    E3012 Error "";
    E3013 Error "";
    E3014 Error "";
    E3015 Error "";
    E3016 Error "";
    E3017 Error "";
    E3018 Error "";
    E3019 Error "";
    E3020 Error "";
    E3021 Error "";
    E3022 Error "";
    E3023 Error "";
    E3024 Error "function must return a value";
    E3025 Error "";
    E3026 Error "";
    E3027 Error "";
    E3028 Error "";
    E3029 Error "";
    E3030 Error "";
    E3031 Error "";
    E3032 Error "";
    E3033 Error "";
    E3034 Error "";
    E3035 Error "not all code paths return a value";
    E3036 Error "";
    E3037 Error "private modifier cannot be used here";
    E3038 Error "";
    E3039 Error "";
    E3040 Error "";
    E3041 Error "";
    E4001 Error "variable not found in scope";
    E4002 Error "function not defined";
    E4003 Error "field does not exist on type";
    E4004 Error "enum value does not exist";
    E4005 Error "member not found in module";
    E4006 Error "type not found for new expression";
    E4007 Error "module has not been imported";
    E4008 Error "function exists in multiple modules";
    E4009 Error "program has no entry point";
    E4010 Error "cannot access member of nil";
    E4011 Error "type does not support member access";
    E4012 Error "variable shadows a type definition";
    E4013 Error "variable shadows a function";
    E4014 Error "variable shadows an imported module";
    E4015 Error "variable shadows a function from a used module";
    E4016 Error "loop variable shadows outer loop variable";
    E5001 Error "";
    E5002 Error "";
    E5003 Error "";
    E5004 Error "";
    E5005 Error "";
    E5006 Error "";
    E5007 Error "";
    E5008 Error "";
    E5009 Error "break not inside loop";
    E5010 Error "continue not inside loop";
    E5011 Error "";
    E5012 Error "";
    E5013 Error "range start must be integer";
    E5014 Error "";
    E5015 Error "";
    E5016 Error "";
    E5017 Error "";
    E5018 Error "";
    E5019 Error "";
    E5020 Error "";
    E5021 Error "";
    E5022 Error "";
    E5023 Error "";
    E5024 Error "";
    E6001 Error "circular import detected";
    E6002 Error "module file not found";
    E6003 Error "module has invalid format";
    E6004 Error "failed to load module";
    E6005 Error "module name does not match directory";
    E6006 Error "files in directory declare different module names";
    E6007 Error "cannot import from internal/ directory outside package";
    E6008 Error "cannot assign to module member";
    E6009 Error "cannot access private member from outside module";
    E7001 Error "";
    E7002 Error "";
    E7003 Error "";
    E7004 Error "";
    E7005 Error "";
    E7007 Error "";
    E7008 Error "";
    E7010 Error "";
    E7011 Error "";
    E7014 Error "";
    E7015 Error "";
    E7016 Error "";
    E7017 Error "";
    E7018 Error "";
    E7019 Error "";
    E7020 Error "";
    E7021 Error "";
    E7022 Error "";
    E7023 Error "";
    E7024 Error "";
    E7025 Error "";
    E7026 Error "";
    E7027 Error "";
    E7028 Error "";
    E7029 Error "";
    E7030 Error "";
    E7031 Error "";
    E7032 Error "";
    E7033 Error "";
    E7035 Error "";
    E7040 Error "";
    E7041 Error "";
    E7042 Error "";
    E7043 Error "";
    E7050 Error "";
    E7099 Error "";
    E8001 Error "";
    E8002 Error "";
    E8003 Error "";
    E8004 Error "";
    E8006 Error "";
    E8007 Error "";
    E9001 Error "";
    E9002 Error "";
    E9003 Error "";
    E9004 Error "";
    E9005 Error "";
    E9006 Error "";
    E9007 Error "";
    E9008 Error "";
    E10001 Error "";
    E10002 Error "";
    E10003 Error "";
    E10004 Error "";
    E11001 Error "";
    E12001 Error "";
    E12002 Error "";
    E12003 Error "";
    E12004 Error "";
    E12005 Error "";
    E12006 Error "";
    E13001 Error "";
    E13002 Error "";
    E13003 Error "";
    E13004 Error "";
    E14001 Error "";
    E14002 Error "";
    E14003 Error "";
    E14004 Error "";
    E14005 Error "";
    E14006 Error "";
    E15001 Error "";
    E16001 Error "";
    E16002 Error "";
    E16003 Error "";
    E17001 Error "";
    E17002 Error "";
    E17003 Error "";
    E17004 Error "";
    E17005 Error "";
    E18001 Error "";
    E18002 Error "";
    E18003 Error "";
    E18004 Error "";
    W1001 Warning "";
    W1002 Warning "";
    W1003 Warning "";
    W1004 Warning "";
    W1005 Warning "";
    W2001 Warning "";
    W2002 Warning "";
    W2003 Warning "";
    W2004 Warning "";
    W2005 Warning "";
    W2006 Warning "";
    W2007 Warning "";
    W2008 Warning "";
    W2009 Warning "";
    W2010 Warning "";
    W2011 Warning "";
    W3001 Warning "";
    W3002 Warning "";
    W3003 Warning "";
    W4001 Warning "";
}
