//! Calls of library functions whose results depend on their arguments alone, or on the host's random bits.
//!
//! In a template, `$i` stands for a small number, `$I` for an integer, `$f` a float, `$b` a bool, `$c` a char,
//! `$s` a string, `$a` an `[int]`, `$t` a `[string]`, `$y` a `[byte]`, `$m` a `map[string:int]`.

use super::Generator;
use super::types::{INT, Ty};

pub const INTS: &[&str] = &[
    "len($s)",
    "len($a)",
    "arrays.sum($a)",
    "arrays.last_index($a, $I)",
    "strings.index($s, $s)",
    "strings.count($s, $s)",
    "len(strings.split($s, $s))",
    "math.gcd($I, $I)",
    "math.factorial($i)",
    "math.floor($f)",
    "math.mod($I, 1 + $i)",
    "math.abs($I)",
    "int(math.pow(2, $i))",
    "bytes.count($y, $y)",
    "strings.to_int(string($I))",
    "maps.get($m, $s, $I)",
    "time.year(math.mod($I, 1000000000))",
    "time.days_in_month(2000 + $i, 1 + $i)",
    "time.make(2000 + $i, $i, $i)",
    "strings.compare($s, $s)",
    "random.int(1 + $i)",
];

pub const STRINGS: &[&str] = &[
    "string($I)",
    "strings.upper($s)",
    "strings.trim($s)",
    "strings.repeat($s, $i)",
    "strings.replace($s, $s, $s)",
    "strings.join($t, $s)",
    "arrays.join($a, $s)",
    "strings.reverse($s)",
    "strings.slice($s, $i)",
    "strings.pad_left($s, $i, $s)",
    "strings.center($s, $i)",
    "strings.insert($s, $i, $s)",
    "strings.truncate($s, $i, $s)",
    "strings.title($s)",
    "strings.from_chars(strings.chars($s))",
    "encoding.hex_encode($s)",
    "encoding.base64_encode($s)",
    "encoding.url_encode($s)",
    "crypto.sha256($s)",
    "crypto.md5($s)",
    "bytes.to_hex($y)",
    "bytes.to_base64($y)",
    "time.iso(math.mod($I, 100000))",
    "time.format(\"YYYY-MM-DD HH:mm\", math.mod($I, 100000))",
    "io.path_join(\"a\", $s)",
    "typeof($a)",
    "typeof($m)",
    "string($f)",
];

pub const FLOATS: &[&str] = &[
    "math.sqrt(math.abs($f))",
    "float($I)",
    "math.sin($f)",
    "math.avg($f, $I)",
    "math.atan($f)",
    "math.exp(math.sin($f))",
    "arrays.avg({$I, $I})",
];

pub const BOOLS: &[&str] = &[
    "strings.contains($s, $s)",
    "strings.starts_with($s, $s)",
    "arrays.contains($a, $I)",
    "arrays.is_empty($a)",
    "maps.contains($m, $s)",
    "maps.is_empty($m)",
    "bytes.equals($y, $y)",
    "json.is_valid($s)",
    "uuid.is_valid($s)",
    "time.is_leap_year($i)",
    "time.is_before($I, $I)",
    "strings.is_empty($s)",
];

pub const INT_ARRAYS: &[&str] = &[
    "arrays.reverse($a)",
    "arrays.slice($a, $i)",
    "arrays.slice($a, $i, $i)",
    "arrays.unique($a)",
    "arrays.concat($a, $a)",
    "arrays.repeat($I, $i)",
    "maps.values($m)",
    "bytes.to_array($y)",
    "copy($a)",
];

pub const STRING_ARRAYS: &[&str] =
    &["strings.split($s, $s)", "maps.keys($m)", "arrays.reverse($t)", "arrays.concat($t, $t)"];

pub const BYTE_ARRAYS: &[&str] = &[
    "bytes.from_string($s)",
    "bytes.reverse($y)",
    "bytes.slice($y, 0, math.min($i, len($y)))",
    "bytes.concat($y, $y)",
    "bytes.not($y)",
    "bytes.replace($y, $y, $y)",
];

/// Of any type, to be shown only: what the checker knows of them is little, or not what they give.
pub const SHOWN: &[&str] = &[
    "arrays.chunk($a, 1 + $i)",
    "arrays.zip($a, $a)",
    "arrays.flatten({$a, $a})",
    "arrays.take($a, $i)",
    "arrays.duplicates($a)",
    "arrays.equals($a, $a)",
    "maps.invert($m)",
    "maps.to_array($m)",
    "maps.merge($m, $m)",
    "strings.lines($s)",
    "strings.words($s)",
    "strings.capitalize($s)",
    "math.is_prime($I)",
    "math.lcm($I, $I)",
    "math.round($f)",
    "math.hypot($f, $f)",
    "math.clamp($I, $i, $i)",
    "time.week_of_year(math.mod($I, 1000000000))",
    "range($i, 9)",
    "error($s)",
    "{$a, $a}",
    "json.encode($m)",
    "json.encode($a)",
    "json.pretty($t, $s)",
    "csv.stringify({$t, $t})",
    "csv.parse($s)",
    "regex.find_all(\"[a-c]+\", $s)",
    "regex.replace_all(\"[aeiou]\", $s, $s)",
    "regex.match($s, $s)",
    "encoding.url_decode($s)",
    "bytes.from_hex($s)",
    "binary.encode_i32_to_little_endian(math.mod($I, 1000))",
    "binary.decode_u16_from_big_endian($y)",
    "io.read_file(\"no such file\")",
];

/// Changes of an array of integers; `@` is the array.
pub const ARRAY_CHANGES: &[&str] = &[
    "arrays.append(@, $I)",
    "arrays.unshift(@, $I)",
    "arrays.insert(@, 0, $I)",
    "arrays.sort(@)",
    "arrays.sort_desc(@)",
    "arrays.fill(@, $I)",
    "arrays.remove_all(@, $I)",
    "arrays.remove_value(@, $I)",
    "arrays.append(@, $I, $I)",
    "arrays.clear(@)",
];

/// Modules that programs use.
pub const MODULES: &[&str] = &[
    "arrays", "strings", "maps", "math", "bytes", "encoding", "crypto", "time", "json", "csv", "regex",
    "uuid", "binary", "io", "random",
];

impl Generator {
    /// A template with expressions in it.
    pub fn template(&mut self, template: &str, depth: usize) -> String {
        let mut text = String::new();
        let mut rest = template.chars();
        while let Some(c) = rest.next() {
            if c != '$' {
                text.push(c);
                continue;
            }
            let ty = match rest.next() {
                Some('I') => INT,
                Some('s') => Ty::Str,
                Some('f') => Ty::Float("float"),
                Some('b') => Ty::Bool,
                Some('c') => Ty::Char,
                Some('a') => Ty::array(INT),
                Some('t') => Ty::array(Ty::Str),
                Some('y') => Ty::array(Ty::Byte),
                Some('m') => Ty::map(Ty::Str, INT),
                _ => {
                    text.push_str(&self.choices.below(7).to_string());
                    continue;
                }
            };
            let argument = self.expression(&ty, depth);
            text.push_str(&argument);
        }
        text
    }

    /// A call of one of some templates.
    pub fn library(&mut self, templates: &[&str], depth: usize) -> String {
        let template = *self.choices.pick(templates);
        self.template(template, depth)
    }
}
