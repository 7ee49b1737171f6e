"""An agent of LangChain, by its MCP adapters. Usage: langchain.py URL CUTLINE ARGUMENT..."""

import asyncio
import sys

from langchain.agents import create_agent
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_mcp_adapters.tools import load_mcp_tools
from langchain_openai import ChatOpenAI

URL, COMMAND, *ARGUMENTS = sys.argv[1:]


async def main():
    client = MultiServerMCPClient({"cutline": {"transport": "stdio", "command": COMMAND, "args": ARGUMENTS}})
    async with client.session("cutline") as session:
        model = ChatOpenAI(model="scripted", base_url=f"{URL}/v1", api_key="dummy")
        agent = create_agent(model, await load_mcp_tools(session))
        result = await agent.ainvoke({"messages": [("user", "go")]}, {"recursion_limit": 300})
        print(result["messages"][-1].content)


asyncio.run(main())
