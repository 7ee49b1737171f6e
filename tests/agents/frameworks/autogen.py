"""An agent of AutoGen. Usage: autogen.py URL CUTLINE ARGUMENT..."""

import asyncio
import sys

from autogen_agentchat.agents import AssistantAgent
from autogen_ext.models.openai import OpenAIChatCompletionClient
from autogen_ext.tools.mcp import McpWorkbench, StdioServerParams

URL, COMMAND, *ARGUMENTS = sys.argv[1:]


async def main():
    info = {"vision": True, "function_calling": True, "json_output": True, "structured_output": True, "family": "unknown"}
    model = OpenAIChatCompletionClient(model="scripted", base_url=f"{URL}/v1", api_key="dummy", model_info=info)
    async with McpWorkbench(StdioServerParams(command=COMMAND, args=ARGUMENTS)) as cutline:
        agent = AssistantAgent("agent", model, workbench=cutline, max_tool_iterations=100)
        result = await agent.run(task="go")
        print(result.messages[-1])


asyncio.run(main())
