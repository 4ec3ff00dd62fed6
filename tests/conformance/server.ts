import { isLegacyRequest } from '@modelcontextprotocol/server';
import { getRequestListener } from '@hono/node-server';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHttpHandler } from '../../src/bridge/http-handler.ts';
import { bus, createFixtureServer } from './fixture-server.ts';
import { createSessions } from './sessions.ts';

// The suite's fixtures behind our own HTTP handler. `--sessions` gives 2025 clients sessions, behind the same checks:
// a request that our handler refuses is refused here too. Prints its address and runs until it is killed.

const handler = createHttpHandler(() => createFixtureServer() as never, { bus });
const sessions = process.argv.includes('--sessions') ? createSessions(createFixtureServer) : undefined;

const listener = getRequestListener(
  async (request) => {
    if (sessions === undefined || !(await isLegacyRequest(request.clone()))) return handler.fetch(request);
    // An empty message passes the checks of Host and Origin, or not, and does nothing else.
    const probe = await handler.fetch(
      new Request(request.url, { method: 'OPTIONS', headers: request.headers }),
    );
    return probe.status === 403 ? probe : sessions.fetch(request);
  },
  { overrideGlobalObjects: false },
);
const server = createServer((request, response) => void listener(request, response));
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp\n`);
});
