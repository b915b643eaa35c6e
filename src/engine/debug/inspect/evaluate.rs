//! Evaluation of expressions, and assignments, in a frame of a stopped program.

use std::path::Path;
use std::time::Duration;

use crate::api::{
    Container, Described, Evaluate, Failure, FailureKind, Limits, Purpose, Scope, SetExpression,
    Value as Shown, Variable, WrongExpression,
};
use crate::debug::inspect::effects::effect;
use crate::debug::inspect::frames::{FrameView, frame_view, position};
use crate::debug::inspect::handles::{Held, Origin, part_expression, stale};
use crate::debug::inspect::inspection::{ChangePolicy, Inspection};
use crate::debug::inspect::passed::Passed;
use crate::debug::inspect::undeclared::refuse_undeclared;
use crate::debug::meanwhile::Interruption;
use crate::debug::program::{DebuggedProgram, Runnable, wrong};
use ez_language::check::{Allowed, Declared, Fragment};
use ez_language::syntax::{Token, TokenKind, lex};
use ez_runtime::clock::Instant;
use ez_runtime::interp::slots::Fp;
use ez_runtime::interp::vm::{Exit, Pending, Stop, Vm};
use ez_runtime::source::SourceMap;
use ez_runtime::text::slice;
use ez_runtime::value::{Ref, Type, Value, pause_numbers, within_memory};

/// Default time limit of an evaluation.
pub const TIME_LIMIT: Duration = Duration::from_secs(5);

/// Default time limit of an evaluation that only looks at something: it may be one of many after each stop, which the
/// next step waits for.
const LOOK_LIMIT: Duration = Duration::from_millis(500);

/// How much memory it may take beside what the program has, in bytes: it may be a guest that looks.
const LOOK_MEMORY: u64 = 128 << 20;

/// The end of an evaluation, which includes compiling.
#[derive(Clone, Copy)]
pub struct Deadline {
    limit: Duration,
    end: Instant,
}

impl Deadline {
    /// The time limit counts from now on.
    pub fn after(limit: Duration) -> Deadline {
        Deadline { limit, end: Instant::now() + limit }
    }

    fn left(self) -> Duration {
        self.end.saturating_duration_since(Instant::now())
    }
}

/// The frame in which something is evaluated.
#[derive(Clone, Copy)]
pub struct FrameContext<'a> {
    /// The innermost frame.
    pub top: &'a FrameView,
    /// The frame itself.
    pub view: &'a FrameView,
    /// Its index.
    pub frame: usize,
}

impl Inspection {
    /// Evaluates an expression, or executes an assignment, whose value is `nil`. If the program is told to
    /// end meanwhile, [`Pending::Terminated`] is left in the interpreter.
    pub fn evaluate(
        &mut self,
        vm: &mut Vm,
        context: FrameContext,
        request: &Evaluate,
    ) -> Result<Described, Failure> {
        let usual = match request.purpose {
            Purpose::Look => LOOK_LIMIT,
            Purpose::Plain | Purpose::Prompt => TIME_LIMIT,
        };
        let limit = request.timeout_ms.map_or(usual, |ms| Duration::from_millis(ms.into()));
        let (value, ty) = self.value_of(vm, context, &request.expression, request.purpose, limit)?;
        match &ty {
            Type::Void => return Ok(nothing("void")),
            Type::Tuple(parts) if parts.is_empty() => return Ok(nothing("nil")),
            _ => {}
        }
        let name = is_path(&request.expression).then(|| request.expression.trim().into());
        let origin = Origin { frame: context.frame, name };
        Ok(self.handles.describe(&value.follow(), &ty, request.limits, origin))
    }

