// A common interface to both versions of the official TypeScript SDK.

import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

/** Returns the versions that are installed in a folder of modules. */
export function sdks(modules) {
    const require = createRequire(join(resolve(modules), 'client.js'));

    /** Returns the second version in one of its modes. */
    function second(mode) {
        const { Client } = require('@modelcontextprotocol/client');
        const { StdioClientTransport } = require('@modelcontextprotocol/client/stdio');
        return {
            name: `typescript sdk 2, ${mode.pin ?? mode}`,
            legacy: mode === 'legacy',
            client: capabilities => new Client({ name: 'cutline-tests', version: '1' }, { capabilities, versionNegotiation: { mode } }),
            transport: parameters => new StdioClientTransport(parameters),
            call: (client, params, options) => client.callTool(params, options),
            onRoots: (client, handler) => client.setRequestHandler('roots/list', handler),
        };
    }

    /** Returns the first version, which supports only the handshake. */
    function first() {
        const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
        const { StdioClientTransport } = require('@modelcontextprotocol/sdk/client/stdio.js');
        const { ListRootsRequestSchema } = require('@modelcontextprotocol/sdk/types.js');
        return {
            name: 'typescript sdk 1',
            legacy: true,
            client: capabilities => new Client({ name: 'cutline-tests', version: '1' }, { capabilities }),
            transport: parameters => new StdioClientTransport(parameters),
            call: (client, params, options) => client.callTool(params, undefined, options),
            onRoots: (client, handler) => client.setRequestHandler(ListRootsRequestSchema, handler),
        };
    }

    return { second, first };
}
