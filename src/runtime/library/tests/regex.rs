//! regex.

use crate::library::testing::text;
use crate::value::Value;

fn run(name: &str, args: &[&str]) -> String {
    let args: Vec<Value> = args.iter().map(|a| Value::str(*a)).collect();
    text(&format!("regex.{name}"), &args)
}

#[test]
fn mistakes_are_named() {
    for (pattern, wanted) in [
        ("a(", "missing closing ): `a(`"),
        ("a)", "unexpected ): `a)`"),
        ("x[a-", "missing closing ]: `[a-`"),
        ("[]", "missing closing ]: `[]`"),
        ("*", "missing argument to repetition operator: `*`"),
        ("a|*", "missing argument to repetition operator: `*`"),
        ("a**", "invalid nested repetition operator: `**`"),
        ("x*+", "invalid nested repetition operator: `*+`"),
        ("x{2}{3}", "invalid nested repetition operator: `{2}{3}`"),
        ("a{2,1}", "invalid repeat count: `{2,1}`"),
        ("a{1001}", "invalid repeat count: `{1001}`"),
        ("(a{100}){11}", "invalid repeat count: `{11}`"),
        ("\\1", "invalid escape sequence: `\\1`"),
        ("\\h", "invalid escape sequence: `\\h`"),
        ("\\é", "invalid escape sequence: `\\é`"),
        ("[\\b]", "invalid escape sequence: `\\b`"),
        ("\\x4", "invalid escape sequence: `\\x4`"),
        ("[z-a]", "invalid character class range: `z-a`"),
        ("\\p{Foo}", "invalid character class range: `\\p{Foo}`"),
        ("[[:foo:]]", "invalid character class range: `[:foo:]`"),
        ("a(?=b)", "invalid or unsupported Perl syntax: `(?=`"),
        ("(?x)a", "invalid or unsupported Perl syntax: `(?x`"),
        ("(?<=x)", "invalid named capture: `(?<=x)`"),
        ("(?P<é>x)", "invalid named capture: `(?P<é>`"),
        ("a\\", "trailing backslash at end of expression: ``"),
    ] {
        let got = run("match", &[pattern, ""]);
        let wanted = wanted.replace('\\', "\\\\");
        assert!(got.contains(&format!("error parsing regexp: {wanted}\"")), "{pattern}: {got}");
    }
}

#[test]
fn patterns_of_re2_are_understood() {
    for (pattern, subject, wanted) in [
        ("\\d+", "a٣12", "\"12\""),
        ("\\w+", "éab_1", "\"ab_1\""),
        ("\\bb", "éb", "\"b\""),
        ("\\Bb", "ab", "\"b\""),
        ("a{,2}", "a{,2}", "\"a{,2}\""),
        ("a{2", "a{2", "\"a{2\""),
        ("[a&&b]+", "x&&", "\"&&\""),
        ("[]a]+", "x]a", "\"]a\""),
        ("[a-]+", "x-a", "\"-a\""),
        ("\\Qa.b\\E+", "a.bbb", "\"a.bbb\""),
        ("\\x{1F600}|\\101", "A", "\"A\""),
        ("(?i)STRASSE", "strasse", "\"strasse\""),
        ("(?P<1a>x)(?P<1a>y)", "xy", "\"xy\""),
        ("\\pN+", "x½", "\"½\""),
        ("\\p{Greek}+", "aαβ", "\"αβ\""),
        ("a.c", "a\nc abc", "\"abc\""),
        ("(?s)a.c", "a\nc", "\"a\\nc\""),
        ("b$", "b\nb", "\"b\""),
        ("(?U)a+", "aaa", "\"a\""),
        ("[[:alpha:]]+", "1ab", "\"ab\""),
        ("[^\\d\\s]+", "1 x-", "\"x-\""),
    ] {
        assert_eq!(run("find", &[pattern, subject]), format!("{wanted}, nil"), "{pattern}");
    }
}

#[test]
fn empty_matches_and_templates() {
    assert_eq!(run("find_all", &["a*", "baac"]), "{\"\", \"aa\", \"\"}, nil");
    assert_eq!(run("replace_all", &["a*", "baac", "X"]), "\"XbXcX\", nil");
    assert_eq!(run("replace_all", &["", "abc", "-"]), "\"-a-b-c-\", nil");
    assert_eq!(run("split", &["a*", "baaac"]), "{\"b\", \"c\"}, nil");
    assert_eq!(run("split", &["", "abc"]), "{\"a\", \"b\", \"c\"}, nil");
    assert_eq!(run("split", &[",", ",a,"]), "{\"\", \"a\", \"\"}, nil");
    assert_eq!(run("find", &["a*", "baa"]), "nil, nil");
    assert_eq!(run("replace", &["b", "abb", "$0"]), "\"a$0b\", nil");
    let template = "$1x|${1}x|$n|$0|$$|$-|${ }|$";
    assert_eq!(run("replace_all", &["(?P<n>b)", "abc", template]), "\"a|bx|b|b|$|$-|${ }|$c\", nil");
}
