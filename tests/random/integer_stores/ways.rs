//! Programs that store a number, each in one of the ways that the language has for it.

use num_bigint::BigInt;

use super::model::{OPERATORS, Target, Ty};

/// A program, and what it has to print, with the way it has to end; of some errors without the place.
pub struct Case {
    pub text: String,
    pub wanted: String,
}

/// What is stored where: a number of type `source` in a place of type `ty`, which holds `old` before.
struct Store {
    ty: Ty,
    source: Ty,
    old: BigInt,
    new: BigInt,
}

/// A variable, or a part of one, that a function changes.
struct Position {
    /// Declarations at file level.
    globals: &'static str,
    /// Parameters of the function besides the stored value, and what is given for them.
    parameter: &'static str,
    given: &'static str,
    /// Named results, and the `return` that they need.
    result: &'static str,
    end: &'static str,
    /// Statements before the store, in `main` and in the function.
    in_main: &'static str,
    before: &'static str,
    after: &'static str,
    place: &'static str,
    target: Target,
    /// Whether it is seen there as an `int`.
    is_wide: bool,
}

const LOCAL: Position = Position {
    globals: "",
    parameter: "",
    given: "",
    result: "",
    end: "",
    in_main: "",
    before: "temp x TYPE = OLD",
    after: "",
    place: "x",
    target: Target::Assigned,
    is_wide: false,
};

const ELEMENT: Position =
    Position { before: "temp a [TYPE] = {OLD, OLD}", place: "a[1]", target: Target::Element, ..LOCAL };

const POSITIONS: &[Position] = &[
    LOCAL,
    Position { globals: "temp x TYPE = OLD", before: "", ..LOCAL },
    Position { before: "temp x TYPE = OLD\n temp r = ref(x)", ..LOCAL },
    Position { before: "temp x TYPE = OLD\n temp r = ref(x)", place: "r", ..LOCAL },
    Position { globals: "temp g TYPE = OLD", before: "temp x = ref(g)", ..LOCAL },
    Position { parameter: ", &x TYPE", given: ", x", in_main: "temp x TYPE = OLD", before: "", ..LOCAL },
    Position {
        parameter: ", &x int",
        given: ", x",
        in_main: "temp x TYPE = OLD",
        before: "",
        is_wide: true,
        ..LOCAL
    },
    Position { result: " -> (x TYPE)", end: "return x", before: "x = OLD", ..LOCAL },
    Position { before: "temp all [TYPE] = {OLD}\n for_each x in all {", after: "}", ..LOCAL },
    Position { before: "temp p = P{x: OLD}", place: "p.x", ..LOCAL },
    Position { globals: "temp p P = P{x: OLD}", before: "", place: "p.x", ..LOCAL },
    Position {
        parameter: ", &x int",
        given: ", p.x",
        in_main: "temp p = P{x: OLD}",
        before: "",
        is_wide: true,
        ..LOCAL
    },
    Position { before: "temp l = {P{x: OLD}}", place: "l[0].x", ..LOCAL },
    ELEMENT,
    Position { globals: "temp a [TYPE, 2] = {OLD, OLD}", before: "", ..ELEMENT },
    Position { before: "temp a [[TYPE]] = {{OLD, OLD}}", place: "a[0][1]", ..ELEMENT },
    Position { before: "temp q = Q{l: {OLD, OLD}}", place: "q.l[0]", ..ELEMENT },
    Position {
        parameter: ", &a [int]",
        given: ", a",
        in_main: "temp a [TYPE] = {OLD, OLD}",
        before: "",
        is_wide: true,
        ..ELEMENT
    },
    Position {
        parameter: ", &x int",
        given: ", a[0]",
        in_main: "temp a [TYPE] = {OLD, OLD}",
        before: "",
        place: "x",
        is_wide: true,
        ..ELEMENT
    },
    Position { before: "temp m map[string:TYPE] = {\"k\": OLD}", place: "m[\"k\"]", ..ELEMENT },
    Position { before: "temp m map[string:[TYPE]] = {\"k\": {OLD}}", place: "m[\"k\"][0]", ..ELEMENT },
    Position { before: "temp m map[int:TYPE] = {1: OLD}\n temp k = 1", place: "m[k]", ..ELEMENT },
    Position { before: "temp a [map[int:TYPE]] = {{1: OLD}}", place: "a[0][1]", ..ELEMENT },
];

