#!/usr/bin/env python3
"""Compares the outlines of source files with the definitions that Universal Ctags finds.

    cargo build --release -p cutline-core --example outline
    tests/outline/run.py target/release/examples/outline FILE_OR_FOLDER...

Prints for each language how many of ctags' top-level definitions the outline has (recall), and how many lines of the
outline are definitions by ctags (precision). Files of 40 KB to 2 MB count, the 20 largest of each language. `--misses`
prints some lines in which both differ. With `--typescript FOLDER`, the folder of the npm package `typescript`, a line of
JavaScript or TypeScript is also a definition if TypeScript's own parser says so: ctags 5.9 does not know much of both. A
definition that is inside a function by that parser is not a top-level one: ctags loses the scope in bundles.

The files of docs/performance.md are those of public packages: crates in ~/.cargo/registry, with curl-sys, libgit2-sys,
zstd-sys and libsqlite3-sys, Python's standard library,
golang-1.19-src, openjdk-17-source, libruby3.1, ruby-actionpack, ruby-activerecord, wordpress, phpunit,
linux-libc-dev, libstdc++-12-dev, and the npm packages typescript, react-dom, three, vue, zod, effect, lodash, jquery, d3,
chart.js.
"""
import argparse
import collections
import os
import random
import re
import subprocess

LANGUAGES = {
    "C": {"c"},
    "C++": {"cc", "cpp", "cxx", "h", "hh", "hpp", "hxx", "tcc"},
    "Go": {"go"},
    "Java": {"java"},
    "JavaScript": {"js", "mjs", "cjs", "jsx"},
    "PHP": {"php"},
    "Python": {"py"},
    "Ruby": {"rb"},
    "Rust": {"rs"},
    "TypeScript": {"ts", "tsx"},
}
DEFINES = {"alias", "class", "enum", "func", "function", "implementation", "interface", "macro", "method", "module",
           "namespace", "singletonMethod", "struct", "subroutine", "trait", "type", "typedef", "union"}
SCOPES = {"class", "enum", "field", "func", "function", "implementation", "interface", "member", "method", "property",
          "scope", "singletonMethod", "struct", "trait", "typedef", "union", "variable"}
# Names that ctags generates, and a kind that ctags also uses for imports.
MADE_UP = ("__anon", "Anonymous")
ALIAS_WORDS = ("type", "export", "declare")
SMALLEST, LARGEST, FILES = 40_000, 2_000_000, 20
SHOWN = 20
TYPESCRIPT = """
const ts = require(process.argv[1]);
for (const path of process.argv.slice(2)) {
    const source = ts.createSourceFile(path, require("fs").readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true);
    const visit = (node, isInside) => {
        const value = node.initializer ?? node.right;
        const isValue = value && (ts.isFunctionLike(value) || ts.isClassLike(value));
        if (ts.isFunctionLike(node) || ts.isClassLike(node) || ts.isInterfaceDeclaration(node) || isValue
            || ts.isTypeAliasDeclaration(node) || ts.isEnumDeclaration(node) || ts.isModuleDeclaration(node)) {
            const at = (node.name ?? node.left ?? node).getStart(source);
            console.log(`${path}\\t${source.getLineAndCharacterOfPosition(at).line + 1}\\t${isInside ? 1 : 0}`);
        }
        ts.forEachChild(node, (child) => visit(child, isInside || ts.isFunctionLike(node)));
    };
    visit(source, false);
}
"""


def files_of(paths):
    """Returns the files of each language, the largest first."""
    found = collections.defaultdict(list)
    for path in paths:
        folders = os.walk(path) if os.path.isdir(path) else [(os.path.dirname(path), [], [os.path.basename(path)])]
        for folder, _, names in folders:
            for name in names:
                file = os.path.join(folder, name)
                ending = name.rsplit(".", 1)[-1]
                language = next((language for language, endings in LANGUAGES.items() if ending in endings), None)
                if language and os.path.isfile(file) and SMALLEST <= os.path.getsize(file) <= LARGEST:
                    found[language].append(file)
    return {language: sorted(files, key=lambda file: (-os.path.getsize(file), file))[:FILES]
            for language, files in sorted(found.items())}