    /// Evaluates an expression; returns the value and its static type.
    pub fn value_of(
        &mut self,
        vm: &mut Vm,
        context: FrameContext,
        text: &str,
        purpose: Purpose,
        limit: Duration,
    ) -> Result<(Value, Type), Failure> {
        // What a change of the program creates is the same in every run, and so are the numbers of objects.
        let _numbering = matches!(self.change_policy, ChangePolicy::Allowed | ChangePolicy::Refused { .. })
            .then(pause_numbers);
        let sources = vm.program.sources.clone();
        let (known_sources, known_sites) = (sources.len(), vm.sites.len());
        let mut run = || self.check_and_run(vm, context, text, purpose, limit);
        let outcome = if purpose == Purpose::Look { within_memory(LOOK_MEMORY, run) } else { run() };
        // The call sites of the fragment are not needed any more.
        vm.sites.truncate(known_sites);
        sources.truncate(known_sources);
        outcome
    }

    fn check_and_run(
        &mut self,
        vm: &mut Vm,
        context: FrameContext,
        text: &str,
        purpose: Purpose,
        limit: Duration,
    ) -> Result<(Value, Type), Failure> {
        let deadline = Deadline::after(limit);
        let runnable = self.compiled(vm, context, text, purpose, deadline)?;
        let passed = runnable.has_effect.then(|| Passed::of(vm, context.top));
        let result = self.run_compiled(vm, context, &runnable, deadline);
        // Also if it has failed, since it may have assigned before.
        passed.iter().for_each(|passed| passed.assign_both(vm));
        let (value, ty) = result?;
        if let (Some(declared), Some(program)) = (runnable.declared, self.program.clone()) {
            let Declared { name, ty, constant } = declared;
            self.temporaries.add(vm, program.own_globals, name, ty, constant, value.clone())?;
        }
        Ok((value, ty))
    }

    /// Whether a text may have side effects, or declares a variable.
    pub fn may_change(&self, view: &FrameView, text: &str) -> bool {
        let Some(program) = self.program.clone() else { return false };
        let known = program.program.sources.len();
        let checked = program.check(view, text, self.temporaries.all(), Allowed::Declaration);
        program.program.sources.truncate(known);
        checked.is_ok_and(|fragment| {
            fragment.declared.is_some() || effect(&program.program, view.func, &fragment).is_some()
        })
    }

    /// Checks and compiles an expression for a frame.
    pub fn compiled(
        &mut self,
        vm: &mut Vm,
        context: FrameContext,
        text: &str,
        purpose: Purpose,
        deadline: Deadline,
    ) -> Result<Runnable, Failure> {
        let Some(program) = self.program.clone() else { return Err(wrong("no program is loaded")) };
        let allowed = match purpose {
            Purpose::Prompt => Allowed::Declaration,
            Purpose::Plain | Purpose::Look => Allowed::Evaluation,
        };
        let fragment = program.check(context.view, text, self.temporaries.all(), allowed)?;
        refuse_undeclared(vm, &fragment)?;
        let effect = effect(&program.program, context.view.func, &fragment);
        if let (Purpose::Look, Some(effect)) = (purpose, &effect) {
            return Err(wrong(format!("not evaluated, since it has an effect: {effect}")));
        }
        if let Some(refusal) = self.refusal_of_changes(vm)
            && (fragment.declared.is_some() || effect.is_some())
        {
            return Err(refusal);
        }
        self.compiled_fragment(vm, context, &program, (&fragment, effect.is_some()), deadline)
    }

    /// Compiles a checked fragment for a frame, which may have side effects or not.
    pub fn compiled_fragment(
        &mut self,
        vm: &mut Vm,
        context: FrameContext,
        program: &DebuggedProgram,
        (fragment, has_effect): (&Fragment, bool),
        deadline: Deadline,
    ) -> Result<Runnable, Failure> {
        // Calls use frames above the innermost one.
        let free = context.top.fp.distance(context.view.fp) + program.frame_size(context.top);
        let (runnable, interruption) = self.uninterrupted(vm, Some(deadline.left()), false, |vm| {
            program.compiled(vm, context.view, fragment, has_effect, free)
        });
        let sources = vm.program.sources.len();
        runnable.map_err(|Stop| failure(vm, &interruption, deadline.limit, sources))
    }

