"""An agent of Agno. Usage: agno.py URL CUTLINE ARGUMENT..."""

import asyncio
import sys

from agno.agent import Agent
from agno.models.openai import OpenAILike
from agno.tools.mcp import MCPTools
from mcp import StdioServerParameters

URL, COMMAND, *ARGUMENTS = sys.argv[1:]


async def main():
    async with MCPTools(server_params=StdioServerParameters(command=COMMAND, args=ARGUMENTS)) as cutline:
        agent = Agent(model=OpenAILike(id="scripted", base_url=f"{URL}/v1", api_key="dummy"), tools=[cutline], telemetry=False)
        print((await agent.arun("go")).content)


asyncio.run(main())
