//! Trees: what binds to what, where nodes stand, what files are made of.

use std::path::Path;

use ez_language::syntax::{self, ast};
use ez_runtime::source::SourceMap;

/// The tree of an expression with its operators in front.
fn tree(expr: &ast::Expr) -> String {
    use ast::ExprKind::*;
    let list = |items: &[ast::Expr]| items.iter().map(tree).collect::<Vec<_>>().join(" ");
    match &expr.kind {
        Name(name) => name.to_string(),
        Int(value) => value.to_string(),
        BigInt(value) => value.to_string(),
        Str(text) => format!("{text:?}"),
        Binary(op, a, b) => format!("({} {} {})", op.as_str(), tree(a), tree(b)),
        Unary(ast::UnaryOp::Neg, a) => format!("(neg {})", tree(a)),
        Unary(ast::UnaryOp::Not, a) => format!("(not {})", tree(a)),
        Postfix(a, by) => format!("(post{by} {})", tree(a)),
        Call { callee, args } => format!("(call {} {})", tree(callee), list(args)),
        Index(a, i) => format!("(at {} {})", tree(a), tree(i)),
        Member(a, name) => format!("(. {} {})", tree(a), name.text),
        Array(items) => format!("[{}]", list(items)),
        Interp(parts) => {
            let part = |part: &ast::InterpPart| match part {
                ast::InterpPart::Text(text) => format!("{text:?}"),
                ast::InterpPart::Expr(expr) => tree(expr),
            };
            format!("<{}>", parts.iter().map(part).collect::<Vec<_>>().join(" "))
        }
        other => format!("{other:?}").chars().take_while(|c| c.is_alphanumeric()).collect(),
    }
}

fn parsed(text: &str) -> ast::Expr {
    let map = SourceMap::new();
    let (expr, found) = syntax::parse_expression(&map.add("x", Path::new("/x"), text));
    assert!(found.is_empty(), "{text}: {found:?}");
    expr.unwrap()
}

#[test]
fn operators_bind_as_they_should() {
    for (text, expected) in [
        ("1 + 1 in a", "(in (+ 1 1) a)"),
        ("x in a == true", "(== (in x a) Bool)"),
        ("!x in a", "(in (not x) a)"),
        ("-x++", "(neg (post1 x))"),
        ("-a[0].b(1)--", "(neg (post-1 (call (. (at a 0) b) 1)))"),
        ("1 < 2 < 3", "(< (< 1 2) 3)"),
        ("a - b - c * d % e", "(- (- a b) (% (* c d) e))"),
        ("a || b && c == d < e", "(|| a (&& b (== c (< d e))))"),
        ("(a + b) * c", "(* (+ a b) c)"),
        ("a !in b", "(!in a b)"),
        ("- -1", "(neg (neg 1))"),
        ("-9223372036854775808", "-9223372036854775808"),
        ("-9_223_372_036_854_775_809", "(neg 9223372036854775809)"),
        ("0xFF + 0b1_0 + 0o17 + 007", "(+ (+ (+ 255 2) 15) 7)"),
        ("{1, {}}", "[1 []]"),
        ("{:}", "Map"),
        ("P{}.x", "(. Struct x)"),
        ("m.Point{x: 1}", "Struct"),
        ("p.when", "(. p when)"),
        (r#""a\t${f("x")}b${"${y}"}""#, r#"<"a\t" (call f "x") "b" <y>>"#),
        (r#""\x24{x}""#, "<x>"),
        (r#""\xc3\xa9 \xff""#, "\"é \u{fffd}\""),
        (r#""$ 5$""#, "\"$ 5$\""),
    ] {
        assert_eq!(tree(&parsed(text)), expected, "{text}");
    }
}

#[test]
fn anchors_and_spans() {
    let text = "  (ab + c) * f(x)[0].y";
    let expr = parsed(text);
    let slice = |span: ez_runtime::source::Span| text.get(span.start as usize..span.end as usize).unwrap();
    assert_eq!((slice(expr.span), slice(expr.at)), ("(ab + c) * f(x)[0].y", "*"));
    let ast::ExprKind::Binary(_, left, right) = &expr.kind else { panic!() };
    assert_eq!((slice(left.span), slice(left.at)), ("ab + c", "+"));
    assert_eq!((slice(right.span), slice(right.at)), ("f(x)[0].y", "."));
    let text = r#"f("é\n${ab + "${cd}"} z")"#;
    let slice = |span: ez_runtime::source::Span| text.get(span.start as usize..span.end as usize).unwrap();
    let ast::ExprKind::Call { args, .. } = parsed(text).kind else { panic!() };
    let ast::ExprKind::Interp(parts) = &args[0].kind else { panic!() };
    let ast::InterpPart::Expr(sum) = &parts[1] else { panic!() };
    assert_eq!((slice(sum.span), slice(sum.at)), (r#"ab + "${cd}""#, "+"));
    let ast::ExprKind::Binary(_, _, inner) = &sum.kind else { panic!() };
    let ast::ExprKind::Interp(parts) = &inner.kind else { panic!() };
    let ast::InterpPart::Expr(cd) = &parts[0] else { panic!() };
    assert_eq!(slice(cd.span), "cd");
}

#[test]
fn files_are_taken_apart() {
    let map = SourceMap::new();
    let text = "module m\n#suppress(W2009)\nimport & use @std, a@math, \"../x/lib.ez\"\nusing std\n\
        #doc(\"d\") #flags private const E enum : string { A, B = \"b\" C }\n\
        do f(a, &b int, c [int, 0x2] = {1, 2}) -> (r, s map[string:[m.T]]) { return }\n\
        do g() -> (P, Q) {} do h() -> (map[int:int], int,) {} do i() -> nil {}\n\
        temp x, _ = f() temp y int, _ string = f() temp z m.T\n";
    let parsed = syntax::parse_file(&map.add("m.ez", Path::new("/m.ez"), text));
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    let file = parsed.file;
    assert_eq!(file.module.unwrap().text.as_ref(), "m");
    assert_eq!(file.suppress[0].text.as_ref(), "W2009");
    let names: Vec<_> = file.imports[0].items.iter().map(|item| item.local_name().to_string()).collect();
    assert_eq!((file.imports[0].auto_use, names), (true, vec!["std".into(), "a".into(), "lib".to_string()]));
    let attrs = &file.items[0].attrs;
    assert!(attrs.private.is_some() && attrs.any && attrs.enum_forms == [ast::EnumForm::Flags]);
    let func = |index: usize| match &file.items[index].kind {
        ast::StmtKind::Func(func) => func.clone(),
        other => panic!("{other:?}"),
    };
    let f = func(1);
    let params: Vec<_> = f.params.iter().map(|p| (&*p.name.text, p.by_ref, p.default.is_some())).collect();
    assert_eq!(params, [("a", false, false), ("b", true, false), ("c", false, true)]);
    assert!(f.results.iter().all(|r| r.name.is_some()) && f.results.len() == 2);
    assert!(func(2).results.iter().all(|r| r.name.is_none()) && func(2).results.len() == 2);
    assert_eq!((func(3).results.len(), func(4).results.len(), file.items.len()), (2, 1, 8));
}
