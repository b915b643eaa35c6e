//! First pass: the names that the files of a program declare.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::modules::{FileUnit, Graph};
use crate::syntax::TokenKind;
use crate::syntax::ast::{Name, Stmt, StmtClass, TypeExpr, TypeExprKind};
use crate::syntax::comments::comments;
use ez_runtime::program::{FuncId, GlobalId};
use ez_runtime::source::Span;
use ez_runtime::text::slice;
use ez_runtime::value::{EnumDef, StructDef, Type};

use super::symbols::{
    FileSym, FuncSym, GlobalSym, ImportSym, ImportsAt, ModuleState, ModuleSym, Symbols, TypeSym, UsingModule,
};

/// The symbols of all files of `graph`.
pub fn collect(graph: &Graph) -> Symbols {
    let mut symbols = Symbols::default();
    for (index, module) in graph.modules.iter().enumerate() {
        let state = Cell::new(ModuleState::Waiting);
        symbols.modules.push(ModuleSym { name: module.name.clone(), state, ..ModuleSym::default() });
        for (number, file) in module.files.iter().enumerate() {
            // The main file also sees the imports of its sibling files.
            let from_sibling = if index == 0 && number == 0 { module.files.get(1..) } else { None };
            let file_index = symbols.files.len();
            let mut file_symbol = file_symbols(index, file, from_sibling.unwrap_or_default());
            // A main file without a `module` line has no name.
            if index > 0 || file.ast.module.is_some() {
                let begin = Span::new(file.source.id, 0, 0);
                let at = file.ast.module.as_ref().map_or(begin, |name| name.span);
                file_symbol.own = Some(ImportSym::own(module.name.clone(), index, at));
            }
            symbols.files.push(file_symbol);
            if let Some(owner) = symbols.modules.get_mut(index) {
                owner.files.push(file_index);
            }
            for stmt in &file.ast.items {
                declare(&mut symbols, index, file_index, stmt, file.ast.module.is_some());
            }
        }
    }
    symbols
}

fn imports_at(file: &FileUnit) -> ImportsAt {
    match (file.ast.imports.first(), &file.ast.module) {
        (Some(import), _) => ImportsAt::Before(import.keyword),
        (None, Some(module)) => ImportsAt::After(module.span),
        (None, None) => {
            let text = &file.source.text;
            // A first line for shells stays the first one.
            let first =
                if text.starts_with("#!") { text.find('\n').map_or(text.len(), |end| end + 1) } else { 0 };
            let first = first + head_comment(slice(text, first..));
            ImportsAt::Before(Span::new(file.source.id, first, first))
        }
    }
}

/// The bytes of the comments at the head of a text that an empty line parts from what follows, with that line: they are
/// about the file.
fn head_comment(text: &str) -> usize {
    let end = TokenKind::all_in(text).next().map_or(text.len(), |(_, at)| at.start);
    let mut comments = comments(slice(text, ..end)).peekable();
    while let Some(comment) = comments.next() {
        let next = comments.peek().map_or(end, |next| next.start);
        let behind = slice(text, comment.end()..next);
        if behind.matches('\n').count() > 1 {
            return comment.end() + behind.rfind('\n').map_or(0, |last| last + 1);
        }
    }
    0
}

fn file_symbols(module: usize, file: &FileUnit, siblings: &[FileUnit]) -> FileSym {
    let own: HashSet<&str> = file.imports.iter().map(|unit| &*unit.alias).collect();
    let theirs = siblings.iter().flat_map(|s| &s.imports).filter(|unit| !own.contains(&*unit.alias));
    let theirs = theirs.map(|unit| ImportSym::new(unit, true));
    let imports: Vec<ImportSym> =
        theirs.chain(file.imports.iter().map(|unit| ImportSym::new(unit, false))).collect();
    let (mut first, mut last_import) = (HashMap::new(), HashMap::new());
    for (index, import) in imports.iter().enumerate() {
        // Of two imports with one alias only the last is checked for use.
        let again = *first.entry(&*import.alias).or_insert(import);
        again.used.set(again.used.get() || !import.from_sibling && !std::ptr::eq(again, import));
        last_import.insert(import.alias.clone(), index);
    }
    let mut symbol = FileSym {
        id: file.source.id,
        module,
        imports,
        last_import,
        usings: Vec::new(),
        suppress: file.ast.suppress.iter().map(|n| n.text.clone()).collect(),
        has_module_line: file.ast.module.is_some(),
        own: None,
        imports_at: imports_at(file),
    };
    let auto = file.imports.iter().filter(|u| u.auto_use).map(|u| u.alias.clone());
    let written = file.ast.usings.iter().flat_map(|u| u.names.iter().map(|n| n.text.clone()));
    let names: Vec<Rc<str>> = auto.chain(written).collect();
    for alias in names {
        let Some(import) = symbol.usable(&alias) else { continue };
        import.used.set(true);
        let module = import.module.clone();
        if !symbol.usings.iter().any(|u| u.alias == alias) {
            symbol.usings.push(UsingModule { alias, module });
        }
    }
    symbol
}

