"""An agent of Pydantic AI. Usage: pydantic_ai.py URL CUTLINE ARGUMENT..."""

import asyncio
import sys

from fastmcp.client.transports import StdioTransport
from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.usage import UsageLimits

URL, COMMAND, *ARGUMENTS = sys.argv[1:]


async def main():
    model = OpenAIChatModel("scripted", provider=OpenAIProvider(base_url=f"{URL}/v1", api_key="dummy"))
    cutline = MCPToolset(StdioTransport(COMMAND, ARGUMENTS))
    async with Agent(model, toolsets=[cutline], retries=10) as agent:
        result = await agent.run("go", usage_limits=UsageLimits(request_limit=100))
        print(result.output)


asyncio.run(main())
