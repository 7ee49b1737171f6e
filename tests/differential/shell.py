"""Compares bash with `bash -c`: random scripts with a pipe, for which cutline sets traps that nothing may notice."""

import shutil
import subprocess

WORDS = ["a", "b c", "'x y'", "$1", "$_", "$?", "$#", "$LINENO", "${v:-none}", "$((1 + 2))", '"$v"']
FIRST = ["true", "false", "echo {}", "(exit 3)", "v={}", "[ {} = a ]", "[[ a == {} ]]", "((1 > 2))", "f {}", "printf '%s.\\n' {} {}", ": {}"]
# Each reads all of its input. Otherwise, SIGPIPE ends the stage before it sooner or later.
STAGES = ["cat", "wc -l", "tail -n 1", "grep -c a", "sed s/a/b/", "while read -r line; do echo \"<$line>\"; done", "(cat; exit 2)", "{ cat > /dev/null; false; }", "{ cat > /dev/null; f; }"]
BETWEEN = ["; ", " && ", " || ", "\n"]


def word(random, depth):
    kind = random.random()
    if depth > 0 and kind < 0.35:
        inner = script(random, depth - 1)
        return random.choice([f"$({inner})", f'"$({inner})"', f'"$({inner}) and $({inner})"'])
    if depth > 0 and kind < 0.4:
        return f'"$(cat <({script(random, depth - 1)}) <(echo b))"'
    return random.choice(WORDS)


def command(random, depth):
    before, *after = random.choice(FIRST).split("{}")
    return before + "".join(word(random, depth) + part for part in after)


def pipeline(random, depth):
    kind = random.random()
    if depth > 0 and kind < 0.25:
        inner = script(random, depth - 1)
        forms = ["({})", "{ {}; }", "if {}; then echo yes; else echo no; fi", "for i in 1 2; do {}; done", "! { {}; }", f"g{depth}() {{ {{}}; }}; g{depth}", "eval '{}'"]
        before, after = random.choice(forms if "'" not in inner else forms[:-1]).split("{}")
        text = before + inner + after
    else:
        text = command(random, depth)
    stages = random.choice([0, 0, 1, 1, 2])
    return " | ".join([text, *(random.choice(STAGES) for _ in range(stages))])


def script(random, depth):
    parts = [pipeline(random, depth) for _ in range(random.randint(1, 3))]
    return "".join(part + random.choice(BETWEEN) for part in parts[:-1]) + parts[-1]


def compare(random, report, setting, round_):
    report.check_time()
    options = random.choice(["", "", "set -e\n", "set -u\n", "set -o pipefail\n"])
    text = options + "f() { echo \"f $1 $(echo one) $(echo two)\"; }\n" + script(random, 2) + "; echo end | cat"
    # The stages of a pipeline run at the same time, so a difference counts only if it stays.
    for _ in range(3):
        given, expected = with_cutline(setting, text), with_bash(setting, text)
        if given == expected:
            break
    report.compare({"round": round_, "command": text}, given, expected)


def with_bash(setting, text):
    """Returns the sorted lines of the output, and the exit code."""
    run = subprocess.run(
        [shutil.which("bash"), "-c", text], cwd=setting.work, env=setting.env, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, check=False,
    )
    output = run.stdout.decode().rstrip("\n")
    return sorted(output.split("\n")) if output.strip() else None, run.returncode


def with_cutline(setting, text):
    answer = setting.server.call("bash", command=text)
    output = answer.text.split("\n\n[Exit codes of")[0].split("\n\nCommand exited with code")[0].rstrip("\n")
    is_empty = output == "(no output)" or "[Output is " in output
    return None if is_empty else sorted(output.split("\n")), answer.details.get("exitCode")
