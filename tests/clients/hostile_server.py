"""An MCP server that violates the protocol. It needs only Python.

Each tool has the name of a case. A call of it writes the lines of that case, and then the response that
the protocol asks for, which is far over the limits. The tool `small` returns a small result.
"""

import json
import sys

LARGE = "x" * 300_000
RESULT = {"content": [{"type": "text", "text": LARGE}]}
ERROR = {"code": -32000, "message": LARGE}


def line(**members):
    return json.dumps({"jsonrpc": "2.0", **members})


def raw(members):
    return '{"jsonrpc":"2.0",%s}' % members


# The output of each case for the request `id`. `big` is the large result, and `text` is its JSON.
CASES = {
    "id_as_string": lambda id, big, text: line(id=str(id), result=big),
    "id_as_fraction": lambda id, big, text: raw('"id":%d.0,"result":%s' % (id, text)),
    "no_result": lambda id, big, text: line(id=id),
    "result_is_a_string": lambda id, big, text: line(id=id, result="x"),
    "result_is_a_list": lambda id, big, text: line(id=id, result=[big]),
    "other_version": lambda id, big, text: line(id=id, result=big).replace("2.0", "1.0"),
    "no_version": lambda id, big, text: json.dumps({"id": id, "result": big}),
    "method_is_a_number": lambda id, big, text: line(id=id, method=5, result=big),
    "method_and_result": lambda id, big, text: line(id=id, method="ping", result=big),
    "result_and_error": lambda id, big, text: line(id=id, result=big, error=ERROR),
    "large_error_message": lambda id, big, text: line(id=id, error=ERROR),
    "large_error_data": lambda id, big, text: line(id=id, error={"code": 1, "message": "x", "data": [LARGE]}),
    "large_meta": lambda id, big, text: line(id=id, result={"content": [], "_meta": {"a": LARGE * 2}}),
    "large_structured_content": lambda id, big, text: line(id=id, result={"content": [], "structuredContent": {"a": LARGE}}),
    "two_ids": lambda id, big, text: raw('"id":-1,"id":%d,"result":%s' % (id, text)),
    "two_ids_with_an_escape": lambda id, big, text: raw('"id":%d,"\\u0069d":-1,"result":%s' % (id, text)),
    "two_results": lambda id, big, text: raw('"id":%d,"result":{"content":[]},"result":%s' % (id, text)),
    "id_in_capitals": lambda id, big, text: line(ID=id, result=big),
    "result_in_capitals": lambda id, big, text: line(id=id, Result=big),
    "unknown_member": lambda id, big, text: line(id=id, result={"content": []}, extra=LARGE),
    "batch": lambda id, big, text: "[%s]" % line(id=id, result=big),
    "batch_in_a_batch": lambda id, big, text: "[[%s]]" % line(id=id, result=big),
    "batch_of_both": lambda id, big, text: "[%s,[%s]]" % (line(id=-1, result=big), line(id=id, result="x")),
    "carriage_return": lambda id, big, text: raw('"id":%d,\r"result":%s' % (id, text)),
    "line_of_a_carriage_return": lambda id, big, text: '{"a":\r%s\r}' % line(id=id, result=big),
    "not_utf8": lambda id, big, text: line(id=id, result=big).replace("xx", "x\udcff", 1),
    "byte_order_mark": lambda id, big, text: "\ufeff" + line(id=id, result=big),
    "nan": lambda id, big, text: raw('"id":%d,"result":{"a":NaN,"b":%s}' % (id, text)),
    "incomplete": lambda id, big, text: line(id=id, result=big)[:-1],
    "unknown_id": lambda id, big, text: line(id=-1, result=big),
    "empty_id": lambda id, big, text: line(id="", result=big),
    "hexadecimal_id": lambda id, big, text: line(id=hex(id), result=big),
    "id_with_a_space": lambda id, big, text: line(id=" %d" % id, result=big),
    "true_as_id": lambda id, big, text: line(id=True, result=big),
    "not_json": lambda id, big, text: "Server is running\x00" + LARGE,
}


def write(text):
    sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape") + b"\n")
    sys.stdout.buffer.flush()


def answer(id, method, params):
    if method == "initialize":
        capabilities = {"tools": {}}
        info = {"name": "hostile", "version": "1"}
        version = params["protocolVersion"]
        return line(id=id, result={"protocolVersion": version, "capabilities": capabilities, "serverInfo": info})
    if method == "tools/list":
        tools = [{"name": name, "inputSchema": {"type": "object"}} for name in ["small", *CASES]]
        return line(id=id, result={"tools": tools})
    if method == "tools/call" and params["name"] == "small":
        return line(id=id, result={"content": [{"type": "text", "text": "small"}]})
    if method == "tools/call":
        write(CASES[params["name"]](id, RESULT, json.dumps(RESULT)))
        return line(id=id, result=RESULT)
    if method == "ping":
        return line(id=id, result={})
    return line(id=id, error={"code": -32601, "message": "Method not found"})


for request in map(json.loads, sys.stdin):
    if "id" in request and "method" in request:
        write(answer(request["id"], request["method"], request.get("params") or {}))
