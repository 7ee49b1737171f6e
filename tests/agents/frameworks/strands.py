"""An agent of Strands. Usage: strands.py URL CUTLINE ARGUMENT..."""

import sys

from mcp import StdioServerParameters, stdio_client
from strands import Agent
from strands.models.openai import OpenAIModel
from strands.tools.mcp import MCPClient

URL, COMMAND, *ARGUMENTS = sys.argv[1:]

model = OpenAIModel(client_args={"base_url": f"{URL}/v1", "api_key": "dummy"}, model_id="scripted")
cutline = MCPClient(lambda: stdio_client(StdioServerParameters(command=COMMAND, args=ARGUMENTS)))
with cutline:
    print(Agent(model=model, tools=cutline.list_tools_sync())("go"))
