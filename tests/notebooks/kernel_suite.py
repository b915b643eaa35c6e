import unittest
import jupyter_kernel_test


class EzKernelTests(jupyter_kernel_test.KernelTests):
    kernel_name = "ez"
    language_name = "ez"
    file_extension = ".ez"
    code_hello_world = 'println("hello, world")'
    code_stderr = 'eprintln("test")'
    completion_samples = [
        {"text": "printl", "matches": {"println"}},
        {"text": "temp number int = 1\nnumb", "matches": {"number"}},
    ]
    complete_code_samples = ["1", 'println("hello, world")', "do f(x int) -> int {\n    return x * 2\n}"]
    incomplete_code_samples = ["do f(x int) -> int {", 'println("a",', "/* text", "1 +"]
    invalid_code_samples = ["}", "1 + )"]
    code_generate_error = "1 / 0"
    code_execute_result = [
        {"code": "6 * 7", "result": "42"},
        {"code": '"a" + "b"', "result": '"ab"'},
        {"code": '{{"a": 1}, {"a": 2}}', "mime": "text/html"},
    ]
    code_history_pattern = "6?*7"
    supported_history_operations = ("tail", "range", "search")
    code_inspect_sample = "println"


if __name__ == "__main__":
    unittest.main()
