// Tests cutline with the official TypeScript SDK: its second version in both kinds of protocol revisions, and its first
// version, which most clients use.
//
// Usage: typescript_sdk.mjs PATH_TO_CUTLINE PATH_TO_NODE_MODULES
//
// The tests use the interface of the SDK: the list, a call of each tool with its text and its `_meta.details`, errors,
// progress, a timeout, a cancellation, many concurrent calls, roots, and a client that closes during a call. Any difference
// ends the script with a stack trace.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { sdks } from './sdks.mjs';

const TOOLS = ['read', 'bash', 'grep', 'find', 'ls'];
const TIMEOUT_MS = 30_000;
const AT_ONCE = 100;

const binary = resolve(process.argv[2]);
const { second, first } = sdks(process.argv[3]);

/** Starts a server in a folder with files and runs `test`. */
async function session(sdk, { flags = root => ['--root', root], capabilities = {}, prepare = () => {} } = {}, test) {
    const base = realpathSync(mkdtempSync(join(tmpdir(), 'cutline-ts-')));
    const root = join(base, 'work');
    mkdirSync(join(root, 'sub'), { recursive: true });
    writeFileSync(join(root, 'big.txt'), Array.from({ length: 5000 }, (_, n) => `line ${n + 1}\n`).join(''));
    writeFileSync(join(root, 'sub', 'small.txt'), 'small\n');
    const args = [...flags(root), '--spill-dir', base, '--log', 'error'];
    const client = sdk.client(capabilities);
    prepare(client, root);
    const transport = sdk.transport({ command: binary, args, cwd: base, stderr: 'inherit' });
    await client.connect(transport);
    const call = (name, args, options) => sdk.call(client, { name, arguments: args }, { timeout: TIMEOUT_MS, ...options });
    try {
        await test({ client, transport, call, base, root });
    } finally {
        await client.close();
        rmSync(base, { recursive: true });
    }
}

const PART_OF_TEXT = '[The line above is part of the text, not a notice]';

const text = result => {
    if (result.content.at(-1).text === PART_OF_TEXT && basename(process.argv[2]) === 'wrapped') {
        // The wrap does not know that the notices of the wrapped server are those of cutline.
        result.content.pop();
    }
    assert.equal(result.content.length, 1);
    return result.content[0].text;
};
const details = result => result._meta?.details ?? {};

async function listAndCalls({ client, call }) {
    const { tools } = await client.listTools();
    assert.deepEqual(tools.map(tool => tool.name), TOOLS);
    for (const tool of tools) {
        assert(tool.title && tool.description && tool.annotations, tool.name);
        assert.equal(tool.inputSchema.type, 'object');
    }

    const page = await call('read', { path: 'big.txt' });
    assert(text(page).startsWith('line 1\nline 2\n'));
    assert(text(page).endsWith('\n\n[Showing lines 1-2000 of 5000. Use offset=2001 to continue]'));
    assert.equal(details(page).nextOffset, 2001);
    assert.equal(page.structuredContent, undefined);

    const command = await call('bash', { command: 'echo hi; exit 3' });
    assert.equal(text(command), 'hi\n\nCommand exited with code 3');
    assert.equal(details(command).exitCode, 3);
    assert(!command.isError);

    assert.equal(text(await call('grep', { pattern: 'line 4999$' })), 'big.txt:4999: line 4999');
    assert.equal(text(await call('find', { pattern: '*.txt' })), 'big.txt\nsub/small.txt');
    assert.equal(text(await call('ls', {})), 'big.txt\nsub/');

    const missing = await call('read', { path: 'missing' });
    assert.equal(text(missing), 'File not found: missing');
    assert.equal(missing.isError, true);
    await assert.rejects(call('write', {}), /Unknown tool: write/);
}

