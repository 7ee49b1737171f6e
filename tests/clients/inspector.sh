#!/usr/bin/env bash
# Tests cutline with the MCP Inspector. With --strict, the Inspector fails for schemas that some clients refuse.
#
# Usage: inspector.sh PATH_TO_CUTLINE PATH_TO_MCP_INSPECTOR
set -euo pipefail

cutline=$(realpath "$1")
inspector=$(realpath "$2")
base=$(mktemp -d)
trap 'rm -rf "$base"' EXIT
work=$base/work
mkdir "$work"
printf 'one\ntwo\n' > "$work/a.txt"
cd "$work"

inspect() {
    timeout 60 "$inspector" --cli "$cutline" --root "$work" --spill-dir "$base" --log error "$@" --format json
}

# The result of a call must contain this text.
expect() {
    local expected=$1 answer
    shift
    answer=$(inspect --method tools/call "$@" < /dev/null)
    if ! grep -qF -- "$expected" <<< "$answer"; then
        printf 'inspector: expected %s in\n%s\n' "$expected" "$answer" >&2
        exit 1
    fi
}

list=$(inspect --method tools/list --strict < /dev/null)
for tool in read bash grep find ls; do
    grep -qE "\"name\": *\"$tool\"" <<< "$list" || { echo "inspector: $tool is not listed" >&2; exit 1; }
done

expect '"one\ntwo\n"' --tool-name read --tool-arg path=a.txt
expect '"hi\n"' --tool-name bash --tool-args-json '{"command": "echo hi"}'
expect '"a.txt:2: two"' --tool-name grep --tool-arg pattern=two
expect '"a.txt"' --tool-name find --tool-arg 'pattern=*.txt'
expect '"a.txt"' --tool-name ls --tool-args-json '{}'
echo "inspector: ok"
