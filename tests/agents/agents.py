"""The agents: the packages, the configuration and the start command of each.

A row writes the agent's configuration into the run's home, and returns its command and its own variables. The keys are
dummies: all that the agents speak to is the model on loopback. Another version is another package here.
"""

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

FRAMEWORKS = Path(__file__).resolve().parent / "frameworks"


@dataclass
class Agent:
    client: str
    packages: tuple
    start: Callable
    # Flags of cutline, for an agent that sends the name of a library as its client name.
    flags: tuple = ()
    # True if results reach the model as plain text, without ids.
    results_are_text: bool = False


AGENTS = {}


def agent(client, *packages, **more):
    """Registers a function as an agent. `client` (npm or pip) installs `packages`."""

    def add(start):
        AGENTS[start.__name__.replace("_", "-")] = Agent(client, packages, start, **more)
        return start

    return add


def stdio_entry(run, **more):
    """Returns the entry in the format of most clients."""
    return {"cutline": {"command": run.server[0], "args": run.server[1:], **more}}


@agent("npm", "@anthropic-ai/claude-code@2.1.330")
def claude_code(run):
    config = run.write("mcp.json", {"mcpServers": stdio_entry(run, type="stdio")})
    variables = {
        "ANTHROPIC_BASE_URL": run.url,
        "ANTHROPIC_API_KEY": "dummy",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
    }
    command = ["claude", "-p", "go", "--mcp-config", config, "--strict-mcp-config"]
    return [*command, "--allowedTools", "mcp__cutline", "Bash"], variables


def codex_with(run, model):
    run.write(
        ".codex/config.toml",
        f"""
model = "{model}"
model_provider = "scripted"
check_for_update_on_startup = false
analytics.enabled = false
[model_providers.scripted]
name = "scripted"
base_url = "{run.url}/v1"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
[mcp_servers.cutline]
command = {json.dumps(run.server[0])}
args = {json.dumps(run.server[1:])}
""",
    )
    return ["codex", "exec", "--dangerously-bypass-approvals-and-sandbox", "--skip-git-repo-check", "go"], {}


@agent("npm", "@openai/codex@0.169.0")
def codex(run):
    return codex_with(run, "scripted")


@agent("npm", "@openai/codex@0.169.0")
def codex_code(run):
    """Starts Codex with a model that calls tools from code."""
    return codex_with(run, "gpt-6.1-sol")


def opencode_config(run):
    model = {
        "name": "scripted",
        "tool_call": True,
        "attachment": True,
        "limit": {"context": 200_000, "output": 8000},
        "modalities": {"input": ["text", "image"], "output": ["text"]},
    }
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "options": {"baseURL": f"{run.url}/v1", "apiKey": "dummy"},
        "models": {"scripted": model},
    }
    return {
        "model": "scripted/scripted",
        "small_model": "scripted/scripted",
        "provider": {"scripted": provider},
        "permission": {"*": "allow"},
        "mcp": {"cutline": {"type": "local", "command": run.server}},
        "autoupdate": False,
        "share": "disabled",
    }


@agent("npm", "opencode-ai@1.18.33")
def opencode(run):
    variables = {
        "OPENCODE_CONFIG": run.write("opencode.json", opencode_config(run)),
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
    }
    return ["opencode", "run", "--print-logs", "go"], variables


@agent("npm", "@kilocode/cli-linux-x64@7.7.9")
def kilo(run):
    """Based on opencode. The package has the program itself, because the installer package can install a newer one."""
    variables = {
        "KILO_CONFIG": run.write("kilo.json", opencode_config(run)),
        "KILO_DISABLE_MODELS_FETCH": "1",
        "KILO_DISABLE_LSP_DOWNLOAD": "1",
        "KILO_DISABLE_AUTOUPDATE": "1",
        "KILO_DISABLE_SESSION_INGEST": "1",
    }
    program = run.programs.parent / "@kilocode/cli-linux-x64/bin/kilo"
    return [str(program), "run", "--auto", "--print-logs", "go"], variables


@agent("npm", "@github/copilot@1.0.102")
def copilot(run):
    config = run.write("mcp.json", {"mcpServers": stdio_entry(run, type="local", tools=["*"])})
    variables = {
        "COPILOT_PROVIDER_BASE_URL": f"{run.url}/v1",
        "COPILOT_PROVIDER_API_KEY": "dummy",
        "COPILOT_MODEL": "gpt-4.1",
        "COPILOT_OFFLINE": "true",
    }
    flags = ["--allow-all-tools", "--no-auto-update", "--disable-builtin-mcps", "--disable-client-telemetry"]
    return ["copilot", "-p", "go", *flags, "--additional-mcp-config", f"@{config}"], variables


@agent("npm", "@google/gemini-cli@0.61.0")
def gemini(run):
    settings = {
        "mcpServers": stdio_entry(run, trust=True),
        "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
        "privacy": {"usageStatisticsEnabled": False},
        "general": {"enableAutoUpdate": False},
    }
    run.write(".gemini/settings.json", settings)
    variables = {
        "GEMINI_API_KEY": "dummy",
        "GOOGLE_GEMINI_BASE_URL": run.url,
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
    }
    return ["gemini", "-m", "gemini-2.5-pro", "--yolo", "-p", "go"], variables


