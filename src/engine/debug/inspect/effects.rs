//! Static analysis of side effects: whether an expression does more than compute a value.
//!
//! Changing a function's own variables is no side effect. A variable to which something else may hold a
//! reference counts as not its own.

use foldhash::HashMap;

use ez_language::check::Fragment;
use ez_runtime::library;
use ez_runtime::program::visit::{Use, Visitor, walk, walk_expr};
use ez_runtime::program::{
    Arg, Builtin, Callee, Expr, ExprClass, ExprKind, FuncId, Function, LocalId, LocalKind, Native, Program,
    Stmt, StmtKind, Target, TargetKind,
};
use ez_runtime::value::Repr;

/// The first side effect of a fragment in a frame of `func`, as a clause; `None` if it has none.
pub fn effect(program: &Program, func: FuncId, fragment: &Fragment) -> Option<String> {
    let function = program.function(func).map(|function| &**function);
    let mut finder = Finder {
        program,
        function,
        is_fragment: true,
        known: &mut HashMap::default(),
        effects: Effects::default(),
    };
    walk(&fragment.stmts, &mut finder);
    if let Some(expr) = &fragment.expr {
        walk_expr(expr, &mut finder);
    }
    finder.effects.on_others
}

/// The side effects of a piece of code: the first of each kind.
#[derive(Clone, Debug, Default)]
struct Effects {
    /// On variables or objects that are visible elsewhere in any case, or on the outside.
    on_others: Option<String>,
    /// On the objects passed as arguments, which may be temporary.
    on_parameters: Option<String>,
}

/// Who can see the variable that an assignment changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    /// The function only.
    Function,
    /// The caller, through a parameter.
    Caller,
    /// Other code.
    Others,
}

/// The effects of functions analysed so far. A function whose analysis is under way (met again in a
/// recursive call) counts as having none: that analysis finds them.
type Known = HashMap<FuncId, Effects>;

/// The analysis of one piece of code.
struct Finder<'a> {
    program: &'a Program,
    /// The function whose locals the code uses.
    function: Option<&'a Function>,
    /// Whether the code is an expression of the debugger: then all variables belong to others.
    is_fragment: bool,
    known: &'a mut Known,
    effects: Effects,
}

impl Finder<'_> {
    fn found(&mut self, on: Owner, effect: impl FnOnce() -> String) {
        let known = match on {
            Owner::Function => return,
            Owner::Caller => &mut self.effects.on_parameters,
            Owner::Others => &mut self.effects.on_others,
        };
        if known.is_none() {
            *known = Some(effect());
        }
    }

    fn owner(&self, target: &Target) -> Owner {
        match &target.kind {
            TargetKind::Local(local) => self.owner_of_local(*local),
            TargetKind::Global(_) => Owner::Others,
            TargetKind::Index { base, .. }
            | TargetKind::Field { base, .. }
            | TargetKind::FieldNamed { base, .. } => self.owner_of_value(base),
            TargetKind::Char { base, .. } => self.owner(base),
        }
    }

    fn owner_of_value(&self, value: &Expr) -> Owner {
        if let ExprKind::Local(local) = &value.kind {
            return self.owner_of_local(*local);
        }
        if let ExprKind::Index(base, _)
        | ExprKind::Field(base, _)
        | ExprKind::FieldNamed(base, _)
        | ExprKind::Store(base, _) = &value.kind
        {
            return self.owner_of_value(base);
        }
        let is_new = matches!(value.kind.class(), ExprClass::Creates);
        if is_new { Owner::Function } else { Owner::Others }
    }

    fn owner_of_local(&self, local: LocalId) -> Owner {
        match self.function.and_then(|function| function.local(local)) {
            _ if self.is_fragment => Owner::Others,
            Some(local) if local.kind == LocalKind::Parameter => Owner::Caller,
            Some(local) if !local.boxed => Owner::Function,
            _ => Owner::Others,
        }
    }

    /// The effects of calling a function with any arguments.
    fn effects_of(&mut self, func: FuncId) -> Effects {
        if let Some(known) = self.known.get(&func) {
            return known.clone();
        }
        self.known.insert(func, Effects::default());
        let Some(function) = self.program.function(func).cloned() else { return Effects::default() };
        let mut inner = Finder {
            program: self.program,
            function: Some(&function),
            is_fragment: false,
            known: &mut *self.known,
            effects: Effects::default(),
        };
        walk(&function.body.stmts, &mut inner);
        let effects = inner.effects;
        self.known.insert(func, effects.clone());
        effects
    }

    fn call(&mut self, func: FuncId, args: &[Arg]) {
        let effects = self.effects_of(func);
        let name = self.program.function(func).map_or("?".into(), |function| function.name.clone());
        if let Some(effect) = effects.on_others {
            self.found(Owner::Others, || format!("{name}() is called, where {effect}"));
        }
        let Some(effect) = effects.on_parameters else { return };
        for arg in args {
            let owner = match arg {
                Arg::Value(value) if value.ty.repr() != Repr::Ref => Owner::Function,
                Arg::Value(value) => self.owner_of_value(value),
                Arg::Ref(target) => self.owner(target),
            };
            self.found(owner, || format!("{name}() is called, where {effect}"));
        }
    }

    fn native(&mut self, native: &Native) {
        let Native { module, row, args, .. } = native;
        let name = format!("{module}.{}", row.name);
        if row.outside || library::module(module).is_some_and(|module| module.outside) {
            self.found(Owner::Others, || format!("{name}() reaches outside of the program"));
        }
        if let Some(changed) = args.first().filter(|_| row.changes) {
            let owner = self.owner_of_value(changed);
            self.found(owner, || format!("{name}() changes its argument"));
        }
    }
}