/// Another way to store a value: what a function does, how it shows the result, and the target for errors.
struct Way {
    /// Declarations at file level.
    globals: &'static str,
    /// Statements, the last of which stores.
    store: &'static str,
    /// What is shown before and after; before only if `old` is not empty.
    shown: &'static str,
    /// How that is shown of a number.
    form: &'static str,
    /// What is shown if nothing was stored; empty if there is nothing to show.
    old: &'static str,
    target: Target,
    only: fn(&Store) -> bool,
}

const SCALAR: Way = Way {
    globals: "",
    store: "",
    shown: "x",
    form: "NEW",
    old: "",
    target: Target::Declared,
    only: |_| true,
};
const ELEMENTS: Way = Way { shown: "a", form: "{NEW}", target: Target::Element, ..SCALAR };
const FROM_ARRAY: Way = Way { only: |s| s.source.is_integer(), shown: "y", ..ELEMENTS };

const WAYS: &[Way] = &[
    Way { store: "temp x TYPE = v", ..SCALAR },
    Way { store: "const x TYPE = v", ..SCALAR },
    Way { globals: "temp given SOURCE = VALUE\n temp x TYPE = given", store: "", ..SCALAR },
    Way {
        globals: "do pair(v SOURCE) -> (SOURCE, int) { return v, 1 }",
        store: "temp x TYPE, n int = pair(v)",
        ..SCALAR
    },
    Way {
        globals: "do pair(v SOURCE) -> (SOURCE, int) { return v, 1 }",
        store: "temp x TYPE = OLD\n temp n = 0\n END x, n = pair(v)",
        old: "OLD",
        target: Target::Assigned,
        ..SCALAR
    },
    Way {
        globals: "temp x TYPE = OLD\n temp n int = 0\n do pair(v SOURCE) -> (SOURCE, int) { return v, 1 }",
        store: "END x, n = pair(v)",
        old: "OLD",
        target: Target::Assigned,
        ..SCALAR
    },
    Way {
        globals: "do take(p TYPE) -> TYPE { return p }",
        store: "temp x = take(v)",
        target: Target::Assigned,
        ..SCALAR
    },
    Way {
        globals: "do take(p TYPE, q TYPE) -> TYPE { return q }",
        store: "temp x = take(OLD, v)",
        target: Target::Assigned,
        ..SCALAR
    },
    Way {
        globals: "do give(v SOURCE) -> TYPE { return v }",
        store: "temp x = give(v)",
        target: Target::Result,
        ..SCALAR
    },
    Way {
        globals: "do give(v SOURCE) -> (TYPE, int) { return v, 1 }",
        store: "temp x, n = give(v)",
        target: Target::Result,
        ..SCALAR
    },
    Way {
        globals: "do take(&p TYPE) -> TYPE { return p }",
        store: "temp k SOURCE = v\n temp x = take(k)",
        target: Target::Assigned,
        ..SCALAR
    },
    // Another name of a variable that changes after it was checked.
    Way {
        globals: "temp g SOURCE = 1\n do take(&p TYPE, v SOURCE) -> TYPE { g = v\n temp x TYPE = p\n return x }",
        store: "temp x = take(g, v)",
        target: Target::Declared,
        ..SCALAR
    },
    Way {
        globals: "temp g [SOURCE] = {1}\n do take(&p [TYPE], v SOURCE) -> TYPE { g[0] = v\n temp x TYPE = p[0]\n return x }",
        store: "temp x = take(g, v)",
        target: Target::Declared,
        only: |s| s.source.is_integer() && s.ty.is_integer(),
        ..SCALAR
    },
    Way {
        globals: "temp g [SOURCE] = {1}\n do take(&p [TYPE], v SOURCE) -> TYPE { g[0] = v\n for_each x in p { return x }\n return 0 }",
        store: "temp x = take(g, v)",
        target: Target::Assigned,
        only: |s| s.source.is_integer() && s.ty.is_integer(),
        ..SCALAR
    },
    Way {
        store: "temp x TYPE = maps.get({\"a\": z}, \"b\", v)",
        globals: "temp z TYPE = OLD",
        target: ELEMENTS.target,
        ..SCALAR
    },
    Way { store: "temp p = P{x: v}", shown: "p.x", target: Target::Assigned, ..SCALAR },
    Way { store: "temp a [TYPE] = {v}", target: Target::LiteralElement, ..ELEMENTS },
    Way { store: "temp a [TYPE, 1] = {v}", target: Target::LiteralElement, ..ELEMENTS },
    Way { store: "temp a [[TYPE]] = {{v}}", form: "{{NEW}}", target: Target::LiteralElement, ..ELEMENTS },
    Way { store: "temp a map[string:TYPE] = {\"k\": v}", form: "{\"k\": NEW}", ..ELEMENTS },
    Way { store: "temp a map[TYPE:int] = {v: 1}", form: "{NEW: 1}", ..ELEMENTS },
    Way {
        store: "temp a map[TYPE:int] = {:}\n END a[v] = 1",
        form: "{NEW: 1}",
        old: "{}",
        only: |s| s.source.is_integer(),
        ..ELEMENTS
    },
    Way {
        store: "temp a map[string:TYPE] = {:}\n END a[\"k\"] = v",
        form: "{\"k\": NEW}",
        old: "{}",
        ..ELEMENTS
    },
    Way {
        store: "for x TYPE in range(v, next) { return_it = x }",
        globals: "temp return_it TYPE = OLD",
        shown: "return_it",
        old: "",
        target: Target::Assigned,
        only: |s| s.source.is_integer() && !s.source.has_no_more(&s.new),
        form: "NEW",
    },
    // The library, on the variable and through an array that is seen as one of `int`.
    Way { store: "temp a [TYPE] = {}\n END arrays.append(a, v)", old: "{}", ..ELEMENTS },
    Way {
        store: "temp a [TYPE] = {}\n END arrays.append(a, v, v)",
        form: "{NEW, NEW}",
        old: "{}",
        ..ELEMENTS
    },
    Way { store: "temp a [TYPE] = {}\n END arrays.insert(a, 0, v)", old: "{}", ..ELEMENTS },
    Way { store: "temp a [TYPE] = {}\n END arrays.unshift(a, v)", old: "{}", ..ELEMENTS },
    Way { store: "temp a [TYPE] = {OLD}\n END arrays.set(a, 0, v)", old: "{OLD}", ..ELEMENTS },
    Way { store: "temp a [TYPE] = {OLD}\n END arrays.fill(a, v)", old: "{OLD}", ..ELEMENTS },
    Way {
        store: "temp a map[string:TYPE] = {:}\n END maps.set(a, \"k\", v)",
        form: "{\"k\": NEW}",
        old: "{}",
        ..ELEMENTS
    },
    Way {
        store: "temp a map[string:TYPE] = {:}\n END temp _ = maps.get_or_set(a, \"k\", v)",
        form: "{\"k\": NEW}",
        old: "{}",
        ..ELEMENTS
    },
    Way {
        store: "temp a map[string:TYPE] = {:}\n END maps.update(a, {\"k\": v})",
        form: "{\"k\": NEW}",
        old: "{}",
        ..ELEMENTS
    },
    Way {
        globals: "do add(&a [int], v int) { arrays.append(a, v) }",
        store: "temp a [TYPE] = {}\n END add(a, v)",
        old: "{}",
        only: |s| s.ty.is_integer(),
        ..ELEMENTS
    },
    Way {
        globals: "do add(a [int], v int) { arrays.append(a, v) }",
        store: "temp a [TYPE] = {}\n END add(a, v)",
        old: "{}",
        only: |s| s.ty.is_integer(),
        ..ELEMENTS
    },
    Way {
        globals: "do add(a [int], v int) { arrays.insert(a, 0, v) }",
        store: "temp a [TYPE] = {}\n END add(a, v)",
        old: "{}",
        only: |s| s.ty.is_integer(),
        ..ELEMENTS
    },
    Way {
        globals: "do add(m map[string:int], v int) { maps.set(m, \"k\", v) }",
        store: "temp a map[string:TYPE] = {:}\n END add(a, v)",
        form: "{\"k\": NEW}",
        old: "{}",
        only: |s| s.ty.is_integer(),
        ..ELEMENTS
    },
    Way {
        globals: "do add(&a [TYPE], v SOURCE) { arrays.append(a, v) }",
        store: "temp a [int] = {}\n END add(a, v)",
        old: "{}",
        only: |s| s.ty.is_integer(),
        ..ELEMENTS
    },
    // Whole arrays and maps of another type.
    Way { store: "temp k [SOURCE] = {v}\n temp y [TYPE] = k", target: Target::Declared, ..FROM_ARRAY },
    Way {
        store: "temp k [SOURCE] = {v}\n temp y [TYPE] = {}\n END y = k",
        old: "{}",
        target: Target::Assigned,
        ..FROM_ARRAY
    },
    Way {
        store: "temp k [SOURCE] = {v}\n temp q = Q{l: k}\n temp y = q.l",
        target: Target::Assigned,
        ..FROM_ARRAY
    },
    Way {
        store: "temp k [SOURCE] = {v}\n temp q = Q{l: {}}\n END q.l = k\n temp y = q.l",
        old: "{}",
        target: Target::Assigned,
        shown: "q.l",
        ..FROM_ARRAY
    },
    Way {
        globals: "do give(k [SOURCE]) -> [TYPE] { return k }",
        store: "temp k [SOURCE] = {v}\n temp y = give(k)",
        target: Target::Result,
        ..FROM_ARRAY
    },
    Way {
        globals: "do give(k [TYPE]) -> [TYPE] { return k }",
        store: "temp k [SOURCE] = {v}\n temp y = give(k)",
        target: Target::Assigned,
        ..FROM_ARRAY
    },
    Way {
        globals: "do give(&k [TYPE]) -> [TYPE] { return k }",
        store: "temp k [SOURCE] = {v}\n temp y = give(k)",
        target: Target::Assigned,
        ..FROM_ARRAY
    },
    Way { store: "temp k [SOURCE] = {v}\n temp y [[TYPE]] = {k}", form: "{{NEW}}", ..FROM_ARRAY },
    Way {
        store: "temp k [[SOURCE]] = {{v}}\n temp y [[TYPE]] = k",
        form: "{{NEW}}",
        target: Target::Declared,
        ..FROM_ARRAY
    },
    Way {
        store: "temp k [SOURCE] = {v}\n temp y [[TYPE]] = {}\n END arrays.append(y, k)",
        form: "{{NEW}}",
        old: "{}",
        ..FROM_ARRAY
    },
    Way {
        store: "temp k [SOURCE] = {v}\n temp y [[TYPE]] = {}\n END arrays.insert(y, 0, k)",
        form: "{{NEW}}",
        old: "{}",
        ..FROM_ARRAY
    },
    Way {
        store: "temp k [SOURCE] = {v}\n temp y map[string:[TYPE]] = {:}\n END maps.set(y, \"k\", k)",
        form: "{\"k\": {NEW}}",
        old: "{}",
        ..FROM_ARRAY
    },
    Way {
        store: "temp k [SOURCE] = {v}\n temp y map[string:[TYPE]] = {:}\n END y[\"k\"] = k",
        form: "{\"k\": {NEW}}",
        old: "{}",
        ..FROM_ARRAY
    },
    Way {
        store: "temp k map[string:SOURCE] = {\"k\": v}\n temp y map[string:TYPE] = k",
        form: "{\"k\": NEW}",
        target: Target::Declared,
        ..FROM_ARRAY
    },
    Way {
        store: "temp k map[SOURCE:int] = {v: 1}\n temp y map[TYPE:int] = k",
        form: "{NEW: 1}",
        target: Target::Declared,
        ..FROM_ARRAY
    },
    Way {
        globals: "do give(k map[string:TYPE]) -> map[string:TYPE] { return k }",
        store: "temp k map[string:SOURCE] = {\"k\": v}\n temp y = give(k)",
        form: "{\"k\": NEW}",
        target: Target::Assigned,
        ..FROM_ARRAY
    },
    Way {
        globals: "do pair(k [SOURCE]) -> ([SOURCE], int) { return k, 1 }",
        store: "temp k [SOURCE] = {v}\n temp y [TYPE], n int = pair(k)",
        target: Target::Declared,
        ..FROM_ARRAY
    },
    Way {
        store: "temp k [SOURCE] = {v}\n temp y [TYPE] = arrays.concat(k, k)",
        form: "{NEW, NEW}",
        target: Target::Declared,
        ..FROM_ARRAY
    },
    Way { store: "temp y [TYPE] = arrays.repeat(v, 1)", target: Target::Declared, ..FROM_ARRAY },
    Way {
        store: "temp k [SOURCE] = {v}\n temp y TYPE = arrays.first(k)",
        form: "NEW",
        target: Target::Declared,
        ..FROM_ARRAY
    },
];