@agent("npm", "@qwen-code/qwen-code@0.24.4")
def qwen(run):
    settings = {
        "mcpServers": stdio_entry(run, trust=True),
        "security": {"auth": {"selectedType": "openai"}, "folderTrust": {"enabled": False}},
        "privacy": {"usageStatisticsEnabled": False},
        "general": {"enableAutoUpdate": False},
    }
    run.write(".qwen/settings.json", settings)
    variables = {"OPENAI_API_KEY": "dummy", "OPENAI_BASE_URL": f"{run.url}/v1", "OPENAI_MODEL": "qwen3-vl-plus"}
    return ["qwen", "--auth-type", "openai", "--yolo", "go"], variables


@agent("npm", "cline@3.0.65")
def cline(run):
    run.write(".cline/data/settings/cline_mcp_settings.json", {"mcpServers": stdio_entry(run)})
    provider = {"provider": "openai-compatible", "apiKey": "dummy", "model": "scripted", "baseUrl": f"{run.url}/v1"}
    providers = {
        "version": 1,
        "lastUsedProvider": "openai-compatible",
        "providers": {
            "openai-compatible": {
                "settings": provider,
                "updatedAt": "2026-01-01T00:00:00.000Z",
                "tokenSource": "manual",
            }
        },
    }
    run.write(".cline/data/settings/providers.json", providers)
    return ["cline", "-P", "openai-compatible", "-m", "scripted", "--auto-approve", "true", "do as the model says"], {}


@agent("npm", "@continuedev/cli@1.5.47")
def continue_cli(run):
    entry = {"name": "cutline", "command": run.server[0], "args": run.server[1:]}
    model = {
        "name": "scripted",
        "provider": "openai",
        "model": "gpt-4o",
        "apiKey": "dummy",
        "apiBase": f"{run.url}/v1",
        "roles": ["chat"],
        "capabilities": ["tool_use", "image_input"],
    }
    # JSON is valid YAML.
    config = {"name": "scripted", "version": "1.0.0", "schema": "v1", "models": [model], "mcpServers": [entry]}
    path = run.write("config.yaml", config)
    variables = {"CONTINUE_CLI_ENABLE_TELEMETRY": "0", "CONTINUE_TELEMETRY_ENABLED": "0"}
    return ["cn", "--config", path, "--auto", "-p", "go"], variables


def framework(name, client, *packages, **more):
    """Registers a framework: a program in `frameworks` that gets the address of the model and the command of cutline."""
    programs = [FRAMEWORKS / f"{name.replace('-', '_')}{end}" for end in (".py", ".mjs")]
    [program] = [path for path in programs if path.exists()]

    def start(run):
        variables = {"GOOGLE_API_KEY": "dummy", "OPENAI_API_KEY": "dummy"}
        if client == "pip":
            # Isolated mode, because files in this folder have the names of packages.
            return ["python", "-I", str(program), run.url, *run.server], variables
        # Node searches packages next to the program.
        beside = shutil.copy(program, run.programs.parents[1])
        return ["node", beside, run.url, *run.server], variables

    AGENTS[name] = Agent(client, packages, start, **more)


framework("openai-agents", "pip", "openai-agents==0.24.0", flags=("--fit", "openai-agents"))
framework("pydantic-ai", "pip", "pydantic-ai-slim[mcp,openai]==2.68.0")
framework("google-adk", "pip", "google-adk==2.13.0", "mcp==2.3.0")
framework("langchain", "pip", "langchain==1.4.7", "langchain-mcp-adapters==0.3.2", "langchain-openai==1.7.3")
framework(
    "llama-index",
    "pip",
    "llama-index-tools-mcp==0.6.0",
    "llama-index-core==0.14.25",
    "llama-index-llms-openai-like==0.8.1",
    flags=("--fit", "llama-index"),
)
framework(
    "smolagents", "pip", "smolagents[mcp,openai]==1.26.0", "mcp==1.30.0", results_are_text=True, flags=("--fit", "smolagents"),
)
framework(
    "autogen", "pip", "autogen-agentchat==0.7.5", "autogen-ext[mcp,openai]==0.7.5", "mcp==1.30.0", flags=("--fit", "autogen"),
)
framework("agno", "pip", "agno==3.1.10", "fastmcp>=4,<5", "openai==3.54.0", flags=("--fit", "agno"))
framework("strands", "pip", "strands-agents[openai]==1.62.0")
framework("crewai", "pip", "crewai==1.15.30", "crewai-tools[mcp]==1.15.30", flags=("--fit", "crewai"))
framework("ai-sdk", "npm", "ai@6.0.326", "@ai-sdk/mcp@1.0.101", "@ai-sdk/openai-compatible@2.0.87")
framework(
    "mastra", "npm", "@mastra/core@0.24.9", "@mastra/mcp@0.14.5", "@ai-sdk/openai-compatible@1.0.61", flags=("--fit", "mastra"),
)
framework("openai-agents-js", "npm", "@openai/agents@0.20.0", flags=("--fit", "openai-agents-js"))
