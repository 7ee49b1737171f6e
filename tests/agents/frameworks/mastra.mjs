// An agent of Mastra. Usage: mastra.mjs URL CUTLINE ARGUMENT...
import { Agent } from "@mastra/core/agent";
import { MCPClient } from "@mastra/mcp";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";

const [url, command, ...args] = process.argv.slice(2);

const cutline = new MCPClient({ servers: { cutline: { command, args } } });
const model = createOpenAICompatible({ name: "scripted", baseURL: `${url}/v1`, apiKey: "dummy" })("scripted");
const agent = new Agent({ id: "agent", name: "agent", instructions: "go", model, tools: await cutline.getTools() });
console.log((await agent.generate("go", { maxSteps: 100 })).text);
await cutline.disconnect();