    /// Runs compiled code in a frame, and restores the interpreter's state, however it ends.
    pub fn run_compiled(
        &mut self,
        vm: &mut Vm,
        context: FrameContext,
        runnable: &Runnable,
        deadline: Deadline,
    ) -> Result<(Value, Type), Failure> {
        self.has_run = true;
        let (ret, ret_ref, native_at) = (vm.ret, vm.ret_ref.take(), vm.native_at);
        let ensures = vm.ensures.len();
        let (result, interruption) = self.uninterrupted(vm, Some(deadline.left()), false, |vm| {
            vm.evaluate(|vm| run(runnable, vm, context.view.fp))
        });
        (vm.ret, vm.ret_ref, vm.native_at) = (ret, ret_ref, native_at);
        vm.ensures.truncate(ensures);
        if self.change_policy == ChangePolicy::Recorded {
            self.has_interrupted |= interruption.timed_out || interruption.paused;
        }
        let sources = vm.program.sources.len();
        result.map_err(|Stop| failure(vm, &interruption, deadline.limit, sources))
    }

    /// Assigns the value of an expression to a variable of a frame, or to a part of a value.
    pub fn set_variable(
        &mut self,
        vm: &mut Vm,
        top: &FrameView,
        container: Container,
        name: &str,
        value: &str,
        limits: Limits,
    ) -> Result<Variable, Failure> {
        match container {
            Container::Frame(frame) => {
                let view = frame_view(vm, top, frame)?;
                self.unshare(vm, &view, frame);
                let context = FrameContext { top, view: &view, frame };
                let shown = self.variable_named(vm, context, name, limits)?;
                self.assign(vm, context, name, value)?;
                let held = self.look(vm, context, name, limits)?;
                Ok(Variable { held, changed: true, ..shown })
            }
            Container::Value(handle) => {
                let held = self.handles.get(handle).cloned().ok_or_else(|| stale(handle))?;
                let view = frame_view(vm, top, held.origin.frame)?;
                let context = FrameContext { top, view: &view, frame: held.origin.frame };
                if part_expression("", &held.object, name).is_none() {
                    let missing = format!("reference {} has no part {name}", handle.0);
                    return Err(Failure::new(FailureKind::NotFound, missing));
                }
                self.set_part(vm, context, &held, name, value, limits)
            }
        }
    }

    /// Assigns to what an expression names; returns its value afterwards.
    pub fn set_expression(
        &mut self,
        vm: &mut Vm,
        context: FrameContext,
        question: &SetExpression,
    ) -> Result<Described, Failure> {
        let SetExpression { expression, value, limits, .. } = question;
        let target = self.expression_in(vm, context, expression)?;
        if self.may_change(context.view, target) {
            return Err(wrong("the expression to which is assigned must not change anything"));
        }
        self.assign(vm, context, target, value)?;
        self.look(vm, context, target, *limits)
    }