impl Case {
    /// A random one.
    pub fn random(rng: &mut fastrand::Rng) -> Case {
        loop {
            let all = Ty::all();
            let (ty, source) = (rng.choice(&all).unwrap().clone(), rng.choice(&all).unwrap().clone());
            let (old, new) = (ty.number(rng, &source), source.number(rng, &ty));
            let store = Store { ty, source, old, new };
            let case = match rng.bool() {
                true => in_position(rng.choice(POSITIONS).unwrap(), &store, rng),
                false => in_way(rng.choice(WAYS).unwrap(), &store),
            };
            if let Some(case) = case {
                return case;
            }
        }
    }
}

const HEAD: &str = "import & use @std, @arrays, @maps\nconst E enum { A, B }\nconst P struct { x TYPE }\nconst Q struct { l [TYPE] }\n";

/// A store by an assignment of any kind; `None` if the checker refuses it.
fn in_position(position: &Position, store: &Store, rng: &mut fastrand::Rng) -> Option<Case> {
    let int = Ty::all().into_iter().find(Ty::is_int)?;
    // The type that the place is seen as there decides what the checker and operators do.
    let seen = if position.is_wide { &int } else { &store.ty };
    let (action, result, token) = match rng.u8(..8) {
        0 | 1 => {
            if !seen.takes(&store.source) {
                return None;
            }
            (format!("{} = v", position.place), Ok(store.new.clone()), 0)
        }
        2 if seen.is_integer() => {
            let up = rng.bool();
            (format!("{}{}", position.place, if up { "++" } else { "--" }), seen.step(&store.old, up), 1)
        }
        _ => {
            let op = *rng.choice(&OPERATORS)?;
            if !seen.takes(&store.source) {
                return None;
            }
            let result = seen.arithmetic(op, &store.old, &store.new, &store.source);
            (format!("{} {op}= v", position.place), result, 0)
        }
    };
    let end = result.and_then(|number| match store.ty.store(&number, position.target) {
        Some(code) => Err(code),
        None => Ok(number),
    });
    let Position { globals, parameter, given, result, end: last, in_main, before, after, place, .. } =
        position;
    let call = if result.is_empty() { "work" } else { "temp _ = work" };
    let text = format!(
        "{HEAD}{globals}\ndo work(v SOURCE{parameter}){result} {{\n {before}\n ensure println(\"end\", {place})\n {action}\n println(\"=\", {place})\n {after}\n {last}\n}}\ndo main() {{\n temp v SOURCE = VALUE\n {in_main}\n {call}(v{given})\n}}\n"
    );
    let text = store.filled(&text);
    // An error is at the last token of the target, or at the `++` after it.
    let at = text.find(&format!("\n {action}\n"))? + 2 + place.len() - 1 + token;
    let wanted = match end {
        Ok(number) => format!("= {number}\nend {number}\nended 0\n"),
        Err(code) => format!("end {}\n{code} {}\n", store.old, super::place(&text, at)),
    };
    Some(Case { text, wanted })
}

