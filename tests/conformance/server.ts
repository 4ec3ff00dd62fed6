import { getRequestListener } from '@hono/node-server';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHttpHandler } from '../../src/bridge/mcp/http-handler.ts';
import { bus, createFixtureServer } from './fixture-server.ts';

// The suite's fixtures behind our own HTTP handler, as the product has it. Prints its address and runs until it is killed.

const handler = createHttpHandler(() => createFixtureServer() as never, { bus });
const listener = getRequestListener((request) => handler.fetch(request), { overrideGlobalObjects: false });
const server = createServer((request, response) => void listener(request, response));
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp\n`);
});
