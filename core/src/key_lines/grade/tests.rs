//! The table by example, with lines as programs of many kinds print them.

use super::*;
use crate::key_lines::Grade::{Faint, Message, Strong, Weak};
use crate::key_lines::Kinds;

#[track_caller]
fn assert_grades(expected: Option<Grade>, lines: &[&str]) {
    for line in lines {
        let mut kinds = Kinds::new(30_000);
        kinds.push(line);
        kinds.finish();
        let grade = kinds.kinds().first().map(|kind| kind.grade);
        assert_eq!(grade, expected, "{line}");
    }
}

#[test]
fn reports_are_strong() {
    assert_grades(
        Some(Strong),
        &[
            "error: could not compile `a`",
            "error[E0308]: mismatched types",
            "src/a.c:3:5: error: unknown type name 'x'",
            "src/a.ts(324,36): error TS2552: Cannot find name 'b'",
            "Program.cs(5,13): error CS0103: The name 'x' does not exist",
            "  1:63  error  'x' is not defined  no-undef",
            "│ Error: Invalid reference",
            "CMake Error at CMakeLists.txt:3 (find_package):",
            "check-toml.............................................Failed",
            "checking the tree ... failed",
            "    refunds: merge_settles_pending...*failed*",
            "1764: Denied PUBLISH from collector",
            "Expecting property name enclosed in double quotes: line 13",
            "WARNING: child 3 said into stderr: \"PHP Fatal error:  Allowed memory size exhausted\"",
            "ERROR 1064 (42000) at line 1: You have an error",
            "[ERROR] Failed to execute goal",
            "2026-11-23 10:00:00,123 ERROR   etl.load row 2210 rejected",
            "ValueError: could not convert string to float: '12,5'",
            "sqlalchemy.exc.OperationalError: (sqlite3.OperationalError) no column",
            "Exception in thread \"main\" java.lang.NullPointerException",
            "thread 'main' (17920) panicked at src/main.rs:41:5:",
            "panic: runtime error: index out of range",
            "fatal: not a git repository",
            "h.cpp:4:10: fatal error: a.hpp: No such file or directory",
            "not ok 8 - adds",
            "--- FAIL: TestTitle (0.00s)",
            "FAIL\tstrings\t3.042s",
            "Parse error near line 3: no such column: x",
            "a.py:3:9: invalid-syntax: Expected an indented block",
            "test tests::parse ... FAILED",
            "[  FAILED  ] Fee7.OfAmount3 (0 ms)",
            "a.cpp:183: Failure",
            "#   Failed test 'camelize'",
            "FAILURE: Build failed with an exception.",
            "make: *** [Makefile:3: all] Error 1",
            "  ✗ adds two numbers",
            "✖ 11662 problems (1631 errors, 10031 warnings)",
            "E       assert 0.5 == 0.3",
            "/usr/bin/ld: a.o: undefined reference to `b'",
            "CONFLICT (content): Merge conflict in a.py",
            "bash: line 1: foo: command not found",
            "du: cannot access 'missing': No such file or directory",
            "E: Unable to locate package foo",
            "Program received signal SIGSEGV, Segmentation fault.",
            "==30726== Invalid read of size 1",
            "a.py:54:6: E999 SyntaxError: invalid syntax",
            "bo/a.py:68:0: E0401: Unable to import 'b' (import-error)",
            "p/b.go:2:8: imported and not used: \"os\"",
            "psql:a.sql:475: ERROR:  null value in column \"email\" violates not-null constraint",
            "{\"Action\":\"output\",\"Output\":\"--- FAIL: TestTitle (0.00s)\\n\"}",
            "    box of 71 weighs 213, not 5 (RuntimeError)",
            "m.py:1: unused import 'os' (90% confidence)",
            "d.md:2 error MD032/blanks-around-lists Lists should be surrounded by blank lines",
            "run.zsh:2: division by zero",
            "2026/11/23 23:31:24 [emerg] 10734#10734: unknown directive \"proxy_pas\" in a.conf:45",
            "Missing argument in printf at a.pl line 3.",
            "Aborted with 3 warnings in strict mode!",
            "The process ended with exit status 2.",
            "error: process exited with code 101",
            "x.c: out of memory while reading",
            "zsh: bad pattern: *.(x",
            "Load key \"id\": bad permissions",
            " ! [remote rejected] feature -> feature (permission denied)",
            "\t* failed to create the resource: namespaces \"x\" not found",
            " * ERROR: sshd failed to start",
            "usb 1-1: device descriptor read/64, error -71",
            "    assertion `left == right` failed",
            "1/3 Test #1: t_a ..............................***Failed    0.02 sec",
            "web-abc   0/1     Error               3 (27s ago)   48s",
            "mysql         error  256 root",
            "Error Domain=NSPOSIXErrorDomain Code=2 \"No such file or directory\"",
            "** exception error: undefined function foo:bar/0",
            "error: unknown start of token: \\",
            "error: builder for '/nix/store/a.drv' failed with exit code 2;",
            "fatal: [host]: FAILED! => {",
            "SyntaxError: Unexpected token {",
            "job 12 exited with exit code 1 on node c01",
            "cannot connect to X server :0",
            "Error response from daemon: pull access denied for foo",
            "time=2026-11-23T10:01:00 level=error msg=\"batch 200 lost its lease\"",
            "{\"time\":1,\"severity\": \"ERROR\",\"message\":\"batch 200 lost its lease\"}",
            "{\"level\":\"fatal\",\"msg\":\"no lease\"}",
            "Unhandled exception. System.InvalidOperationException: the ledger is closed",
            "Uncaught (in promise) the window is closed",
            "run.sh: line 3: 12345 Killed                  ./serve",
            "2026/11/26 03:32:22 [emerg] 22385#22385: bind() to 127.0.0.1:80 failed (98: Address already in use)",
            "  \"message\": \"Cannot query field 'a'\",",
            "{\"errors\":[\"Unknown field\"]}",
            "open a.toml: permission denied",
            "[error] the lease was lost",
            "PASSED = 12, FAILED = 3",
        ],
    );
}