    /// The text of the one expression in a text, without comments around it.
    fn expression_in<'a>(
        &mut self,
        vm: &mut Vm,
        context: FrameContext,
        text: &'a str,
    ) -> Result<&'a str, Failure> {
        let Some(program) = self.program.clone() else { return Err(wrong("no program is loaded")) };
        let sources = vm.program.sources.clone();
        let known = sources.len();
        let checked = program.check(context.view, text, self.temporaries.all(), Allowed::Evaluation);
        sources.truncate(known);
        let fragment = checked?;
        if fragment.expr.is_none() {
            return Err(program.no_expression(&fragment, "only an expression can be assigned to"));
        }
        let source = SourceMap::new().add("", Path::new(""), text);
        let (tokens, _) = lex(&source);
        let is_code = |token: &&Token| token.kind != TokenKind::Eof;
        let (first, last) = (tokens.first(), tokens.iter().rev().find(is_code));
        let end = last.map_or(0, |token| token.span.end as usize);
        Ok(slice(text, first.map_or(0, |token| token.span.start as usize)..end))
    }

    /// Looks up a variable by its name in a frame.
    fn variable_named(
        &mut self,
        vm: &mut Vm,
        context: FrameContext,
        name: &str,
        limits: Limits,
    ) -> Result<Variable, Failure> {
        if let Some(extra) = self.temporaries.all().iter().rev().find(|extra| *extra.name == *name) {
            let mutable = !extra.constant;
            let held = self.look(vm, context, name, limits)?;
            let evaluate_name = Some(name.into());
            return Ok(Variable {
                name: name.into(),
                scope: Scope::Local,
                mutable,
                held,
                evaluate_name,
                changed: false,
                new: false,
            });
        }
        let none = Limits { parts: 0, bytes: 0 };
        let mut all = crate::debug::inspect::variables::variables(
            vm,
            &mut self.handles,
            context.view,
            context.frame,
            None,
            none,
        )
        .into_iter();
        all.find(|variable| variable.name == name).ok_or_else(|| {
            Failure::new(
                FailureKind::NotFound,
                format!("there is no variable {name} in frame {}", context.frame),
            )
        })
    }

    fn set_part(
        &mut self,
        vm: &mut Vm,
        context: FrameContext,
        held: &Held,
        part: &str,
        value: &str,
        limits: Limits,
    ) -> Result<Variable, Failure> {
        // If the program has an expression for the object, that is used: then an error message is the same as
        // for an assignment in the program.
        let named = held.origin.name.clone().filter(|name| self.is_object(vm, context, name, &held.object));
        let Some(program) = self.program.clone() else { return Err(wrong("no program is loaded")) };
        let whole = match &named {
            Some(name) => name.as_str(),
            None => {
                let object = Value::Ref(held.object.clone());
                let name = OBJECT.into();
                self.temporaries.add(vm, program.own_globals, name, held.ty.clone(), false, object)?;
                OBJECT
            }
        };
        let target = part_expression(whole, &held.object, part).unwrap_or_default();
        let result =
            self.assign(vm, context, &target, value).and_then(|()| self.look(vm, context, &target, limits));
        if named.is_none() {
            self.temporaries.pop(vm);
        }
        let evaluate_name = named.map(|_| target);
        Ok(Variable {
            name: part.into(),
            scope: Scope::Part,
            mutable: true,
            held: result?,
            evaluate_name,
            changed: true,
            new: false,
        })
    }

    /// Whether an expression evaluates to this object.
    fn is_object(&mut self, vm: &mut Vm, context: FrameContext, name: &str, object: &Ref) -> bool {
        match self.value_of(vm, context, name, Purpose::Look, TIME_LIMIT) {
            Ok((value, _)) => value.follow().as_ref().is_some_and(|found| std::rc::Rc::ptr_eq(found, object)),
            Err(_) => false,
        }
    }

    fn assign(
        &mut self,
        vm: &mut Vm,
        context: FrameContext,
        target: &str,
        value: &str,
    ) -> Result<(), Failure> {
        // Checked on its own first, so that the text cannot contain more than one expression.
        let Some(program) = self.program.clone() else { return Err(wrong("no program is loaded")) };
        let sources = vm.program.sources.clone();
        let known = sources.len();
        let checked = program.check(context.view, value, self.temporaries.all(), Allowed::Evaluation);
        let statement = checked.as_ref().ok().filter(|fragment| fragment.expr.is_none());
        let refusal = statement.map(|it| program.no_expression(it, "the value must be an expression"));
        sources.truncate(known);
        if let Some(refusal) = refusal {
            return Err(refusal);
        }
        // A literal may be valid only for the type of the target: then the assignment is checked instead.
        let alone = checked.err();
        let start = format!("{target} = ");
        let text = format!("{start}{value}");
        let result = self.value_of(vm, context, &text, Purpose::Plain, TIME_LIMIT);
        let moved = start.chars().count() as u32;
        result.map(|_| ()).map_err(|failure| match alone {
            // The value is no expression, whether its names are known or not.
            Some(alone) if alone.is_of_syntax() || failure.is_of_syntax() => alone,
            // Both are expressions: the target is one that cannot be assigned to.
            None if failure.is_of_syntax() => {
                wrong("only a variable, element, entry or field can be assigned to")
            }
            Some(_) | None => moved_back(failure, moved),
        })
    }

    fn look(
        &mut self,
        vm: &mut Vm,
        context: FrameContext,
        name: &str,
        limits: Limits,
    ) -> Result<Described, Failure> {
        let (value, ty) = self.value_of(vm, context, name, Purpose::Look, TIME_LIMIT)?;
        let origin = Origin { frame: context.frame, name: (!name.starts_with(OBJECT)).then(|| name.into()) };
        Ok(self.handles.describe(&value.follow(), &ty, limits, origin))
    }
}

