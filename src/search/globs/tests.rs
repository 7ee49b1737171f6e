//! Tests of globs: which files and folders they match, and which globs are refused.

use super::*;

fn glob(glob: &str) -> Glob {
    let base = "/work/repo";
    Glob::new(glob, Path::new(base), false).unwrap()
}

#[test]
fn large_globs_are_refused() {
    for glob in ["a".repeat(GLOB_BYTES + 1), format!("{}a{}", "{".repeat(500), "}".repeat(500))] {
        assert!(Glob::new(&glob, Path::new("/"), false).is_err());
    }
}

#[test]
fn globs_select_files_to_search() {
    let cases = [
        ("*.rs", "a.rs", true),
        ("*.rs", "src/deep/a.rs", true),
        ("*.rs", "a.rs.bak", false),
        ("./*.rs", "a.rs", true),
        ("./*.rs", "src/a.rs", false),
        ("/a.rs", "a.rs", true),
        ("/a.rs", "src/a.rs", false),
        ("/work/repo/src/*.rs", "src/a.rs", true),
        ("src/**/*.ts", "src/a.ts", true),
        ("src/**/*.ts", "src/x/y/a.ts", true),
        ("src/**/*.ts", "lib/src/a.ts", false),
        ("src/*.ts", "src/x/a.ts", false),
        ("**/x/*.ts", "x/a.ts", true),
        ("!*.min.js", "a.min.js", false),
        ("!*.min.js", "a.js", true),
        ("*.{js,ts}", "x/a.ts", true),
        ("{src,lib}/**", "lib/a/b", true),
        ("{src,lib}/**", "bin/a", false),
        ("{src/a,lib}/b", "lib/b", true),
        ("src/", "src/a/b.rs", true),
        ("src/", "deep/src/b.rs", true),
        ("src/", "src", false),
        ("/src/", "deep/src/b.rs", false),
        ("!target/", "target/a", false),
        ("!target/", "src/a", true),
        ("*.RS", "a.rs", false),
        ("a?c", "a/c", false),
        ("[!é].txt", "a.txt", true),
        (".*", ".hidden", true),
        ("a**b", "a-b", true),
        ("a**b", "a/b", false),
        ("src/a**", "src/a/b", false),
        ("src/**", "src", false),
        ("**", "a/b", true),
        ("{a,b/**}/c", "b/x/c", true),
        ("a/**/b", "a/b", true),
        ("a/**/b", "a/xb", false),
        ("app/[slug]/*.ts", "app/[slug]/a.ts", true),
        ("app/[slug]/*.ts", "app/s/a.ts", true),
        ("app/[slug]/*.ts", "app/x/a.ts", false),
        ("**/[[...all]]/**", "a/[[...all]]/b/c", true),
        ("{src,app}/[id].{ts,tsx}", "app/[id].tsx", true),
        ("{{app.name}}/*.py", "{{app.name}}/a.py", true),
        ("{{app.name}}/*.py", "app.name/a.py", true),
        ("!app/[id]", "app/[id]", false),
        ("{a/[b],c}", "c", true),
        ("[{]x[}].txt", "{x}.txt", true),
        ("*[0-9].txt", "a1.txt", true),
        (r"\[{a,b}/[!c]", "[b/d", true),
        ("[/{x}]", "x", true),
        ("{a}{b}", "ab", true),
        ("[,]a,b", ",a,b", true),
    ];
    for (pattern, path, expected) in cases {
        let glob = glob(pattern);
        assert_eq!(glob.selects_content(path.as_bytes()), expected, "{pattern} {path}");
        let reached = folders_of(path.as_bytes()).all(|folder| glob.can_select_content_below(folder));
        assert!(!expected || reached, "{pattern} does not reach {path}");
    }
}

#[test]
fn globs_select_entries() {
    assert!(glob("src").selects(b"a/src", true) && glob("src").selects(b"src", false));
    assert!(glob("src/").selects(b"a/src", true) && !glob("src/").selects(b"src", false));
    assert!(!glob("src/*").selects(b"src/a/b", false) && glob("src/*").selects(b"src/a", false));
}

#[test]
fn folders_without_a_match_are_not_entered() {
    let cases = [
        ("src/**/*.ts", "lib", false),
        ("src/a/*.ts", "src", true),
        ("src/a/*.ts", "src/b", false),
        ("src/*.ts", "src", true),
        ("src/*.ts", "src/a", false),
        ("./*.ts", "src", false),
        ("src/*/", "src/a", true),
        ("src/*/", "src/a/b", true),
        ("src/{a,b}/*.ts", "src/a", true),
        ("src/{a,b}/*.ts", "src/a/b", false),
        ("{src/a,b}/*.ts", "src/a", true),
        ("!src/*.ts", "src/a", true),
        ("*/lib/*", "a/lib", true),
        ("*/lib/*", "a/bin", false),
        ("*/lib/", "a/lib/x", true),
        ("*/[ab]/*.ts", "x/[ab]", true),
        ("*/[ab]/*.ts", "x/c", false),
        ("*/[/]/*.ts", "x/c", true),
        ("{a/b,c}/*/x", "a/b", true),
        ("**/lib/*", "a/bin", true),
        (&"a/".repeat(45), "b", false),
        (&"a/".repeat(500), "b", true),
    ];
    for (pattern, folder, expected) in cases {
        assert_eq!(glob(pattern).can_select_content_below(folder.as_bytes()), expected, "{pattern} {folder}");
    }
}

#[test]
fn wrong_globs_are_explained() {
    let base = Path::new("/");
    assert!(Glob::new("a[", base, false).unwrap_err().contains("character class"));
    assert!(Glob::new("[]", base, false).unwrap_err().contains("character class"));
    assert!(Glob::new("[z-a]", base, false).unwrap_err().contains("'z' > 'a'"));
    assert_eq!(Glob::new("/", base, false).unwrap_err(), "it is empty");
    assert_eq!(Glob::new("{a", base, false).unwrap_err(), "unclosed alternate group; missing '}'");
    assert_eq!(Glob::new("a}", base, false).unwrap_err(), "unopened alternate group; missing '{'");
    assert_eq!(Glob::new(r"a\", base, false).unwrap_err(), r"dangling '\'");
}
