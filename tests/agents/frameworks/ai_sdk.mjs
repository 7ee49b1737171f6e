// An agent of the AI SDK. Usage: ai_sdk.mjs URL CUTLINE ARGUMENT...
import { generateText, stepCountIs } from "ai";
import { createMCPClient } from "@ai-sdk/mcp";
import { Experimental_StdioMCPTransport as Transport } from "@ai-sdk/mcp/mcp-stdio";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";

const [url, command, ...args] = process.argv.slice(2);

const cutline = await createMCPClient({ transport: new Transport({ command, args }) });
const model = createOpenAICompatible({ name: "scripted", baseURL: `${url}/v1`, apiKey: "dummy" })("scripted");
const { text } = await generateText({ model, tools: await cutline.tools(), stopWhen: stepCountIs(100), prompt: "go" });
console.log(text);
await cutline.close();