impl Visitor for Finder<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        if let StmtKind::DeclareGlobal { .. }
        | StmtKind::DeclareGlobalRef { .. }
        | StmtKind::DefineEnum { .. } = stmt.kind
        {
            self.found(Owner::Others, || "a global is declared".into());
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match expr.kind.class() {
            ExprClass::Calls(Callee::Function(func, args)) => self.call(func, args),
            ExprClass::Calls(Callee::Native(native)) => self.native(native),
            ExprClass::Calls(Callee::Builtin(which)) => {
                if which == Builtin::Exit {
                    self.found(Owner::Others, || "exit() ends the program".into());
                } else if which.asks_the_host() {
                    self.found(Owner::Others, || "it reads input".into());
                }
            }
            // What is assigned is visited as a target.
            ExprClass::Writes | ExprClass::Computes | ExprClass::Reads | ExprClass::Creates => {}
        }
    }

    fn target(&mut self, target: &Target, how: Use) {
        // Arguments passed by reference are handled with the call.
        if how == Use::Stored {
            let (owner, program, function) = (self.owner(target), self.program, self.function);
            self.found(owner, || format!("{} is assigned", target_text(program, function, target)));
        }
    }
}

/// The variable that an assignment changes, in words.
fn target_text(program: &Program, function: Option<&Function>, target: &Target) -> String {
    let local = |id| function.and_then(|f| f.local(id)).map_or("a variable".into(), |l| l.name.to_string());
    match &target.kind {
        TargetKind::Local(id) => local(*id),
        TargetKind::Global(id) => {
            program.globals.get(id.0 as usize).map_or("a variable".into(), |global| global.name.to_string())
        }
        TargetKind::Index { base, .. } => format!("an element of {}", value_text(program, function, base)),
        TargetKind::Char { base, .. } => format!("a char of {}", target_text(program, function, base)),
        TargetKind::Field { base, .. } | TargetKind::FieldNamed { base, .. } => {
            format!("a field of {}", value_text(program, function, base))
        }
    }
}

fn value_text(program: &Program, function: Option<&Function>, value: &Expr) -> String {
    if let ExprKind::Index(base, _) | ExprKind::Field(base, _) | ExprKind::FieldNamed(base, _) = &value.kind {
        return value_text(program, function, base);
    }
    let kind = if let ExprKind::Local(id) = value.kind {
        TargetKind::Local(id)
    } else if let ExprKind::Global(id) = value.kind {
        TargetKind::Global(id)
    } else {
        return "a value".into();
    };
    target_text(program, function, &Target { ty: value.ty.clone(), at: value.at, kind })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ez_language::check::{Allowed, FrameScope, check_fragment, check_source};
    use ez_runtime::program::{LocalId, StmtId};

    const PROGRAM: &str = "import @std, @arrays, @io, @random
using std
temp counter int = 0
do twice(n int) -> int { return n * 2 }
do sum(items [int]) -> int {
    temp total int = 0
    temp own [int] = {}
    for_each i in items { total += i
        arrays.append(own, i) }
    return total
}
do count() -> int {
    counter += 1
    return counter
}
do odd(n int) -> bool { if n == 0 { return false }
    return even(n - 1) }
do even(n int) -> bool { if n == 0 { return true }
    return odd(n - 1) }
do deep() -> int { return count() }
do push(&items [int]) { arrays.append(items, 1) }
do fresh() -> int {
    temp own [int] = {1}
    push(own)
    return len(own)
}
do say(x int) -> int { println(x)
    return x }
do main() {
    temp x int = 1
    temp l [int] = {1, 2}
    println(x, l, random.int(3), io.exists(\"a\"))
    println(twice(1), sum(l), count(), even(2), deep(), fresh(), say(1))
}
";

    fn effect_of(text: &str) -> Option<String> {
        let checked = check_source(PROGRAM, "main.ez");
        let program = checked.program.expect("a sound program");
        let main = program.function(program.main).expect("main");
        let visible = (0..main.locals.len()).map(|i| LocalId(i as u32)).collect();
        let stmt = StmtId(program.statements.len() as u32 - 1);
        let (func, file) = (program.main, program.main_file);
        let at = FrameScope { func, stmt, visible, file, extras: Vec::new() };
        let fragment = check_fragment(&checked.symbols, &program, &at, text, Allowed::Evaluation);
        effect(&program, func, &fragment.expect("a sound expression"))
    }

    #[test]
    fn what_only_computes_has_no_effect() {
        for text in [
            "x + 1",
            "l[0]",
            "twice(x)",
            "sum(l)",
            "even(4)",
            "len(l)",
            "random.int(3)",
            "copy(l)",
            "fresh()",
        ] {
            assert_eq!(effect_of(text), None, "{text}");
        }
    }

    #[test]
    fn effects_are_named() {
        for (text, expected) in [
            ("x = 2", "x is assigned"),
            ("counter = 2", "counter is assigned"),
            ("x++", "x is assigned"),
            ("count()", "count() is called, where counter is assigned"),
            ("deep() + 1", "deep() is called, where count() is called, where counter is assigned"),
            ("arrays.append(l, 1)", "arrays.append() changes its argument"),
            ("say(2)", "say() is called, where std.println() reaches outside of the program"),
            ("push(l)", "push() is called, where arrays.append() changes its argument"),
            ("io.exists(\"a\")", "io.exists() reaches outside of the program"),
            ("exit(1)", "exit() ends the program"),
        ] {
            assert_eq!(effect_of(text).as_deref(), Some(expected), "{text}");
        }
    }
}
