"""A scripted model on loopback. It requests calls from an agent step by step, and stores the results.

`Session` is the conversation, whatever the interface (`formats`); `serve` puts it behind HTTP.
"""

import json
import re
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from formats import Asked, Gemini, format_of
from scenarios import Call

TOOLS = ("read", "bash", "grep", "find", "ls")
# The start of PNG, JPEG, GIF and WebP files in base64.
IMAGE = re.compile(r"iVBORw0KGgo|/9j/|R0lGOD|UklGR")
# The fields that contain images in the four interfaces.
IMAGE_HOLDERS = ("image_url", "input_image", "inlineData", "source")
SEARCHES = ("ToolSearch", "tool_search")
# Qwen Code calls tools that it does not list through this tool.
BRIDGE = "tool_call"
# With newer models, Codex calls tools from code, which this tool runs. Another tool waits for a long script.
CODE_TOOL = "exec"
RUNNING = re.compile(r"Script running with cell ID (\w+)")
CODE = """const result = await tools.mcp__cutline__%s(%s);
for (const part of result.content) { if (part.type === "text") text(part.text); else image(part); }"""


@dataclass
class Exchange:
    """A call of the model, and its result."""

    id: str
    call: Call
    asked_at: float
    text: str | None = None
    answered_at: float = 0
    # Content that only the request with this result has.
    images: int = 0
    image_chars: int = 0


@dataclass
class Offer:
    """A tool that the agent offers, with the name that the model sees."""

    name: str
    namespace: str | None = None


def offers(tools):
    """Returns all tools of a request, in any of the four interfaces."""
    found = []
    for tool in tools or []:
        nested = tool.get("tools") if tool.get("type") == "namespace" else tool.get("functionDeclarations")
        if nested is not None:
            found += [Offer(one["name"], tool.get("name")) for one in nested]
        else:
            found.append(Offer(tool.get("function", tool).get("name") or tool.get("type", "")))
    return found


def cutlines(found):
    """Returns the offered tools of cutline by name. Most agents add the server name as a prefix."""
    ours = [offer for offer in found if "cutline" in (offer.namespace or "") + offer.name] or found
    named = {tool: [o for o in ours if re.search(rf"(^|[^a-z]){tool}$", o.name)] for tool in TOOLS}
    return {tool: offers[0] for tool, offers in named.items() if offers}


def images_in(value, held=False):
    """Returns the number of images in a value, and the characters of images that were sent as text."""
    if isinstance(value, str):
        if not IMAGE.search(value):
            return 0, 0
        return (1, 0) if held else (0, len(value))
    if isinstance(value, dict):
        # The content of a functionResponse of Gemini is always text.
        within = [images_in(v, name != "response" and (held or name in IMAGE_HOLDERS)) for name, v in value.items()]
    elif isinstance(value, list):
        within = [images_in(v, held) for v in value]
    else:
        within = []
    return sum(images for images, _ in within), sum(chars for _, chars in within)