fn declare(symbols: &mut Symbols, module: usize, file: usize, stmt: &Stmt, has_module_line: bool) {
    let private = stmt.attrs.private.is_some();
    match stmt.kind.class() {
        StmtClass::Struct(decl) => {
            let any = |ty: &TypeExpr| matches!(&ty.kind, TypeExprKind::Named(n) if &**n == "any");
            let any_fields = decl.fields.iter().filter(|f| any(&f.ty)).map(|f| f.name.text.clone()).collect();
            let ty = Type::Struct(StructDef::new(&decl.name.text, qualifier(symbols, module)));
            let ready = Cell::new(false);
            let at = decl.name.span;
            let parts = decl.fields.iter().map(|field| field.name.span).collect();
            let sym = TypeSym { ty, at, private, module, parts, members: Vec::new(), any_fields, ready };
            add_type(symbols, module, &decl.name, sym);
        }
        StmtClass::Enum(decl) => {
            let members = decl.members.iter().map(|(name, _)| name.text.clone()).collect();
            let ty = Type::Enum(EnumDef::new(&decl.name.text, qualifier(symbols, module)));
            let (at, ready) = (decl.name.span, Cell::new(false));
            let parts = decl.members.iter().map(|(name, _)| name.span).collect();
            let sym = TypeSym { ty, at, private, module, parts, members, any_fields: Vec::new(), ready };
            add_type(symbols, module, &decl.name, sym);
        }
        StmtClass::Function(decl) => {
            let id = FuncId(symbols.funcs.len() as u32);
            symbols.funcs.push(FuncSym {
                name: decl.name.text.clone(),
                module,
                file,
                private,
                decl: decl.clone(),
                attrs: stmt.attrs.clone(),
                span: stmt.span,
                has_module_line,
                signature: OnceCell::new(),
                defaults: decl.params.iter().map(|_| RefCell::default()).collect(),
                usings: RefCell::default(),
                facts: RefCell::default(),
            });
            if let Some(owner) = symbols.modules.get_mut(module) {
                owner.funcs.insert(decl.name.text.clone(), id);
            }
        }
        StmtClass::Variable(decl) => {
            for (name, _) in decl.names.iter().filter(|(n, _)| !n.is_blank()) {
                add_global(symbols, module, file, name, decl.constant, private);
            }
        }
        // The checker reports them (E2056).
        StmtClass::Compound(_) | StmtClass::Simple => {}
    }
}

/// The name of a module other than the main one.
fn qualifier(symbols: &Symbols, module: usize) -> Option<Rc<str>> {
    symbols.modules.get(module).filter(|_| module > 0).map(|module| module.name.clone())
}

fn add_type(symbols: &mut Symbols, module: usize, name: &Name, sym: TypeSym) {
    if let Some(owner) = symbols.modules.get_mut(module) {
        owner.types.insert(name.text.clone(), Rc::new(sym));
    }
}

fn add_global(symbols: &mut Symbols, module: usize, file: usize, name: &Name, constant: bool, private: bool) {
    let id = GlobalId(symbols.globals.len() as u32);
    symbols.globals.push(GlobalSym {
        name: name.text.clone(),
        module,
        file,
        private,
        constant,
        span: name.span,
        ty: OnceCell::new(),
        boxed: Cell::new(false),
    });
    if let Some(owner) = symbols.modules.get_mut(module) {
        owner.globals.insert(name.text.clone(), id);
    }
}