/// A store in another way; `None` if the checker refuses it.
fn in_way(way: &Way, store: &Store) -> Option<Case> {
    if !store.ty.takes(&store.source) || !(way.only)(store) {
        return None;
    }
    let Way { globals, shown, form, old, target, .. } = way;
    let body = way.store.replace("END ", &format!("ensure println(\"end\", {shown})\n "));
    let text = format!(
        "{HEAD}{globals}\ndo work(v SOURCE, next SOURCE) {{\n {body}\n println(\"=\", {shown})\n}}\ndo main() {{\n temp v SOURCE = VALUE\n temp next SOURCE = NEXT\n work(v, next)\n}}\n"
    );
    let new = form.replace("NEW", &store.new.to_string());
    let is_kept = way.store.contains("END ");
    let wanted = match store.ty.store(&store.new, *target) {
        None if is_kept => format!("= {new}\nend {new}\nended 0\n"),
        None => format!("= {new}\nended 0\n"),
        Some(code) if is_kept => format!("end {}\n{code}\n", store.filled(old)),
        Some(code) => format!("{code}\n"),
    };
    Some(Case { text: store.filled(&text), wanted })
}

impl Store {
    fn filled(&self, text: &str) -> String {
        let next = if self.source.has_no_more(&self.new) { self.new.clone() } else { &self.new + 1 };
        let text = text.replace("TYPE", self.ty.name).replace("SOURCE", self.source.name);
        let text = text.replace("OLD", &self.old.to_string()).replace("VALUE", &self.new.to_string());
        text.replace("NEXT", &next.to_string())
    }
}

impl Ty {
    /// Whether it is the highest number of the type.
    fn has_no_more(&self, number: &BigInt) -> bool {
        !self.has(&(number + 1))
    }
}
