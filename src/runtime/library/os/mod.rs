//! `@os`: the process, its environment and other programs.

mod command;
mod environment;

use crate::diagnostics::Code;
use crate::platform::{LINE_END, NULL_DEVICE};
use crate::value::{HostAnswer, HostRequest, Value};

use super::args::{bad, good};
use super::outside::ask;
use super::row::{constant, function};
use super::{Call, Fail, Module, Row};

/// The operating system's name.
fn platform() -> &'static str {
    match std::env::consts::OS {
        "macos" => "darwin",
        // A page has none.
        "unknown" | "" => "web",
        other => other,
    }
}

fn current() -> i64 {
    match platform() {
        "darwin" => 0,
        "linux" => 1,
        "windows" => 2,
        _ => -1,
    }
}

fn arch(call: &mut Call) -> Result<Value, Fail> {
    call.none()?;
    Ok(Value::str(match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        "x86" => "386",
        other => other,
    }))
}

fn exit(call: &mut Call) -> Result<Value, Fail> {
    call.count(0..=1, "takes 0 or 1 arguments")?;
    let status = match call.args.first() {
        None => 0,
        Some(value) => match value.as_bigint() {
            Some(number) => (number & num_bigint::BigInt::from(0xFF)).iter_u32_digits().next().unwrap_or(0),
            None => return call.wrong(Code::E7003, "requires an integer exit code"),
        },
    };
    // What was printed has to be out before the program ends.
    let _ = call.runtime.host().flush();
    Err(call.runtime.exit(status as i32))
}

fn number(call: &mut Call, request: HostRequest) -> Result<Value, Fail> {
    call.none()?;
    Ok(match ask(call, request) {
        Ok(HostAnswer::Number(number)) => Value::Int(number),
        _ => Value::Int(0),
    })
}

/// The text that the host answers, or the failure.
fn asked(call: &mut Call, request: HostRequest, code: Code, what: &str) -> Result<Value, Fail> {
    call.none()?;
    match ask(call, request) {
        Ok(HostAnswer::Text(text)) => good(text),
        Ok(_) => good(""),
        Err(error) => bad("", code, &format!("failed to get {what}: {}", error.reason)),
    }
}

