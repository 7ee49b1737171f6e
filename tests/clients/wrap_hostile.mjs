// Wraps a hostile server, and calls each of its tools with both versions of the official TypeScript SDK.
//
// Usage: wrap_hostile.mjs PATH_TO_CUTLINE PATH_TO_NODE_MODULES PATH_TO_PYTHON
//
// Each call must end with a result within the limits, or with an error. The connection
// must stay usable. Any other outcome ends it with a stack trace.

import assert from 'node:assert/strict';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sdks } from './sdks.mjs';

const TIMEOUT_MS = 60_000;
const LIMIT = 30_000;
const SLACK = 8_000;
const SERVER = fileURLToPath(new URL('hostile_server.py', import.meta.url));

const [binary, modules, python] = process.argv.slice(2);
const { second, first } = sdks(modules);

async function check(call, tool) {
    const result = await call(tool).catch(error => error);
    if (result instanceof Error) {
        const said = result.message + JSON.stringify(result.data);
        assert(/Invalid response of the server|\[truncated\]/.test(said), `${tool}: ${result.stack.slice(-500)}`);
    }
    const bytes = Buffer.byteLength(JSON.stringify(result instanceof Error ? [result.message, result.data] : result));
    assert(bytes <= LIMIT + SLACK, `${tool}: ${bytes} bytes`);
    // The connection is still usable.
    assert.equal((await call('small')).content[0].text, 'small', tool);
}

async function session(sdk) {
    const base = realpathSync(mkdtempSync(join(tmpdir(), 'cutline-ts-')));
    const client = sdk.client({});
    const args = ['wrap', '--spill-dir', base, '--log', 'error', '--', python, SERVER];
    await client.connect(sdk.transport({ command: resolve(binary), args, stderr: 'ignore' }));
    const call = name => sdk.call(client, { name, arguments: {} }, { timeout: TIMEOUT_MS });
    try {
        const { tools } = await client.listTools();
        assert(tools.length > 30, `${tools.length} tools`);
        for (const { name } of tools) {
            await check(call, name);
        }
        console.log(`${sdk.name}, hostile server, wrapped: ok, ${tools.length} cases`);
    } finally {
        await client.close();
        rmSync(base, { recursive: true });
    }
}

for (const sdk of [second('legacy'), first()]) {
    await session(sdk);
}
