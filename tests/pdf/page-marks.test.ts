import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCall } from '../../src/operations/perform.ts';
import { startSim, type Sim } from '../../src/sim/server.ts';
import { defaultTools } from '../../src/toolsets/default/default.ts';
import { engineOf } from '../../src/toolsets/engine.ts';
import { runHeadgate } from '../support/cli.ts';
import { createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';
import { pdfOf } from '../support/pdf-file.ts';

/** A passage of a PDF says its page, whoever asks. */
const QUERY = 'When was the stone cut?';
const FOUND = /\[p\. 2\]\s+The stone was cut in 1742\./;
const bytes = pdfOf([
  'The wheel is turned by water.',
  'The stone was cut in 1742.',
  'The canal is full of trout.',
]);

let web: Sim;
let gateway: TestGateway;
let url = '';
beforeAll(async () => {
  const files = {
    id: 'files',
    handle: () => ({ status: 200, headers: { 'content-type': 'application/pdf' }, body: bytes }),
  };
  web = await startSim({ upstreams: [files] });
  url = `${web.url}/files/mill.pdf`;
  gateway = await createTestGateway({ web: 'guarded', config: { 'guard.ports': [web.port] } });
});
afterAll(async () => {
  await gateway.close();
  await web.close();
});

test.each(['markdown', 'text'])(
  'over HTTP, as %s',
  async (format) => {
    const body = { urls: [url], query: QUERY, max_tokens: 200, format };
    const { results } = (await (await gateway.post('/extract', body)).json()) as {
      results: { raw_content: string }[];
    };
    expect(results[0]?.raw_content).toMatch(FOUND);
  },
  60_000,
);

test('over MCP', async () => {
  const { services } = gateway.parts;
  const call = createCall(services);
  const tool = defaultTools.tools.find(({ name }) => name === 'fetch_url');
  const result = await tool?.run({ url, query: QUERY, max_tokens: 400 }, call, engineOf(services));
  call.end();
  expect(result?.text).toMatch(FOUND);
}, 60_000);

test('on the command line', async () => {
  const { out, err } = await runHeadgate(['extract', url, '--query', QUERY, '--max-tokens', '200'], {
    home: mkdtempSync(join(tmpdir(), 'page-marks-')),
    env: { HEADGATE_GUARD__ALLOW: '127.0.0.1', HEADGATE_GUARD__PORTS: String(web.port) },
  });
  expect(err).toBe('');
  expect(out).toMatch(FOUND);
}, 60_000);