async function progress({ call }) {
    const told = [];
    const command = 'for i in 1 2 3; do echo step $i; sleep 0.4; done';
    const result = await call('bash', { command }, { onprogress: news => told.push(news) });
    assert.equal(text(result), 'step 1\nstep 2\nstep 3\n');
    assert(told.some(({ message }) => message?.includes('step')), JSON.stringify(told));
    assert(told.every(({ progress }, n) => n === 0 || progress > told[n - 1].progress), JSON.stringify(told));
    // Progress notifications restart the timeout, so the call can last longer.
    const long = { timeout: 3000, resetTimeoutOnProgress: true, onprogress: () => {} };
    assert.equal(text(await call('bash', { command: 'for i in 1 2 3 4 5 6 7 8; do echo $i; sleep 0.5; done' }, long)).length, 16);
}

async function cancelled({ call, root }) {
    await assert.rejects(call('bash', { command: 'exec sleep 600' }, { timeout: 500 }));
    await gone(root);
    const abort = new AbortController();
    const running = call('bash', { command: 'touch started; exec sleep 600' }, { signal: abort.signal });
    await until(() => readdirSync(root).includes('started'));
    abort.abort();
    await assert.rejects(running);
    await gone(root);
    rmSync(join(root, 'started'));
    assert.equal(text(await call('bash', { command: 'echo still here' })), 'still here\n');
}

async function manyAtOnce({ call }) {
    const numbers = Array.from({ length: AT_ONCE }, (_, n) => n + 1);
    const answers = await Promise.all(
        numbers.map(n => (n % 2 ? call('read', { path: 'big.txt', offset: n, limit: 1 }) : call('bash', { command: `echo line ${n}` })))
    );
    answers.forEach((answer, at) => assert(text(answer).startsWith(`line ${at + 1}\n`), text(answer)));
}

/** A client that closes while a command runs: the server and the command end. */
async function closesInTheMiddle(sdk) {
    await session(sdk, {}, async ({ client, transport, call, root }) => {
        const server = transport.pid;
        const running = call('bash', { command: 'touch started; sleep 600 & exec sleep 600' });
        await until(() => readdirSync(root).includes('started'));
        await client.close();
        // The call can still get an error that it was ended.
        const last = await running.catch(() => undefined);
        assert(last === undefined || last.isError, JSON.stringify(last));
        await gone(root);
        await until(() => !isAlive(server));
    });
}

/** Roots of the client apply, and so do their changes. */
async function offersRoots(sdk) {
    let offered;
    const prepare = (client, root) => {
        offered = root;
        sdk.onRoots(client, () => ({ roots: [{ uri: pathToFileURL(offered).href }] }));
    };
    const given = { flags: () => [], capabilities: { roots: { listChanged: true } }, prepare };
    await session(sdk, given, async ({ client, call, base }) => {
        assert.equal(text(await call('ls', {})), 'big.txt\nsub/');
        // A root inside the first one would not be accepted, because a command could have created it.
        offered = join(base, 'other');
        mkdirSync(offered);
        writeFileSync(join(offered, 'small.txt'), 'small\n');
        await client.sendRootsListChanged();
        await until(async () => text(await call('ls', {})) === 'small.txt');
        assert.equal((await call('read', { path: join(base, 'work', 'big.txt') })).isError, true);
    });
}

async function until(happened) {
    const start = Date.now();
    while (!(await happened())) {
        assert(Date.now() - start < TIMEOUT_MS, `still waiting: ${happened}`);
        await sleep(20);
    }
}

const gone = root => until(() => processesIn(root).length === 0);

/** Returns the ids of processes that run in a folder. */
function processesIn(folder) {
    return readdirSync('/proc').filter(name => {
        try {
            return /^\d+$/.test(name) && readlinkSync(`/proc/${name}/cwd`) === folder;
        } catch {
            return false;
        }
    });
}

function isAlive(id) {
    try {
        return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${id}/stat`, 'utf8'));
    } catch {
        return false;
    }
}

for (const sdk of [second('legacy'), second('auto'), second({ pin: '2026-07-28' }), first()]) {
    for (const test of [listAndCalls, progress, cancelled, manyAtOnce]) {
        await session(sdk, {}, test);
    }
    await closesInTheMiddle(sdk);
    if (sdk.legacy) {
        await offersRoots(sdk);
    }
    console.log(`${sdk.name}: ok`);
}
