//! Variables named like something else: E4012–E4015, W2007 (chapter 03 §3.4).

use crate::diagnostics::Code;
use crate::syntax::ast::Name;
use crate::value::Type;

use super::checker::Checker;
use super::symbols::ModuleRef;

impl Checker<'_> {
    /// Checks the name of a local variable.
    pub fn local_shadowing(&mut self, name: &Name) {
        if name.is_blank() {
            return;
        }
        let text = &name.text;
        self.type_shadowing(name);
        if self.module().is_some_and(|m| m.funcs.contains_key(text)) {
            self.shadows_function(name);
        }
        let global = self.module().and_then(|m| m.globals.get(text)).is_some();
        if global {
            let message = format!("variable '{text}' shadows global variable/constant of the same name");
            self.report(Code::W2007, name.span, message);
        }
        self.module_shadowing(name);
    }

    /// Checks the name of a global variable.
    pub fn global_shadowing(&mut self, name: &Name) {
        self.type_shadowing(name);
        // In its own file a function of this name is a duplicate, which the parser reports.
        let function = self.module().and_then(|m| m.funcs.get(&name.text)).and_then(|id| self.syms.func(*id));
        if function.is_some_and(|f| f.file != self.file) {
            self.shadows_function(name);
        }
        self.module_shadowing(name);
    }

    fn type_shadowing(&mut self, name: &Name) {
        let text = &name.text;
        let own = self.module().and_then(|m| m.types.get(text)).map(|t| t.is_enum());
        let is_enum = match own {
            Some(is_enum) => is_enum,
            None if matches!(crate::value::builtin::struct_type(text), Some(Type::Struct(_))) => false,
            None => return,
        };
        let what = if is_enum { "enum" } else { "struct" };
        self.report(
            Code::E4012,
            name.span,
            format!("variable '{text}' shadows {what} type of the same name"),
        );
    }

    fn shadows_function(&mut self, name: &Name) {
        let message = format!("variable '{}' shadows function of the same name", name.text);
        self.report(Code::E4013, name.span, message);
    }

    fn module_shadowing(&mut self, name: &Name) {
        let text = &name.text;
        if self.file_sym().is_some_and(|f| f.import(text).is_some_and(|i| !i.borrowed)) {
            let message = format!("variable '{text}' shadows imported module of the same name");
            self.report(Code::E4014, name.span, message);
        }
        for used in self.usings() {
            let has = match &used.module {
                ModuleRef::Library(module) => listed(module.name, text),
                ModuleRef::User(index) => {
                    self.syms.modules.get(*index).is_some_and(|m| m.funcs.contains_key(text))
                }
                ModuleRef::Failed(_) => false,
            };
            if has {
                let message =
                    format!("variable '{text}' shadows function '{}.{text}' from used module", used.alias);
                self.report(Code::E4015, name.span, message);
                return;
            }
        }
    }
}

impl Checker<'_> {
    /// Whether EZ takes the name for a function of a used library module.
    pub fn is_listed(&self, name: &str) -> bool {
        self.usings().iter().any(|used| match &used.module {
            ModuleRef::Library(module) => listed(module.name, name),
            _ => false,
        })
    }
}

/// Whether EZ's list of a module's names has this one. These lists are not quite what the modules
/// offer; programs depend on them for which variable names they may use.
fn listed(module: &str, name: &str) -> bool {
    if module == "binary" {
        return binary_name(name);
    }
    let found = LISTS.iter().find(|(m, _)| *m == module);
    found.is_some_and(|(_, names)| names.split_whitespace().any(|n| n == name))
}

fn binary_name(name: &str) -> bool {
    let Some(rest) = name.strip_prefix("encode_").or_else(|| name.strip_prefix("decode_")) else {
        return false;
    };
    if matches!(rest, "i8" | "u8") {
        return true;
    }
    let link = if name.starts_with("encode_") { "_to_" } else { "_from_" };
    let Some((ty, order)) = rest.split_once(link) else { return false };
    let types = "i16 u16 i32 u32 i64 u64 i128 u128 i256 u256 f32 f64";
    types.split_whitespace().any(|t| t == ty) && matches!(order, "little_endian" | "big_endian")
}

const LISTS: &[(&str, &str)] = &[
    ("std", "println print"),
    (
        "math",
        "add sub mul div mod abs sign neg floor ceil round trunc sqrt cbrt exp exp2 log log2 log10 sin cos tan \
         asin acos atan sinh cosh tanh pow hypot atan2 gcd lcm deg_to_rad rad_to_deg min max sum avg clamp lerp \
         map_range distance factorial is_prime is_even is_odd random random_float pi e phi sqrt2 ln2 ln10",
    ),
    (
        "arrays",
        "len is_empty first last pop shift clear copy reverse sort sort_desc shuffle unique duplicates flatten \
         sum product min max avg all_equal append unshift contains last_index count remove remove_all fill get \
         remove_at take drop set insert slice join zip concat range repeat",
    ),
    (
        "strings",
        "len upper lower trim contains starts_with ends_with index split join replace to_int to_float to_bool",
    ),
    (
        "time",
        "now now_ms now_ns tick timezone utc_offset year month day hour minute second weekday weekday_name \
         month_name day_of_year is_leap_year start_of_day end_of_day start_of_month end_of_month start_of_year \
         end_of_year iso date clock format parse sleep sleep_ms add_seconds add_minutes add_hours add_days diff \
         diff_days is_before is_after make days_in_month elapsed_ms from_unix from_unix_ms to_unix to_unix_ms \
         is_weekend is_weekday is_today is_same_day relative",
    ),
    (
        "maps",
        "len is_empty keys values clear to_array invert contains remove contains_value get set get_or_set merge \
         copy",
    ),
    (
        "io",
        "read_file read_bytes read_lines write_file write_bytes append_file append_line expand_path path_join \
         path_base path_dir path_ext path_abs path_clean path_separator exists is_file is_dir is_symlink remove \
         remove_dir remove_all rename copy mkdir mkdir_all read_dir file_size file_mod_time open read read_all \
         read_string write seek tell flush close glob walk READ_ONLY WRITE_ONLY READ_WRITE APPEND CREATE \
         TRUNCATE EXCLUSIVE SEEK_START SEEK_CURRENT SEEK_END",
    ),
    (
        "os",
        "get_env set_env unset_env env args exit cwd chdir hostname username home_dir temp_dir pid ppid platform \
         arch is_windows is_linux is_macos num_cpu line_separator dev_null exec exec_output MAC_OS LINUX WINDOWS \
         CURRENT_OS",
    ),
    ("random", "float int bool byte char choice shuffle sample"),
    ("json", "encode decode pretty is_valid"),
    (
        "bytes",
        "from_array from_string from_hex from_base64 to_string to_array to_hex to_hex_upper to_base64 slice \
         concat join split contains index last_index count compare equals is_empty starts_with ends_with reverse \
         repeat replace replace_n trim trim_left trim_right pad_left pad_right and or xor not fill copy zero",
    ),
    ("db", "open close save set get remove contains keys prefix count clear"),
    ("uuid", "create create_compact NIL is_valid"),
    ("encoding", "base64_encode hex_encode url_encode base64_decode hex_decode url_decode"),
    ("crypto", "sha256 sha512 md5 random_hex random_bytes"),
    ("http", "get post put delete patch request build_query json_body"),
    ("server", "router route listen text json html"),
];
