"""An agent of Google's Agent Development Kit. Usage: google_adk.py URL CUTLINE ARGUMENT..."""

import asyncio
import os
import sys

URL, COMMAND, *ARGUMENTS = sys.argv[1:]
# Read when the package is imported.
os.environ["GOOGLE_GEMINI_BASE_URL"] = URL

from google.adk.agents import LlmAgent  # noqa: E402
from google.adk.runners import InMemoryRunner  # noqa: E402
from google.adk.tools.mcp_tool import McpToolset  # noqa: E402
from google.adk.tools.mcp_tool.mcp_session_manager import StdioConnectionParams  # noqa: E402
from google.genai import types  # noqa: E402
from mcp import StdioServerParameters  # noqa: E402


async def main():
    server = StdioServerParameters(command=COMMAND, args=ARGUMENTS)
    cutline = McpToolset(connection_params=StdioConnectionParams(server_params=server))
    agent = LlmAgent(model="gemini-2.5-pro", name="agent", tools=[cutline])
    runner = InMemoryRunner(agent=agent, app_name="app")
    session = await runner.session_service.create_session(app_name="app", user_id="user")
    message = types.Content(role="user", parts=[types.Part(text="go")])
    async for event in runner.run_async(user_id="user", session_id=session.id, new_message=message):
        if event.is_final_response():
            print(event.content)
    await cutline.close()


asyncio.run(main())
