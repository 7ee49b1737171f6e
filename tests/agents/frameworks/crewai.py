"""An agent of CrewAI. Usage: crewai.py URL CUTLINE ARGUMENT..."""

import sys

from crewai import LLM, Agent, Crew, Task
from crewai_tools import MCPServerAdapter
from mcp import StdioServerParameters

URL, COMMAND, *ARGUMENTS = sys.argv[1:]

model = LLM(model="openai/gpt-4o", base_url=f"{URL}/v1", api_key="dummy")
with MCPServerAdapter(StdioServerParameters(command=COMMAND, args=ARGUMENTS)) as tools:
    agent = Agent(role="a", goal="b", backstory="c", tools=tools, llm=model, max_iter=100)
    task = Task(description="go", expected_output="words", agent=agent)
    print(Crew(agents=[agent], tasks=[task]).kickoff())
