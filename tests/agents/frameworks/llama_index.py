"""An agent of LlamaIndex. Usage: llama_index.py URL CUTLINE ARGUMENT..."""

import asyncio
import sys

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.llms.openai_like import OpenAILike
from llama_index.tools.mcp import BasicMCPClient, McpToolSpec

URL, COMMAND, *ARGUMENTS = sys.argv[1:]


async def main():
    tools = await McpToolSpec(BasicMCPClient(COMMAND, ARGUMENTS)).to_tool_list_async()
    model = OpenAILike("scripted", api_base=f"{URL}/v1", api_key="dummy", is_chat_model=True, is_function_calling_model=True)
    agent = FunctionAgent(tools=tools, llm=model)
    print(await agent.run("go", max_iterations=100))


asyncio.run(main())
