"""Tests of the verdicts and the scripted model. Usage: python3 tests/agents/self_test.py"""

import unittest

from formats import Chat, Gemini, Messages, Responses
from model import Session
from scenarios import Call, next_offset, saved_file
from verdict import Served, judge

NOTICE = "[Showing lines 1-2 of 9. Use offset=3 to continue]"
ANSWER = f'one "1"\ntwo\n\n{NOTICE}'


class Got:
    """The result of a call at the model."""

    def __init__(self, text, call, **images):
        self.text, self.call, self.answered_at = text, call, 9
        self.images, self.image_chars = images.get("images", 0), images.get("image_chars", 0)


def script_of(step):
    """Returns a script with one step."""
    yield step


def verdict(seen, kind="right", says=(), answer=ANSWER, is_error=False, image=False, reached=True, **images):
    content = [{"type": "text", "text": answer}] + ([{"type": "image", "data": ""}] if image else [])
    result = {"content": content, "isError": is_error} if answer is not None else None
    call = Served("read", {}, 1, result, 2) if reached else None
    return judge(Got(seen, Call("read", {}, says, kind), **images), call)[0]


class Verdicts(unittest.TestCase):
    def test_whole_text_in_every_wrapping(self):
        for seen in (ANSWER, f"<tag>{ANSWER}</tag>", str([ANSWER]), '{"text": "one \\"1\\"\\ntwo\\n\\n' + NOTICE + '"}'):
            self.assertEqual(verdict(seen), "whole", seen)

    def test_faults_of_agents(self):
        self.assertEqual(verdict("one"), "lost notice")
        self.assertEqual(verdict(f"one … {NOTICE}"), "cut")
        self.assertEqual(verdict("invalid argument", reached=False), "refused")
        self.assertEqual(verdict("invalid argument", "wrong", reached=False), "own words")
        self.assertEqual(verdict("timed out", answer=None), "given up")
        self.assertEqual(verdict(None), "no result")
        self.assertEqual(verdict(ANSWER, image=True), "lost image")
        self.assertEqual(verdict(ANSWER, image=True, images=1), "whole")
        self.assertEqual(verdict(ANSWER, image=True, image_chars=4_400_000), "image as text")

    def test_faults_of_cutline(self):
        self.assertEqual(verdict(ANSWER, says=("^three",)), "wrong answer")
        self.assertEqual(verdict(ANSWER, is_error=True), "refused")
        self.assertEqual(verdict(ANSWER, "wrong"), "wrong answer")
        self.assertEqual(verdict(ANSWER, "wrong", is_error=True), "whole")


class Sessions(unittest.TestCase):
    def test_script_goes_on_by_what_the_model_got(self):
        def script():
            [text] = yield [Call("read", {})]
            yield [Call("read", {"offset": next_offset(text)})]

        tools = [{"function": {"name": "mcp__cutline__read"}}]
        session = Session(script())
        [asked], _ = session.answer(Chat, {"tools": tools})
        result = {"role": "tool", "tool_call_id": asked.id, "content": ANSWER}
        # A repeated request gets the same response.
        for _ in range(2):
            [again], _ = session.answer(Chat, {"tools": tools, "messages": [result]})
            self.assertEqual((again.name, again.arguments), ("mcp__cutline__read", {"offset": 3}))

    def test_built_in_tools_keep_their_names(self):
        tools = [{"function": {"name": name}} for name in ("bash", "cutline_bash")]
        for is_built_in, name in ((True, "bash"), (False, "cutline_bash")):
            session = Session(script_of([Call("bash", {}, is_built_in=is_built_in)]))
            [asked], _ = session.answer(Chat, {"tools": tools})
            self.assertEqual(asked.name, name)

    def test_results_are_found_in_all_four_interfaces(self):
        text = {"type": "text", "text": "a"}
        for interface, body in (
            (Chat, {"messages": [{"role": "tool", "tool_call_id": "i", "content": [text]}]}),
            (Responses, {"input": [{"type": "function_call_output", "call_id": "i", "output": "a"}]}),
            (Messages, {"messages": [{"content": [{"type": "tool_result", "tool_use_id": "i", "content": [text]}]}]}),
            (Gemini, {"contents": [{"parts": [{"functionResponse": {"id": "i", "response": {"output": "a"}}}]}]}),
        ):
            self.assertEqual(interface.results(body), [("i", "a")], interface)

    def test_notices_are_read_where_they_stand_in_json(self):
        self.assertEqual(saved_file('x\\n[Full output: /tmp/a-b.log]"}'), "/tmp/a-b.log")
        self.assertEqual(saved_file("Its output goes on to /tmp/o.log. Use bash"), "/tmp/o.log")


unittest.main()