pub static MODULE: Module = Module {
    name: "os",
    doc: "The process, its environment and other programs.",
    reserved_names: &[],
    outside: true,
    rows: &[
        function!("get_env" "(name string) -> (string, Error)", "The value of an environment variable.";
            { "temp _, _ = os.set_env(\"EZ_EXAMPLE\", \"1\")\nprintln(os.get_env(\"EZ_EXAMPLE\"))" => "\"1\", nil\n" };
            environment::get_env),
        function!("set_env" "(name string, value string) -> (bool, Error)",
            "Sets an environment variable for this program and the commands it runs.";
            "os.set_env(\"EZ_EXAMPLE\", \"1\")" => "true, nil"; environment::set_env),
        function!("unset_env" "(name string) -> (bool, Error)", "Removes an environment variable.";
            "os.unset_env(\"EZ_EXAMPLE\")" => "true, nil"; environment::unset_env),
        function!("env" "() -> map[string:string]", "All environment variables.";
            { "temp _, _ = os.set_env(\"EZ_EXAMPLE\", \"1\")\nprintln(os.env()[\"EZ_EXAMPLE\"])" => "1\n" };
            environment::env),
        function!("args" "() -> [string]", "The interpreter, the script and the arguments given to it.";
            { "println(os.args())" => "" }; environment::args, varying),
        function!("exit" "(status int?)", "Ends the program at once.";
            { "println(\"bye\")\nos.exit(0)" => "bye\n" }; exit),
        function!("cwd" "() -> (string, Error)", "The current directory.";
            { "temp here, e = os.cwd()\nprintln(here != \"\")" => "true\n" }; environment::cwd, unknown),
        function!("chdir" "(path string) -> (bool, Error)", "Changes the current directory.";
            "os.chdir(\".\")" => "true, nil"; environment::chdir, unknown),
        function!("hostname" "() -> (string, Error)", "The name of the machine.";
            { "println(os.hostname())" => "" };
            |call| asked(call, HostRequest::HostName, Code::E7027, "hostname"), unknown, varying),
        function!("username" "() -> (string, Error)", "The name of the user.";
            { "println(os.username())" => "" };
            |call| asked(call, HostRequest::UserName, Code::E7028, "username"), unknown, varying),
        function!("home_dir" "() -> (string, Error)", "The user's home directory.";
            { "println(os.home_dir())" => "" }; environment::home_dir, unknown, varying),
        function!("temp_dir" "() -> string", "The directory for temporary files.";
            "os.temp_dir() != \"\"" => "true"; environment::temp_dir),
        function!("pid" "() -> int", "The number of this process.";
            "os.pid() > 0" => "true"; |call| number(call, HostRequest::ProcessId)),
        function!("ppid" "() -> int", "The number of the process that started this one.";
            "os.ppid() >= 0" => "true"; |call| number(call, HostRequest::ParentId)),
        function!("platform" "() -> string", "The operating system: linux, darwin, windows.";
            { "println(os.platform())" => "" };
            |call| {
                call.none()?;
                Ok(Value::str(platform()))
            }, varying),
        function!("arch" "() -> string", "The kind of processor, such as amd64 or arm64.";
            { "println(os.arch())" => "" }; arch, varying),
        function!("is_windows" "() -> bool", "Whether the operating system is Windows.";
            { "println(os.is_windows())" => "" };
            |call| {
                call.none()?;
                Ok(Value::Bool(platform() == "windows"))
            }, varying),
        function!("is_linux" "() -> bool", "Whether the operating system is Linux.";
            { "println(os.is_linux())" => "" };
            |call| {
                call.none()?;
                Ok(Value::Bool(platform() == "linux"))
            }, varying),
        function!("is_macos" "() -> bool", "Whether the operating system is macOS.";
            { "println(os.is_macos())" => "" };
            |call| {
                call.none()?;
                Ok(Value::Bool(platform() == "darwin"))
            }, varying),
        function!("num_cpu" "() -> int", "The number of processors that the program may use.";
            "os.num_cpu() > 0" => "true"; |call| number(call, HostRequest::Processors)),
        function!("exec" "(command string) -> (int, Error)",
            "Runs a command with the shell; returns its exit status.";
            "os.exec(\"exit 0\")" => "0, nil"; command::exec),
        function!("exec_output" "(command string) -> (string, Error)",
            "Runs a command with the shell; returns what it wrote to standard output and standard error.";
            "os.exec_output(\"echo hi\")" => "\"hi\", nil"; command::exec_output),
        constant!("os", "MAC_OS", 0, "macOS as the value of CURRENT_OS.").reserved(),
        constant!("os", "LINUX", 1, "Linux as the value of CURRENT_OS.").reserved(),
        constant!("os", "WINDOWS", 2, "Windows as the value of CURRENT_OS.").reserved(),
        Row::constant(
            "CURRENT_OS",
            "() -> int",
            "The operating system: MAC_OS, LINUX, WINDOWS or -1.",
            "println(os.CURRENT_OS)",
            "",
            |_| Ok(Value::Int(current())),
        )
        .reserved()
        .varying(),
        Row::constant(
            "line_separator",
            "() -> string",
            "What ends a line.",
            "println(len(os.line_separator))",
            "1\n",
            |_| Ok(Value::str(LINE_END)),
        )
        .reserved(),
        Row::constant(
            "dev_null",
            "() -> string",
            "The path of the file that swallows everything.",
            "println(os.dev_null)",
            "/dev/null\n",
            |_| Ok(Value::str(NULL_DEVICE)),
        )
        .reserved(),
    ],
};
