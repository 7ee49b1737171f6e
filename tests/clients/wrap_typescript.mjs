// Wraps existing servers, and tests each with the official TypeScript SDK in both kinds of protocol revisions, direct and
// wrapped.
//
// Usage: wrap_typescript.mjs PATH_TO_CUTLINE PATH_TO_NODE_MODULES
//
// Results within the limits must be equal. Results over the limits must be truncated and still match the output schema of
// the tool. The SDK checks this and throws. Any difference ends the script with a stack trace.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { sdks } from './sdks.mjs';

const TIMEOUT_MS = 60_000;
const LIMIT_BYTES = 2000;

const binary = resolve(process.argv[2]);
const modules = resolve(process.argv[3]);
const { second, first } = sdks(modules);
const node = name => ['node', join(modules, '@modelcontextprotocol', name, 'dist', 'index.js')];

const entities = Array.from({ length: 100 }, (_, n) => ({ name: `entity ${n}`, entityType: 'thing', observations: [`é ${n}`] }));

const servers = {
    'server-everything': {
        command: () => node('server-everything'),
        same: [['echo', { message: 'hello' }], ['get-structured-content', { location: 'Chicago' }], ['get-tiny-image', {}]],
        cut: [['echo', { message: 'x\n'.repeat(3000) }]],
    },
    'server-filesystem': {
        command: folder => [...node('server-filesystem'), folder],
        same: [['read_text_file', { path: 'small.txt' }], ['read_text_file', { path: 'missing.txt' }]],
        cut: [['read_text_file', { path: 'big.txt' }]],
    },
    'server-memory': {
        command: () => node('server-memory'),
        prepare: [['create_entities', { entities }]],
        same: [['open_nodes', { names: ['entity 7'] }]],
        cut: [['read_graph', {}]],
    },
    cutline: {
        command: folder => [binary, '--root', folder, '--structured', '--max-bytes', '1MB', '--log', 'error'],
        same: [['read', { path: 'small.txt' }], ['read', { path: 'missing.txt' }], ['ls', {}]],
        cut: [['read', { path: 'big.txt' }]],
    },
};

async function session(sdk, name, server) {
    const base = realpathSync(mkdtempSync(join(tmpdir(), 'cutline-ts-')));
    const folder = join(base, 'work');
    mkdirSync(folder);
    writeFileSync(join(folder, 'small.txt'), 'small\n');
    writeFileSync(join(folder, 'big.txt'), Array.from({ length: 2000 }, (_, n) => `line ${n + 1}\n`).join(''));
    const command = server.command(folder);
    const wrap = [binary, 'wrap', '--max-bytes', `${LIMIT_BYTES}`, '--spill-dir', base, '--log', 'error', '--'];
    const start = async (words, memory) => {
        const client = sdk.client({});
        const env = { ...process.env, MEMORY_FILE_PATH: join(base, memory) };
        await client.connect(sdk.transport({ command: words[0], args: words.slice(1), cwd: folder, env, stderr: 'ignore' }));
        const { tools } = await client.listTools();
        const call = (tool, given) => {
            const path = given.path && name === 'server-filesystem' ? { path: join(folder, given.path) } : {};
            return sdk.call(client, { name: tool, arguments: { ...given, ...path } }, { timeout: TIMEOUT_MS });
        };
        for (const [tool, given] of server.prepare ?? []) {
            await call(tool, given);
        }
        return { client, tools, call };
    };
    const direct = await start(command, 'direct.jsonl');
    const wrapped = await start([...wrap, ...command], 'wrapped.jsonl');
    try {
        assert.deepEqual(wrapped.tools, direct.tools);
        for (const [tool, given] of server.same) {
            assert.deepEqual(await wrapped.call(tool, given), await direct.call(tool, given), tool);
        }
        for (const [tool, given] of server.cut) {
            const whole = await direct.call(tool, given);
            const result = await wrapped.call(tool, given);
            const { truncation, fullOutputPath } = result._meta.details;
            assert(truncation.truncated, JSON.stringify(result._meta));
            const notice = result.content.find(block => block.text.includes('[Showing ')).text;
            assert(notice.includes(`(2KB limit`) && notice.includes(fullOutputPath), notice);
            const shown = result.content.reduce((sum, block) => sum + Buffer.byteLength(block.text), 0);
            assert(shown <= LIMIT_BYTES + 1000, `${shown} bytes`);
            const saved = readFileSync(fullOutputPath, 'utf8');
            const text = whole.content[0].text;
            if (fullOutputPath.endsWith('.json')) {
                assert.deepEqual(JSON.parse(saved), JSON.parse(text));
            } else {
                assert.equal(saved, text);
            }
            assert.equal(result.structuredContent === undefined, whole.structuredContent === undefined);
            assert(Buffer.byteLength(JSON.stringify(result.structuredContent ?? null)) <= LIMIT_BYTES);
        }
        const failure = client => client.call('no-such-tool', {}).then(result => result, error => `${error.code} ${error.message}`);
        assert.deepEqual(await failure(wrapped), await failure(direct));
    } finally {
        await wrapped.client.close();
        await direct.client.close();
        rmSync(base, { recursive: true });
    }
}

for (const sdk of [second('legacy'), second('auto'), first()]) {
    for (const [name, server] of Object.entries(servers)) {
        await session(sdk, name, server);
    }
    console.log(`${sdk.name}, wrapped servers: ok`);
}
// The only one of these servers that supports only the stateless revision.
await session(second({ pin: '2026-07-28' }), 'cutline', servers.cutline);
console.log('stateless era, wrapped: ok');
