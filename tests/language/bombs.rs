//! Calls whose results no memory can hold end in a run-time error or an Error, never in an abort.

#![cfg(target_os = "linux")] // Other systems do not keep programs from memory like that.

use std::os::unix::process::ExitStatusExt;
use std::process::Command;

/// A call, and what is said about it; a code alone stands for an error of the outermost function.
const BOMBS: &[(&str, &str)] = &[
    ("strings.repeat(\"x\", big)", "error[E7010]: strings.repeat() result is too large"),
    ("strings.pad_left(\"x\", 2147483647, \"é\")", "E7010"),
    ("strings.pad_right(\"x\", 2147483647)", "E7010"),
    ("strings.center(\"x\", big)", "E7010"),
    ("strings.replace(mb, \"a\", mb)", "E7010"),
    ("strings.replace(mb, \"\", mb)", "E7010"),
    ("strings.replace_n(mb, \"a\", mb, 1000000)", "E7010"),
    ("strings.join(strings.split(mb, \"\"), mb)", "E7010"),
    ("strings.split(strings.repeat(mb, 100), \"\")", "E7010"),
    ("strings.words(strings.repeat(\"a \", 100000000))", "E7010"),
    ("strings.lines(strings.repeat(\"\\n\", 200000000))", "E7010"),
    ("regex.find_all(\"a\", strings.repeat(mb, 100))", "E7010"),
    ("regex.split(\"a\", strings.repeat(mb, 100))", "E7010"),
    ("regex.groups_all(\"(a)\", strings.repeat(mb, 100))", "E7010"),
    ("csv.parse(strings.repeat(\",\", 100000000))", "E7010"),
    ("bytes.split(bytes.from_string(strings.repeat(mb, 100)), {97})", "E7010"),
    ("os.exec_output(\"yes\")", "command failed to execute: output is too large"),
    ("arrays.repeat(1, 2147483647)", "error[E7010]: arrays.repeat() result is too large"),
    ("arrays.repeat(mb, 2147483647)", "E7010"),
    ("arrays.join(arrays.repeat(1, 1000000), mb)", "E7010"),
    ("arrays.flatten(arrays.repeat(arrays.repeat(1, 100000), 100000))", "E7010"),
    ("arrays.concat(many, many, many, many, many, many)", "E7010"),
    ("bytes.repeat({1, 2}, 2147483647)", "error[E7010]: bytes.repeat() size too large"),
    ("bytes.pad_left({1}, 2147483647, 0)", "E7010"),
    ("bytes.replace(bytes.from_string(mb), {97}, bytes.from_string(mb))", "E7010"),
    ("bytes.join(arrays.repeat(bytes.from_string(mb), 1000000), {1})", "E7010"),
    ("regex.replace_all(\"a\", mb, mb)", "E7010"),
    ("regex.replace_all(\"a*\", mb, strings.repeat(`$0`, 100000))", "E7010"),
    ("json.pretty(arrays.repeat(1, 10000), mb)", "json: result is too large"),
    ("strings.insert(strings.repeat(mb, 200), 1, strings.repeat(mb, 200))", "E7010"),
    ("strings.reverse(strings.repeat(mb, 400))", "E7010"),
    ("encoding.hex_encode(strings.repeat(mb, 300))", "E7010"),
    ("arrays.chunk(many, 1)", "E7010"),
    ("arrays.zip(many, many)", "E7010"),
    ("arrays.reverse(arrays.repeat(1, 28000000))", "E7010"),
    ("random.shuffle(arrays.repeat(1, 28000000))", "E7010"),
    ("bytes.to_array(bytes.from_string(strings.repeat(mb, 100)))", "E7010"),
    ("csv.stringify({{strings.repeat(mb, 300)}})", "E7010"),
    ("json.encode(strings.repeat(\"<\", 150000000))", "json: result is too large"),
    ("json.decode(\"{\\\"code\\\":[\" + strings.repeat(\"[],\", 20000000) + \"[]]}\", Error)", "E7010"),
    ("crypto.random_bytes(2147483648)", "E7010"),
    ("crypto.random_hex(2147483647)", "E7010"),
    ("math.pow(2, big)", "E7010"),
    ("math.factorial(100000000)", "E7010"),
    ("io.read_file(\"/dev/zero\")", "io error during read: read /dev/zero: "),
    ("io.read_bytes(\"/dev/zero\")", "io error during read: read /dev/zero: "),
];

fn program(call: &str) -> String {
    let modules = [
        "strings", "arrays", "bytes", "regex", "json", "crypto", "math", "io", "csv", "os", "encoding",
        "random",
    ];
    let used = modules
        .iter()
        .filter(|name| call.contains(&format!("{name}.")) || **name == "strings" || **name == "arrays");
    let used: Vec<String> = used.map(|name| format!(", @{name}")).collect();
    let many = if call.contains("many") { "    temp many [int] = arrays.repeat(1, 20000000)\n" } else { "" };
    format!(
        "import @std{}\nusing std\n\ndo main() {{\n    temp big int = 1099511627776\n    \
         temp mb string = strings.repeat(\"a\", 1000000)\n{many}    println({call})\n}}\n",
        used.concat()
    )
}

// invariant 18
#[test]
fn results_that_cannot_be_held() {
    let directory = std::env::temp_dir().join(format!("ez-bombs-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let mut wrong = Vec::new();
    for (call, wanted) in BOMBS {
        let file = directory.join("a.ez");
        std::fs::write(&file, program(call)).unwrap();
        // Half of it is the stack's. The less there is, the sooner a call has tried to take all.
        let limited = "ulimit -v 1200000; exec \"$@\"";
        let run = Command::new("sh")
            .args(["-c", limited, "sh", env!("CARGO_BIN_EXE_ez")])
            .arg(&file)
            .output()
            .unwrap();
        let said =
            format!("{}{}", String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
        let wanted = match call.split_once('(') {
            Some((function, _)) if *wanted == "E7010" => format!("error[E7010]: {function}() "),
            _ => wanted.to_string(),
        };
        if !said.contains(&wanted) || run.status.signal().is_some() {
            wrong.push(format!("{call}: {:?} {}", run.status, said.chars().take(200).collect::<String>()));
        }
    }
    let _ = std::fs::remove_dir_all(&directory);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_stack_that_cannot_be_held() {
    let limited = "ulimit -v 300000; exec \"$@\"";
    let run =
        Command::new("sh").args(["-c", limited, "sh", env!("CARGO_BIN_EXE_ez"), "version"]).output().unwrap();
    assert_eq!(
        String::from_utf8_lossy(&run.stderr),
        "Error: there is not enough memory: 600 MiB of address space are needed\n"
    );
    assert_eq!(run.status.code(), Some(1));
}
