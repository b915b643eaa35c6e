//! `@io`: files, directories and paths.

mod files;
mod find;
mod handles;
mod paths;

use crate::value::{FileKind, Value};

use super::Module;
use super::row::{constant, function};

pub(super) use files::contents;

pub static MODULE: Module = Module {
    name: "io",
    doc: "Files, directories and paths.",
    reserved_names: &[],
    outside: true,
    rows: &[
        function!("read_file" "(path string) -> (string, Error)", "The text of a file.";
            { "temp _, _ = io.write_file(\"ez_example.txt\", \"one\\ntwo\\n\")\nprintln(io.read_file(\"ez_example.txt\"))\ntemp _, _ = io.remove(\"ez_example.txt\")" => "\"one\\ntwo\\n\", nil\n" };
            files::read_file),
        function!("read_bytes" "(path string) -> ([byte], Error)", "The bytes of a file.";
            { "temp _, _ = io.write_file(\"ez_example.txt\", \"one\\ntwo\\n\")\ntemp b, e = io.read_bytes(\"ez_example.txt\")\nprintln(len(b))\ntemp _, _ = io.remove(\"ez_example.txt\")" => "8\n" };
            files::read_bytes),
        function!("read_lines" "(path string) -> ([string], Error)", "The lines of a file.";
            { "temp _, _ = io.write_file(\"ez_example.txt\", \"one\\ntwo\\n\")\nprintln(io.read_lines(\"ez_example.txt\"))\ntemp _, _ = io.remove(\"ez_example.txt\")" => "{\"one\", \"two\"}, nil\n" };
            files::read_lines),
        function!("write_file" "(path string, content string, perms int?) -> (bool, Error)",
            "Replaces (or creates) a file with the text. It is always a new file: it has the permissions `perms` (0644); a symbolic link is replaced by a file, and its target is not changed. A reader of the file sees either the old contents or the new ones, never a part of them.";
            { "temp _, _ = io.write_file(\"ez_example.txt\", \"one\\ntwo\\n\")\nprintln(io.exists(\"ez_example.txt\"))\ntemp _, _ = io.remove(\"ez_example.txt\")" => "true\n" };
            files::write_file),
        function!("write_bytes" "(path string, data [any], perms int?) -> (bool, Error)",
            "Replaces (or creates) a file with the bytes, like `io.write_file`.";
            { "println(io.write_bytes(\"ez_example.bin\", bytes.from_string(\"hi\")))\ntemp _, _ = io.remove(\"ez_example.bin\")" => "true, nil\n" };
            files::write_bytes),
        function!("append_file" "(path string, content string, perms int?) -> (bool, Error)",
            "Adds the text to a file.";
            { "temp _, _ = io.write_file(\"ez_example.txt\", \"one\\ntwo\\n\")\nprintln(io.append_file(\"ez_example.txt\", \"three\"))\ntemp _, _ = io.remove(\"ez_example.txt\")" => "true, nil\n" };
            files::append_file),
        function!("append_line" "(path string, line string, perms int?) -> (bool, Error)",
            "Adds a line to a file.";
            { "temp _, _ = io.write_file(\"ez_example.txt\", \"one\\ntwo\\n\")\nprintln(io.append_line(\"ez_example.txt\", \"three\"))\ntemp _, _ = io.remove(\"ez_example.txt\")" => "true, nil\n" };
            files::append_line, unknown),
        function!("exists" "(path string) -> bool", "Whether there is a file or directory at the path.";
            "io.exists(\".\")" => "true"; |call| files::is(call, None)),
        function!("is_file" "(path string) -> bool", "Whether there is a regular file at the path.";
            "io.is_file(\".\")" => "false"; |call| files::is(call, Some(FileKind::File))),
        function!("is_dir" "(path string) -> bool", "Whether there is a directory at the path.";
            "io.is_dir(\".\")" => "true"; |call| files::is(call, Some(FileKind::Directory))),
        function!("is_symlink" "(path string) -> bool", "Whether there is a symbolic link at the path.";
            "io.is_symlink(\".\")" => "false"; |call| files::is(call, Some(FileKind::Link))),
        function!("file_size" "(path string) -> (int, Error)", "The size of a file in bytes.";
            { "temp _, _ = io.write_file(\"ez_example.txt\", \"one\\ntwo\\n\")\nprintln(io.file_size(\"ez_example.txt\"))\ntemp _, _ = io.remove(\"ez_example.txt\")" => "8, nil\n" };
            files::file_size),
        function!("file_mod_time" "(path string) -> (int, Error)",
            "The time of the last change of a file, in seconds since 1970.";
            { "temp _, _ = io.write_file(\"ez_example.txt\", \"one\\ntwo\\n\")\ntemp t, e = io.file_mod_time(\"ez_example.txt\")\nprintln(t > 0)\ntemp _, _ = io.remove(\"ez_example.txt\")" => "true\n" };
            files::file_mod_time, unknown),
        function!("remove" "(path string) -> (bool, Error)", "Removes a file.";
            { "temp _, _ = io.write_file(\"ez_example.txt\", \"one\\ntwo\\n\")\nprintln(io.remove(\"ez_example.txt\"))\ntemp _, _ = io.remove(\"ez_example.txt\")" => "true, nil\n" };
            files::remove),
        function!("remove_dir" "(path string) -> (bool, Error)", "Removes an empty directory.";
            { "temp _, _ = io.mkdir(\"ez_example\")\nprintln(io.remove_dir(\"ez_example\"))" => "true, nil\n" };
            files::remove_dir),
        function!("remove_all" "(path string) -> (bool, Error)",
            "Removes a file, or a directory with everything in it.";
            { "temp _, _ = io.mkdir_all(\"ez_example/a/b\")\nprintln(io.remove_all(\"ez_example\"))" => "true, nil\n" };
            files::remove_all, unknown),
        function!("rename" "(old_path string, new_path string) -> (bool, Error)", "Renames a file.";
            { "temp _, _ = io.write_file(\"ez_example.txt\", \"one\\ntwo\\n\")\nprintln(io.rename(\"ez_example.txt\", \"ez_other.txt\"))\ntemp _, _ = io.remove(\"ez_other.txt\")\ntemp _, _ = io.remove(\"ez_example.txt\")" => "true, nil\n" };
            files::rename),
        function!("copy" "(source string, destination string, perms int?) -> (bool, Error)",
            "Copies the contents of a file.";
            { "temp _, _ = io.write_file(\"ez_example.txt\", \"one\\ntwo\\n\")\nprintln(io.copy(\"ez_example.txt\", \"ez_other.txt\"))\ntemp _, _ = io.remove(\"ez_other.txt\")\ntemp _, _ = io.remove(\"ez_example.txt\")" => "true, nil\n" };
            files::copy, unknown),
        function!("mkdir" "(path string, perms int?) -> (bool, Error)", "Creates a directory.";
            { "println(io.mkdir(\"ez_example\"))\ntemp _, _ = io.remove_dir(\"ez_example\")" => "true, nil\n" };
            |call| files::make_directory(call, false), unknown),
        function!("mkdir_all" "(path string, perms int?) -> (bool, Error)",
            "Creates a directory and the directories that contain it.";
            { "println(io.mkdir_all(\"ez_example/a\"))\ntemp _, _ = io.remove_all(\"ez_example\")" => "true, nil\n" };
            |call| files::make_directory(call, true), unknown),
        function!("read_dir" "(path string) -> ([string], Error)",
            "The names in a directory, sorted. In a name that is not UTF-8, each byte that is not part of a character is represented by one of the characters U+EF80 to U+EFFF, with which the file can be opened.";
            { "temp _, _ = io.mkdir_all(\"ez_example/a\")\nprintln(io.read_dir(\"ez_example\"))\ntemp _, _ = io.remove_all(\"ez_example\")" => "{\"a\"}, nil\n" };
            files::read_dir),
        function!("walk" "(directory string) -> ([string], Error)",
            "The paths of all files in a directory and in the directories below it.";
            { "temp _, _ = io.mkdir_all(\"ez_example/a\")\ntemp _, _ = io.write_file(\"ez_example/a/b.txt\", \"\")\nprintln(io.walk(\"ez_example\"))\ntemp _, _ = io.remove_all(\"ez_example\")" => "{\"ez_example/a/b.txt\"}, nil\n" };
            find::walk, unknown),
        function!("glob" "(pattern string) -> ([string], Error)", "The paths that match a pattern.";
            { "temp _, _ = io.write_file(\"ez_example.txt\", \"one\\ntwo\\n\")\nprintln(io.glob(\"ez_exam*.txt\"))\ntemp _, _ = io.remove(\"ez_example.txt\")" => "{\"ez_example.txt\"}, nil\n" };
            find::glob, unknown),
        function!("path_join" "(part string, more string...) -> string", "The parts joined to one path.";
            "io.path_join(\"a\", \"b\", \"../c\")" => "a/c"; paths::path_join),
        function!("path_base" "(path string) -> string", "The last part of a path.";
            "io.path_base(\"a/b.txt\")" => "b.txt"; paths::path_base),
        function!("path_dir" "(path string) -> string", "Everything but the last part of a path.";
            "io.path_dir(\"a/b.txt\")" => "a"; paths::path_dir),
        function!("path_ext" "(path string) -> string", "The extension of a path's last part, with the dot.";
            "io.path_ext(\"a/b.txt\")" => ".txt"; paths::path_ext),
        function!("path_clean" "(path string) -> string", "The shortest equivalent path.";
            "io.path_clean(\"a//b/../c/\")" => "a/c"; paths::path_clean),
        function!("path_abs" "(path string) -> (string, Error)", "The absolute path.";
            "io.path_abs(\"/a/../b\")" => "\"/b\", nil"; paths::path_abs, unknown),
        function!("expand_path" "(path string) -> any",
            "The path, in which a leading ~ is replaced by the home directory.";
            "io.expand_path(\"a/../b\")" => "b"; paths::expand_path),
        function!("path_separator" "() -> string", "The separator of the parts of a path.";
        "io.path_separator()" => "/";
        |call| {
            call.none()?;
            Ok(Value::str("/"))
        }),
        function!("open" "(path string, mode int?, perms int?) -> (File, Error)",
            "Opens a file for reading, or with the mode, which is a sum of constants.";
            { "temp _, _ = io.write_file(\"ez_example.txt\", \"one\\ntwo\\n\")\ntemp f, e = io.open(\"ez_example.txt\")\nprintln(f)\ntemp _, _ = io.close(f)\ntemp _, _ = io.remove(\"ez_example.txt\")" => "<FileHandle ez_example.txt>\n" };
            handles::open),
        function!("read" "(handle any, count int) -> ([byte], Error)",
            "Up to that many bytes from an open file.";
            { "temp _, _ = io.write_file(\"ez_example.txt\", \"one\\ntwo\\n\")\ntemp f, e = io.open(\"ez_example.txt\")\nprintln(io.read(f, 3))\ntemp _, _ = io.close(f)\ntemp _, _ = io.remove(\"ez_example.txt\")" => "{111, 110, 101}, nil\n" };
            handles::read, unknown),
        function!("read_string" "(handle any, count int) -> (string, Error)",
            "Up to that many bytes from an open file, as text.";
            { "temp _, _ = io.write_file(\"ez_example.txt\", \"one\\ntwo\\n\")\ntemp f, e = io.open(\"ez_example.txt\")\nprintln(io.read_string(f, 3))\ntemp _, _ = io.close(f)\ntemp _, _ = io.remove(\"ez_example.txt\")" => "\"one\", nil\n" };
            handles::read_string, unknown),
        function!("read_all" "(handle any) -> ([byte], Error)", "The rest of an open file.";
            { "temp _, _ = io.write_file(\"ez_example.txt\", \"one\\ntwo\\n\")\ntemp f, e = io.open(\"ez_example.txt\")\ntemp b, e2 = io.read_all(f)\nprintln(len(b))\ntemp _, _ = io.close(f)\ntemp _, _ = io.remove(\"ez_example.txt\")" => "8\n" };
            handles::read_all, unknown),
        function!("write" "(handle any, data any) -> (int, Error)",
            "Writes a text or bytes to an open file; returns the number of bytes.";
            { "temp _, _ = io.write_file(\"ez_example.txt\", \"one\\ntwo\\n\")\ntemp f, e = io.open(\"ez_example.txt\", io.WRITE_ONLY)\nprintln(io.write(f, \"hi\"))\ntemp _, _ = io.close(f)\ntemp _, _ = io.remove(\"ez_example.txt\")" => "2, nil\n" };
            handles::write, unknown),
        function!("seek" "(handle any, offset int, whence int) -> (int, Error)",
            "Changes the position in an open file, relative to its start, the current position or its end.";
            { "temp _, _ = io.write_file(\"ez_example.txt\", \"one\\ntwo\\n\")\ntemp f, e = io.open(\"ez_example.txt\")\nprintln(io.seek(f, 4, io.SEEK_START))\ntemp _, _ = io.close(f)\ntemp _, _ = io.remove(\"ez_example.txt\")" => "4, nil\n" };
            handles::seek, unknown),
        function!("tell" "(handle any) -> (int, Error)", "The position in an open file.";
            { "temp _, _ = io.write_file(\"ez_example.txt\", \"one\\ntwo\\n\")\ntemp f, e = io.open(\"ez_example.txt\")\nprintln(io.tell(f))\ntemp _, _ = io.close(f)\ntemp _, _ = io.remove(\"ez_example.txt\")" => "0, nil\n" };
            handles::tell, unknown),
        function!("flush" "(handle any) -> (bool, Error)", "Writes buffered data of an open file to disk.";
            { "temp _, _ = io.write_file(\"ez_example.txt\", \"one\\ntwo\\n\")\ntemp f, e = io.open(\"ez_example.txt\")\nprintln(io.flush(f))\ntemp _, _ = io.close(f)\ntemp _, _ = io.remove(\"ez_example.txt\")" => "true, nil\n" };
            handles::flush, unknown),
        function!("close" "(handle any) -> (bool, Error)", "Closes an open file.";
            { "temp _, _ = io.write_file(\"ez_example.txt\", \"one\\ntwo\\n\")\ntemp f, e = io.open(\"ez_example.txt\")\nprintln(io.close(f))\ntemp _, _ = io.close(f)\ntemp _, _ = io.remove(\"ez_example.txt\")" => "true, nil\n" };
            handles::close, unknown),
        constant!("io", "READ_ONLY", 0, "Mode of open: to read.").reserved(),
        constant!("io", "WRITE_ONLY", 1, "Mode of open: to write.").reserved(),
        constant!("io", "READ_WRITE", 2, "Mode of open: to read and write.").reserved(),
        constant!("io", "APPEND", 1024, "Mode of open: to write at the end.").reserved(),
        constant!("io", "CREATE", 64, "Mode of open: make the file if it is missing.").reserved(),
        constant!("io", "TRUNCATE", 512, "Mode of open: empty the file.").reserved(),
        constant!("io", "EXCLUSIVE", 128, "Mode of open: fail if the file is there.").reserved(),
        constant!("io", "SEEK_START", 0, "For seek: from the start.").reserved(),
        constant!("io", "SEEK_CURRENT", 1, "For seek: from the present place.").reserved(),
        constant!("io", "SEEK_END", 2, "For seek: from the end.").reserved(),
    ],
};
