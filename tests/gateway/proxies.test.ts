import { mkdtempSync, readFileSync } from 'node:fs';
import type { LookupFunction } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Agent, fetch as fetchWith } from 'undici';
import { describe, expect, test } from 'vitest';
import { HeadgateError } from '../../src/core/errors.ts';
import type { GuardedFetch } from '../../src/net/fetch.ts';
import { createTestGateway } from '../support/gateway/gateway.ts';
import { sayNotRun } from '../support/not-run.ts';
import {
  findProgram,
  freePorts,
  makeCertificate,
  PROXY_NAME,
  startOnePort,
  startProxy,
} from '../support/proxy.ts';
import { sized } from '../support/sized.ts';
import { until } from '../support/until.ts';

/** The files of `packaging/proxy` in the proxies that they are for. */
const proxies = (['nginx', 'caddy'] as const).map((name) => ({ name, program: findProgram(name) }));
for (const { name, program } of proxies)
  if (program === undefined) sayNotRun(`a gateway behind ${name}`, name);

/** Where there is only one of them, a small run has that one. */
const some = proxies
  .toSorted((a, b) => Number(a.program === undefined) - Number(b.program === undefined))
  .slice(0, sized('proxies in front of a gateway', { small: 1, large: 2, full: 2 }));

describe.each(some)('a gateway behind $name', ({ name, program }) => {
  test.skipIf(program === undefined)(
    'is called over TLS: callers keep their own addresses, streams come through at once, and a gateway that is gone is passed over',
    async () => {
      // No page is read before the client has heard of progress: a proxy that holds streams back fails.
      let heard = (): void => undefined;
      const hasHeard = new Promise<void>((resolve) => (heard = resolve));
      const web: GuardedFetch = async () => {
        await hasHeard;
        throw new HeadgateError('network_error', 'The host does not answer.');
      };
      const config = { 'server.public_url': `https://${PROXY_NAME}`, 'server.behind_proxy': true };
      const gateway = await createTestGateway({ config, web });
      const folder = mkdtempSync(join(tmpdir(), 'headgate-proxy-'));
      const [port = 0, gone = 0, onePort = 0] = await freePorts(3);
      const { url } = await gateway.listen();
      const { certificate } = makeCertificate(folder, port);
      // The name of the example leads to this machine.
      const lookup: LookupFunction = (_name, _options, found) =>
        found(null, [{ address: '127.0.0.1', family: 4 }]);
      const dispatcher = new Agent({ connect: { ca: readFileSync(certificate), lookup } });
      const base = `https://${PROXY_NAME}:${port}`;
      const proxy = await startProxy(name, program ?? '', {
        folder,
        port,
        gateways: [gone, Number(new URL(url).port)],
      });
      const request = ((address: string, init?: object) =>
        fetchWith(address, { ...init, dispatcher })) as unknown as typeof fetch;
      const client = new Client({ name: 'test', version: '1' });
      try {
        await until(async () => (await request(`${base}/readyz`).catch(() => undefined))?.ok === true);
        const { workspace } = await gateway.newKey();
        const { keys } = gateway.world.store;
        const limited = async (networks: string[]): Promise<string> => {
          const { key } = await keys.create({ workspace, label: 'test', networks });
          const headers = { authorization: `Bearer ${key}`, 'x-forwarded-for': '203.0.113.5' };
          const body = JSON.stringify({ query: 'tidal mills' });
          const answer = await request(`${base}/search`, { method: 'POST', headers, body });
          return ((await answer.json()) as { outcome?: string }).outcome ?? String(answer.status);
        };
        expect([await limited(['127.0.0.0/8']), await limited(['203.0.113.0/24'])]).toEqual(['ok', '403']);

        const { key } = await keys.create({ workspace, label: 'test' });
        const transport = new StreamableHTTPClientTransport(new URL(`${base}/mcp`), {
          requestInit: { headers: { authorization: `Bearer ${key}` } },
          fetch: request,
        });
        await client.connect(transport);
        const progress: string[] = [];
        const answer = await client.callTool(
          { name: 'research', arguments: { question: 'When were tidal mills built?' } },
          {
            onprogress: ({ message }) => {
              progress.push(message ?? '');
              heard();
            },
            timeout: 30_000,
          },
        );
        expect(progress.length).toBeGreaterThan(0);
        expect(answer.content).not.toEqual([]);
        if (name !== 'nginx') return;

        // The file of docs/scale.md: one port of this machine.
        await proxy.stop();
        const plain = startOnePort(program ?? '', {
          folder,
          port: onePort,
          gateways: [gone, Number(new URL(url).port)],
        });
        const ready = `http://127.0.0.1:${onePort}/readyz`;
        await until(async () => (await fetch(ready).catch(() => undefined))?.ok === true).finally(plain.stop);
      } finally {
        heard();
        await client.close();
        await dispatcher.destroy();
        await proxy.stop();
        await gateway.close();
      }
    },
  );
});