/// The result of what has none: an assignment, or a call of a function without results. Its text is empty; `kind` is
/// the type that clients of version 1 are told.
fn nothing(kind: &str) -> Described {
    let value = Shown::Opaque { kind: kind.into(), text: String::new() };
    Described { value, declared_type: "void".into(), handle: None, children: 0, object: None }
}

/// The name for an object without an expression, while one of its parts is assigned.
const OBJECT: &str = "ez_debugger_object";

/// Converts the failure of `target = value` to one of `value`: moves its position.
fn moved_back(mut failure: Failure, moved: u32) -> Failure {
    if let Some(WrongExpression { position, .. }) = &mut failure.wrong {
        *position = position.take().filter(|at| at.line > 1 || at.column > moved);
        if let Some(at) = position.as_mut().filter(|at| at.line == 1) {
            at.column -= moved;
        }
    }
    failure
}

/// Whether a text is a path of names, fields and constant indices, which can be evaluated again without
/// effects.
fn is_path(text: &str) -> bool {
    let text = text.trim();
    if !text.starts_with(|c: char| c.is_alphabetic() || c == '_') {
        return false;
    }
    let mut quote = None;
    let (mut before, mut is_escaped) = (' ', false);
    for c in text.chars() {
        match quote {
            Some('"') if before == '$' && c == '{' => return false,
            Some('"' | '\'') if is_escaped => is_escaped = false,
            Some('"' | '\'') if c == '\\' => is_escaped = true,
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if matches!(c, '"' | '\'' | '`') && before == '[' => quote = Some(c),
            None if c.is_alphanumeric() || matches!(c, '_' | '.' | '[' | ']') => {}
            None if c == '-' && before == '[' => {}
            None => return false,
        }
        before = c;
    }
    quote.is_none()
}

fn run(runnable: &Runnable, vm: &mut Vm, fp: Fp) -> Result<(Value, Type), Stop> {
    for statement in &runnable.statements {
        if let Err(Exit::Stop) = statement.run(vm, fp) {
            return Err(Stop);
        }
    }
    match &runnable.value {
        Some((f, ty)) => Ok((f.run(vm, fp)?, ty.clone())),
        // Not even a result of the type `void`, which a call has.
        None => Ok((Value::Nil, Type::Tuple([].into()))),
    }
}

/// The message about something that was interrupted at its time limit.
pub fn took_too_long(what: &str, limit: Duration) -> String {
    match limit.as_millis() {
        ms if ms % 1000 == 0 => format!("{what} took longer than {} s", ms / 1000),
        ms => format!("{what} took longer than {ms} ms"),
    }
}

/// Why an evaluation failed. If the program is to end, that stays pending.
fn failure(vm: &mut Vm, interruption: &Interruption, limit: Duration, sources: usize) -> Failure {
    if interruption.terminated {
        return wrong("program is ending");
    }
    wrong(match std::mem::take(&mut vm.pending) {
        Pending::Error(error) => {
            // The text of the fragment is the latest in the source map.
            let inside = error.span.file.0 as usize + 1 == sources && error.calls.is_empty();
            let position = inside.then(|| position(&vm.program.sources, error.span));
            return Failure::wrong_expression(error.code, position, error.message);
        }
        Pending::Exit(_) => "exit() cannot be called in an evaluation".into(),
        Pending::Terminated if interruption.timed_out => took_too_long("evaluation", limit),
        Pending::Terminated => "evaluation was interrupted".into(),
        Pending::None | Pending::Big(_) | Pending::Nil => "expression has no value".into(),
    })
}