#[test]
fn phrases_and_locations_are_messages() {
    assert_grades(
        Some(Message),
        &[
            "    x_test.go:12: got 1, want 2",
            "the connection was refused by the peer",
            "! Undefined control sequence.",
            "gpg: the signature could not be verified.",
            "./configure: the compiler does not work",
            "patch: the context line not found",
            "git: 'stats' is not a git command. See 'git --help'.",
            "sed: -e expression #1, char 3: unterminated `s' command",
            "the module is not installed",
            "148 failed, 389 passed in 3 s",
            "request timed out after 30 s",
            "the file was not found here",
            "release.cfg has no version line",
            "row 4 was rejected by the server",
            "the amount must be a number",
            "index 9 is out of range",
            "the wrong type was given",
            "part data/a.csv   bad CRC 930f0741",
            "bad magic number in a.pyc",
            "20: Testing \"missing value parameter to add\"",
            "    path_test.go:129: skipping checks",
            "  --split-chunks-capped       Report splits that were refused",
            "True if the file exists and is a directory.",
            "# Kernels end programs when out of memory",
            "If no such key exists, the value is returned.",
            "    Retry on connection refused (use with --retry)",
        ],
    );
}

#[test]
fn words_alone_are_weak() {
    assert_grades(
        Some(Weak),
        &["Found 483 errors in 18 files", "writing the error log", "an exception was logged"],
    );
}

#[test]
fn warnings_and_information_are_faint() {
    assert_grades(
        Some(Faint),
        &[
            "src/a.c:3:5: warning: unused variable 'x' [-Wunused]",
            "LOG:  Could not load the cache",
            "cc/f8.c:2:46: warning: Either the condition is redundant or there is a null pointer",
            "a.py:12: DeprecationWarning: use b",
            "Debug: Facts: Failed while executing 'lspci'",
            "Note: some values were unknown.",
        ],
    );
}

#[test]
fn other_lines_are_no_key_lines() {
    assert_grades(
        None,
        &[
            "building error.o",
            "the process ended with exit code 0",
            "I1123 10:00:01.123456       1 reflector.go:138] lease was taken",
            "{\"level\":\"info\",\"msg\":\"stored\"}",
            "gcc -Werror -Wno-error=x a.c",
            "test tests::error_display ... ok",
            "tests/a.py::test_b[Error: no value] PASSED [  3%]",
            "=== RUN   TestError",
            "ok 3 - reports an error: none",
            "  ✓ fails with an error: x",
            "0 errors, 0 failures",
            "Errors: 0",
            "Tests run: 3, Failures: 0",
            "no errors found",
            "{\"error\": null, \"failed\": false}",
            "    raise ValueError(\"error: x\")",
            "    except KeyError:",
            "app/a.py:12:    raise ValueError(\"no\")",
            "drwxr-xr-x 2 a b 4096 /usr/share/errors",
            "InvalidModuleWarning.js",
            "# Subtest: isError",
            "    text = _(\"No such option.\")",
            "    print(\"Failed to call\")",
            "lib/a.js:252:\t/** @type {Hook<[Error]>} */",
            "There are two formats for redirecting standard error:",
            "==15948== ERROR SUMMARY: 0 errors from 0 contexts",
            "# Subtest: Rejected early",
            "let x = unknown_variable;  // error: unresolved name",
            "not ok 1 - comments # TODO failing tests",
            "Failed requests:        0",
            "t.test(1:10, y = c(7:20))",
            "_ = s[1 /* ERROR \"overflows\" */ <<100 :]",
            "5bf04c3f (dev  89) //!   Error: Failed to read",
            "            \"failed to insert {:?}, key {:?}\",",
            "cannot change to '%s'",
        ],
    );
}

#[test]
fn literals_are_few_and_long_enough_for_one_pass() {
    let literals: Vec<&str> = GROUPS.iter().flat_map(|group| group.literals).copied().collect();
    assert!(literals.len() <= 64, "{} literals need a second pass", literals.len());
    assert!(literals.iter().all(|literal| literal.len() >= 4), "{literals:?}");
}

#[test]
fn words_that_continue_a_sentence_are_messages() {
    let grade = |text: &str| {
        let mut kinds = Kinds::new(10_000);
        kinds.push(text);
        kinds.finish();
        kinds.kinds().iter().map(|kind| kind.grade).min()
    };
    let sentence = " * The header can be changed later, and the stream\n";
    assert_eq!(grade(&format!("{sentence} * cannot be read in that time.\n")), Some(Message));
    for before in ["", "done\n", " * The header can be changed later, and the stream.\n"] {
        assert_eq!(grade(&format!("{before} * cannot be read in that time.\n")), Some(Strong), "{before}");
    }
    assert_eq!(grade(&format!("{sentence}Cannot read the file\n")), Some(Strong));
}
