"""An agent of smolagents. Usage: smolagents.py URL CUTLINE ARGUMENT..."""

import sys

from mcp import StdioServerParameters
from smolagents import MCPClient, OpenAIModel, ToolCallingAgent

URL, COMMAND, *ARGUMENTS = sys.argv[1:]

model = OpenAIModel("scripted", api_base=f"{URL}/v1", api_key="dummy")
with MCPClient(StdioServerParameters(command=COMMAND, args=ARGUMENTS)) as tools:
    print(ToolCallingAgent(tools, model).run("go", max_steps=100))
