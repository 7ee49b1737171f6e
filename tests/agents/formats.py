"""The four HTTP interfaces of models: OpenAI chat completions and responses, Anthropic messages, Gemini.

Each has the end of its path, reads from a request the results it holds (`results`: the call's id, None where the agent
drops ids, and the text), and writes the reply that asks for calls or says a last word (`reply`).
"""

import json
from dataclasses import dataclass


@dataclass
class Asked:
    """A call in the response to the agent. `arguments` is a text if the agent expects code."""

    id: str
    name: str
    arguments: dict | str
    namespace: str | None = None


def text_of(content):
    """Returns the text of a result that is a string, a list of parts or an object."""
    if isinstance(content, list):
        return "".join(part if isinstance(part, str) else text_of(part.get("text", "")) for part in content)
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)


def event(kind, **fields):
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n"


class Chat:
    path = "/chat/completions"

    @staticmethod
    def results(body):
        return [
            (message.get("tool_call_id"), text_of(message.get("content")))
            for message in body.get("messages", [])
            if message.get("role") == "tool"
        ]

    @staticmethod
    def reply(body, calls, last_word):
        asked = [
            {
                "index": i,
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": json.dumps(call.arguments)},
            }
            for i, call in enumerate(calls)
        ]
        message = {"role": "assistant", "content": None if asked else last_word}
        if asked:
            message["tool_calls"] = asked
        reason = "tool_calls" if asked else "stop"
        whole = {"id": "chat", "created": 1, "model": "scripted"}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        if not body.get("stream"):
            choice = {"index": 0, "message": message, "finish_reason": reason}
            return {**whole, "object": "chat.completion", "choices": [choice], "usage": usage}
        deltas = [{"role": "assistant", "content": "" if asked else last_word}]
        deltas += [{"tool_calls": [one]} for one in asked]
        choices = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
        choices.append({"index": 0, "delta": {}, "finish_reason": reason})
        chunks = [{"choices": [choice]} for choice in choices] + [{"choices": [], "usage": usage}]
        chunks = [{**whole, "object": "chat.completion.chunk", **chunk} for chunk in chunks]
        return [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks] + ["data: [DONE]\n\n"]


class Responses:
    path = "/responses"

    @staticmethod
    def results(body):
        items = body.get("input")
        return [
            (item.get("call_id"), text_of(item.get("output", "")))
            for item in (items if isinstance(items, list) else [])
            if item.get("type") in ("function_call_output", "custom_tool_call_output")
        ]

    @staticmethod
    def item(call):
        item = {"id": f"item_{call.id}", "call_id": call.id, "name": call.name, "status": "completed"}
        if call.name == "tool_search":
            return {**item, "type": "tool_search_call", "execution": "client", "arguments": call.arguments}
        if isinstance(call.arguments, str):
            return {**item, "type": "custom_tool_call", "input": call.arguments}
        namespace = {"namespace": call.namespace} if call.namespace else {}
        return {**item, "type": "function_call", "arguments": json.dumps(call.arguments), **namespace}

    @classmethod
    def reply(cls, body, calls, last_word):
        said = {"type": "output_text", "text": last_word, "annotations": []}
        word = {"type": "message", "id": "item", "role": "assistant", "status": "completed", "content": [said]}
        items = [cls.item(call) for call in calls] or [word]
        details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
        whole = {
            "id": "response",
            "object": "response",
            "created_at": 1,
            "model": "scripted",
            "status": "completed",
            "output": items,
            "tools": [],
            "tool_choice": "auto",
            "parallel_tool_calls": True,
            "usage": {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2, **details},
        }
        if not body.get("stream"):
            return whole
        events = [event("response.created", response={**whole, "status": "in_progress", "output": []})]
        for i, item in enumerate(items):
            at = {"output_index": i, "item_id": item["id"]}
            events.append(event("response.output_item.added", output_index=i, item=item))
            if item["type"] == "function_call":
                done = {"arguments": item["arguments"], "name": item["name"]}
                events.append(event("response.function_call_arguments.done", **at, **done))
            if item["type"] == "message":
                events.append(event("response.output_text.delta", **at, content_index=0, delta=last_word))
            events.append(event("response.output_item.done", output_index=i, item=item))
        return [*events, event("response.completed", response=whole)]


class Messages:
    path = "/messages"

    @staticmethod
    def results(body):
        blocks = [
            block
            for message in body.get("messages", [])
            for block in (message["content"] if isinstance(message.get("content"), list) else [])
        ]
        return [
            (block.get("tool_use_id"), text_of(block.get("content", "")))
            for block in blocks
            if block.get("type") == "tool_result"
        ]

    @staticmethod
    def reply(body, calls, last_word):
        blocks = [{"type": "tool_use", "id": c.id, "name": c.name, "input": c.arguments} for c in calls]
        ends = {"stop_reason": "tool_use" if blocks else "end_turn", "stop_sequence": None}
        blocks = blocks or [{"type": "text", "text": last_word}]
        usage = {"input_tokens": 1, "output_tokens": 1}
        whole = {"id": "message", "type": "message", "role": "assistant", "model": body.get("model"), "usage": usage}
        if not body.get("stream"):
            return {**whole, "content": blocks, **ends}
        events = [event("message_start", message={**whole, "content": [], "stop_reason": None, "stop_sequence": None})]
        for i, block in enumerate(blocks):
            if block["type"] == "text":
                empty, delta = {"text": ""}, {"type": "text_delta", "text": last_word}
            else:
                empty, delta = {"input": {}}, {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
            events.append(event("content_block_start", index=i, content_block={**block, **empty}))
            events.append(event("content_block_delta", index=i, delta=delta))
            events.append(event("content_block_stop", index=i))
        return [*events, event("message_delta", delta=ends, usage=usage), event("message_stop")]


class Gemini:
    path = "GenerateContent"

    @staticmethod
    def results(body):
        parts = [part for content in body.get("contents", []) for part in content.get("parts", [])]
        answers = [part["functionResponse"] for part in parts if "functionResponse" in part]
        return [(a.get("id"), text_of(a.get("response", {}).get("output", a.get("response")))) for a in answers]

    @staticmethod
    def reply(body, calls, last_word):
        parts = [{"functionCall": {"id": c.id, "name": c.name, "args": c.arguments}} for c in calls]
        content = {"role": "model", "parts": parts or [{"text": last_word}]}
        whole = {
            "candidates": [{"index": 0, "content": content, "finishReason": "STOP"}],
            "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
            "modelVersion": "scripted",
        }
        return [f"data: {json.dumps(whole)}\r\n\r\n"] if body.get("stream") else whole


def format_of(path):
    """Returns the interface of a request path, or None."""
    if path.endswith(("enerateContent",)):
        return Gemini
    return next((interface for interface in (Chat, Responses, Messages) if path.endswith(interface.path)), None)
