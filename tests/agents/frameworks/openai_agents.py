"""An agent of the OpenAI Agents SDK. Usage: openai_agents.py URL CUTLINE ARGUMENT..."""

import asyncio
import sys

from agents import Agent, OpenAIResponsesModel, Runner, set_tracing_disabled
from agents.mcp import MCPServerStdio
from openai import AsyncOpenAI

URL, COMMAND, *ARGUMENTS = sys.argv[1:]


async def main():
    set_tracing_disabled(True)
    client = AsyncOpenAI(base_url=f"{URL}/v1", api_key="dummy")
    model = OpenAIResponsesModel(model="scripted", openai_client=client)
    async with MCPServerStdio(params={"command": COMMAND, "args": ARGUMENTS}) as cutline:
        agent = Agent(name="agent", model=model, mcp_servers=[cutline])
        result = await Runner.run(agent, "go", max_turns=100)
        print(result.final_output)


asyncio.run(main())