def tags(path, *options):
    """Returns the tags of a file: name, line, kind, and True if it is inside another definition."""
    command = ["ctags", "--fields=+nKsz", "--sort=no", *options, "-f", "-", path]
    output = subprocess.run(command, capture_output=True, check=False).stdout.decode("utf8", "replace")
    for line in output.split("\n"):
        fields = re.search(r';"\t(.*)$', line)
        if fields and not line.startswith("!"):
            facts = dict(field.partition(":")[::2] for field in fields[1].split("\t"))
            if "line" in facts:
                yield line.split("\t", 1)[0], int(facts["line"]), facts.get("kind", ""), not SCOPES.isdisjoint(facts)


def outlines(program, files):
    found = collections.defaultdict(dict)
    output = subprocess.run([program, *files], capture_output=True, text=True, check=True).stdout
    for line in filter(None, output.split("\n")):
        path, number, _, text = line.split("\t")
        found[path][int(number)] = text
    return found


def parsed(typescript, files):
    """Returns the lines with definitions by the parser of TypeScript, and those of them that are inside a function."""
    found, inside = collections.defaultdict(set), collections.defaultdict(set)
    output = subprocess.run(["node", "-e", TYPESCRIPT, os.path.abspath(typescript), *files], capture_output=True, text=True,
                            check=True).stdout
    for line in filter(None, output.split("\n")):
        path, number, is_inside = line.split("\t")
        found[path].add(int(number))
        if is_inside == "1":
            inside[path].add(int(number))
    return found, inside


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("program")
    arguments.add_argument("paths", nargs="+")
    arguments.add_argument("--typescript")
    arguments.add_argument("--misses", action="store_true")
    options = arguments.parse_args()
    print("| language | files | definitions by ctags | recall | lines in the outlines | precision |")
    print("| --- | --- | --- | --- | --- | --- |")
    for language, files in files_of(options.paths).items():
        is_script = language in ("JavaScript", "TypeScript")
        found = outlines(options.program, files)
        by_parser, inside = parsed(options.typescript, files) if is_script and options.typescript else ({}, {})
        counts = collections.Counter()
        missing, wrong = [], []
        for path in files:
            with open(path, "rb") as file:
                lines = file.read().split(b"\n")
            any_tag = {line for _, line, *_ in tags(path, "--kinds-all=*")}
            wanted = set()
            for name, line, kind, is_inside in tags(path):
                any_tag.add(line)
                text = lines[line - 1].decode("utf8", "replace").split()
                is_import = kind == "alias" and is_script and bool(text) and text[0] not in ALIAS_WORDS
                is_object = kind == "class" and is_script and "class" not in text
                is_import |= kind == "alias" and language in ("PHP", "Python")
                if kind in DEFINES and not is_inside and not name.startswith(MADE_UP) and not is_import and not is_object:
                    wanted.add(line)
            any_tag |= by_parser.get(path, set())
            wanted -= inside.get(path, set())
            outline = set(found[path])
            counts.update(wanted=len(wanted), hit=len(wanted & outline), listed=len(outline), right=len(outline & any_tag))
            missing += [(path, line, lines[line - 1]) for line in sorted(wanted - outline)]
            wrong += [(path, line, lines[line - 1]) for line in sorted(outline - any_tag)]
        recall = counts["hit"] / max(counts["wanted"], 1)
        precision = counts["right"] / max(counts["listed"], 1)
        print(f"| {language} | {len(files)} | {counts['wanted']} | {recall:.3f} | {counts['listed']} | {precision:.3f} |", flush=True)
        for what, rows in (("missing", missing), ("no definition", wrong)) if options.misses else ():
            for path, line, text in random.Random(1).sample(rows, min(SHOWN, len(rows))):
                print(f"    {what}: {path}:{line}: {text[:100].decode('utf8', 'replace')}")


if __name__ == "__main__":
    main()
