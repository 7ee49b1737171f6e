// An agent of the OpenAI Agents SDK for JavaScript. Usage: openai_agents_js.mjs URL CUTLINE ARGUMENT...
import { Agent, MCPServerStdio, OpenAIProvider, Runner, setTracingDisabled } from "@openai/agents";

const [url, command, ...args] = process.argv.slice(2);

setTracingDisabled(true);
const cutline = new MCPServerStdio({ name: "cutline", command, args });
await cutline.connect();
const runner = new Runner({ modelProvider: new OpenAIProvider({ apiKey: "dummy", baseURL: `${url}/v1` }) });
const agent = new Agent({ name: "agent", model: "scripted", mcpServers: [cutline] });
console.log((await runner.run(agent, "go", { maxTurns: 100 })).finalOutput);
await cutline.close();