@dataclass
class Session:
    """A session with an agent. The script continues when the results of its last step arrive."""

    script: object
    # True for an agent that writes results into its messages as plain text.
    results_are_text: bool = False
    steps: list = field(default_factory=list)
    listed: set = field(default_factory=set)
    is_over: bool = False
    searches: int = 0
    chars_read: int = 0
    images: tuple = (0, 0)
    # The call and the name of the script, if the last result says that the script still runs.
    running: tuple | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def exchanges(self):
        return [exchange for step in self.steps for exchange in step]

    def answer(self, interface, body):
        """Returns the next calls, and the final text if there are none."""
        with self.lock:
            items = body.get("input") if isinstance(body.get("input"), list) else []
            found = [tool for item in items if item.get("type") == "tool_search_output" for tool in item["tools"]]
            offered = offers((body.get("tools") or []) + found)
            tools = cutlines(offered)
            if not tools and any(item.get("type") == "additional_tools" for item in items):
                tools = dict.fromkeys(TOOLS, Offer(CODE_TOOL))
            if not tools and BRIDGE in [offer.name for offer in offered]:
                tools = dict.fromkeys(TOOLS, Offer(BRIDGE))
            if not tools:
                return self.search(offered), "A title"
            self.listed |= set(tools)
            step = self.keep(interface, body) + 1
            if self.running:
                id, script = self.running
                return [Asked(f"{len(body['input'])}_{id}", "wait", {"cell_id": script})], ""
            if step == len(self.steps):
                self.go_on()
            if self.is_over and step == len(self.steps):
                return self.end(offered), "Done."
            return [self.asked(exchange, tools) for exchange in self.steps[step]], ""

    @staticmethod
    def end(offered):
        """Returns the call that ends a session of smolagents, which accepts the final text only through a tool."""
        has_tool = "final_answer" in [offer.name for offer in offered]
        return [Asked("end", "final_answer", {"answer": "Done."})] if has_tool else []

    def search(self, offered):
        """Returns a search for tools. Some agents list the tools of a server only after a search."""
        name = next((offer.name for offer in offered if offer.name in SEARCHES), None)
        if name is None or self.searches == 3:
            return []
        self.searches += 1
        wanted = {
            "ToolSearch": {"query": "select:" + ",".join(f"mcp__cutline__{tool}" for tool in TOOLS)},
            "tool_search": {"query": "read file", "limit": 8},
        }
        return [Asked(f"search_{self.searches}", name, wanted[name])]

    def keep(self, interface, body):
        """Stores new results. Returns the last step with a result, or -1."""
        known = {exchange.id: exchange for exchange in self.exchanges}
        last = -1
        found = images_in([body.get(key) for key in ("messages", "input", "contents")])
        images, image_chars = (max(now - before, 0) for now, before in zip(found, self.images))
        self.images = found
        for place, (id, text) in enumerate(self.results(interface, body)):
            # An agent that changes or omits ids sends all results in order.
            id = next((mine for mine in known if id and id.endswith(mine)), None) or (
                list(known)[place] if place < len(known) and not str(id).startswith("search_") else None
            )
            if id is None:
                continue
            script = RUNNING.match(text)
            self.running = (id, script[1]) if script else None
            if script:
                continue
            last = max(last, int(id.split("_")[1]))
            if known[id].text is None:
                known[id].text, known[id].answered_at = text, time.time()
                known[id].images, known[id].image_chars = images, image_chars
        return last

    def results(self, interface, body):
        if not self.results_are_text:
            return interface.results(body)
        # All new content since the last request is the result of the last step, except messages of the model.
        others = [message.get("content") for message in body["messages"] if message["role"] != "assistant"]
        text = "\n".join(json.dumps(content, ensure_ascii=False) for content in others)
        new, self.chars_read = text[self.chars_read :], len(text)
        return [(exchange.id, new) for exchange in self.steps[-1]] if self.steps else []

    def go_on(self):
        """Passes the results of the last step to the script, and stores its next step."""
        try:
            last = [exchange.text or "" for exchange in self.steps[-1]] if self.steps else None
            calls, n = self.script.send(last), len(self.steps)
            self.steps.append([Exchange(f"step_{n}_{i}", call, time.time()) for i, call in enumerate(calls)])
        except StopIteration:
            self.is_over = True

    @staticmethod
    def asked(exchange, tools):
        call = exchange.call
        offer = Offer(call.tool) if call.is_built_in else tools.get(call.tool, Offer(call.tool))
        if offer.name == CODE_TOOL:
            return Asked(exchange.id, CODE_TOOL, CODE % (call.tool, json.dumps(call.arguments)))
        if offer.name == BRIDGE:
            return Asked(exchange.id, BRIDGE, {"name": f"mcp__cutline__{call.tool}", "arguments": call.arguments})
        return Asked(exchange.id, offer.name, call.arguments, offer.namespace)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    session = None
    folder = None

    def log_message(self, *_):
        pass

    def body(self):
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        data = b""
        while size := int(self.rfile.readline(), 16):
            data += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return data

    def send(self, value):
        is_stream = isinstance(value, list)
        data = ("".join(value) if is_stream else json.dumps(value)).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream" if is_stream else "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def do_GET(self):
        self.send({"object": "list", "data": [{"id": "scripted", "object": "model"}]})

    do_HEAD = do_GET

    def do_POST(self):
        path, body = self.path.split("?")[0], self.body()
        interface = format_of(path)
        if interface is None:  # telemetry, a count of tokens
            return self.send({"input_tokens": 1, "totalTokens": 1})
        body = json.loads(body)
        if interface is Gemini:
            body["stream"] = "streamGenerateContent" in path
        with open(self.folder / "requests.jsonl", "a") as file:
            file.write(json.dumps(body, ensure_ascii=False) + "\n")
        return self.send(interface.reply(body, *self.session.answer(interface, body)))


def serve(session, folder):
    """Serves `session` and stores requests in `folder`. Returns the server and its address. `shutdown` stops the server."""
    handler = type("SessionHandler", (Handler,), {"session": session, "folder": folder})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server, f"http://127.0.0.1:{server.server_port}"
