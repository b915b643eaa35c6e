//! The library functions whose results EZ knows the type of before running.
//!
//! Arguments that are calls of others are not checked before running: what is wrong with them is the
//! called function's to say, with its own codes.

/// Whether EZ knows the result type of a library function.
pub(crate) fn is_known(module: &str, name: &str) -> bool {
    if module == "binary" {
        return true;
    }
    let found = KNOWN.iter().find(|(m, _)| *m == module);
    found.is_some_and(|(_, names)| names.split_whitespace().any(|n| n == name))
}

/// Whether EZ knows that a library function has several results: what it knows of the others shows
/// only when they run (chapter 06, "K" and "U").
pub(crate) fn is_known_tuple(module: &str, name: &str) -> bool {
    if module == "binary" {
        return true;
    }
    let found = KNOWN_TUPLES.iter().find(|(m, _)| *m == module);
    found.is_some_and(|(_, names)| names.split_whitespace().any(|n| n == name))
}

const KNOWN_TUPLES: &[(&str, &str)] = &[
    (
        "io",
        "read_file read_bytes read_lines write_file write_bytes append_file remove remove_dir rename \
         file_size read_dir open",
    ),
    ("os", "get_env set_env unset_env exec exec_output"),
    ("json", "encode decode pretty"),
    ("bytes", "from_hex from_base64"),
    ("db", "open get"),
    ("encoding", "base64_decode hex_decode url_decode"),
    ("http", "get delete post put patch request"),
    ("csv", "parse stringify read write headers"),
    ("regex", "match find find_all split groups find_all_n replace replace_all groups_all"),
];

const KNOWN: &[(&str, &str)] = &[
    ("std", "println print input"),
    (
        "math",
        "abs floor ceil round sqrt exp log log2 log10 sin cos tan asin acos atan pow min max avg \
         factorial random random_float",
    ),
    (
        "arrays",
        "len is_empty first last pop shift sum product min max reverse unique clear sort sort_desc \
         shuffle avg append unshift contains last_index remove_all fill get remove_at set insert \
         slice join zip concat range repeat copy sorted filter map",
    ),
    (
        "strings",
        "len to_int upper lower trim to_float to_bool contains starts_with ends_with index split join \
         replace last_index count is_empty trim_left trim_right reverse substring repeat pad_left \
         pad_right chars",
    ),
    (
        "time",
        "now now_ms tick year month day hour minute second weekday day_of_year is_leap_year format \
         sleep sleep_ms add_seconds add_minutes add_hours add_days diff make days_in_month elapsed_ms \
         add_months add_years format_date format_time",
    ),
    (
        "maps",
        "is_empty keys values clear to_array invert contains remove contains_value get set get_or_set \
         equals merge update from_array",
    ),
    (
        "io",
        "read_file read_bytes read_lines read_dir write_file append_file write_bytes append_line copy \
         expand_path path_base path_dir path_ext path_abs path_clean path_join path_separator exists \
         is_file is_dir is_symlink remove_all remove remove_dir rename mkdir mkdir_all file_size \
         file_mod_time open read read_all read_string write seek tell flush close glob walk READ_ONLY \
         WRITE_ONLY READ_WRITE APPEND CREATE TRUNCATE EXCLUSIVE SEEK_START SEEK_CURRENT SEEK_END \
         create_dir copy_file fclose fflush ftruncate feof list_dir read_stdin fread fread_line \
         fread_all temp_file temp_dir abs_path rel_path create fread_bytes fwrite fwrite_line \
         fwrite_bytes fseek ftell file_info",
    ),
    (
        "os",
        "get_env exec_output set_env unset_env env args exit cwd hostname username home_dir temp_dir \
         platform arch line_separator dev_null chdir pid ppid num_cpu MAC_OS LINUX WINDOWS CURRENT_OS \
         is_windows is_linux is_macos exec",
    ),
    ("json", "encode decode pretty is_valid"),
    ("random", "float int bool byte char choice shuffle sample"),
    (
        "bytes",
        "from_array reverse not copy zero from_string from_hex from_base64 to_string to_hex \
         to_hex_upper to_base64 to_array slice concat join trim trim_left trim_right and or xor split \
         contains equals starts_with ends_with index last_index count compare is_empty repeat fill \
         replace replace_n pad_left pad_right read_u8 read_i8 read_u16 read_u16_be read_i16 \
         read_i16_be read_u32 read_u32_be read_i32 read_i32_be read_u64 read_u64_be read_i64 \
         read_i64_be read_f32 read_f32_be read_f64 read_f64_be",
    ),
    (
        "db",
        "open close save set get remove contains keys prefix count clear sort exists update_key_name \
         ALPHA ALPHA_DESC VALUE_ALPHA VALUE_ALPHA_DESC KEY_LEN KEY_LEN_DESC VALUE_LEN VALUE_LEN_DESC \
         NUMERIC NUMERIC_DESC",
    ),
    ("uuid", "create create_compact NIL is_valid"),
    ("encoding", "base64_encode hex_encode url_encode base64_decode hex_decode url_decode"),
    ("crypto", "sha256 sha512 md5 random_bytes random_hex"),
    ("http", "get delete post put patch request"),
    ("csv", "parse stringify read write headers"),
    ("regex", "match find find_all split groups find_all_n replace replace_all groups_all"),
    (
        "server",
        "router route listen text html json code E2033 E3001 E3002 E3003 E3015 E3016 E3017 E3018 \
         E5008 E13004 W2008",
    ),
];
