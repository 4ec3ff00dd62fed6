import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { SECRET_KINDS } from '../../src/policy/secret-kinds.ts';
import { openSnapshot } from '../../src/snapshot/snapshot.ts';
import { createZip } from '../../src/snapshot/zip.ts';
import { runHeadgate } from '../support/cli.ts';
import { createRecording } from '../support/recording.ts';
import { sampleOf } from '../support/secret-samples.ts';
import { seededRandom } from '../support/seeded-random.ts';

const KEY = 'Z3q-a+secret/of ours%0123456789';
const home = mkdtempSync(join(tmpdir(), 'secrets-'));
const at = (name: string): string => join(home, name);
afterAll(() => rmSync(home, { recursive: true, force: true }));

const random = seededRandom(7);
const canaries: string[] = [];
/** A value that must not be kept because of where it is. */
const canary = (): string => {
  canaries.push(`CANARY${String(canaries.length).padStart(3, '0')}x7q9`);
  return canaries.at(-1) ?? '';
};
/** A value that must not be kept because of what it looks like. */
const token = (name: string): string => {
  const kind = SECRET_KINDS.find((one) => one.name === name) as (typeof SECRET_KINDS)[number];
  canaries.push(sampleOf(kind, random));
  return canaries.at(-1) ?? '';
};
const TOKENS = [
  'github-token',
  'aws-access-key',
  'slack-token',
  'openai-key',
  'json-web-token',
  'google-api-key',
  'tavily-key',
];
const tokens = TOKENS.filter((name) => SECRET_KINDS.some((kind) => kind.name === name));

/** A site that tells its visitors secrets in every place that an answer has, and repeats what it was told. */
async function startTeller() {
  const site = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const { port } = site.address() as AddressInfo;
      const { pathname } = new URL(request.url ?? '/', 'http://localhost');
      if (pathname === '/hop')
        return void response
          .writeHead(302, { location: `http://user:${canary()}@127.0.0.1:${port}/end?token=${canary()}` })
          .end();
      if (pathname === '/cut')
        return void response
          .writeHead(200, { 'content-length': '99' })
          .write(canary(), () => response.destroy());
      if (pathname === '/quiet') return void response.end('{}');
      const status = pathname === '/error' ? 500 : 200;
      response.writeHead(status, {
        'content-type': pathname === '/binary' ? 'application/octet-stream' : 'application/json',
        'Set-Cookie': [`a=${canary()}`, `b=${canary()}; HttpOnly`],
        'X-Session-Token': canary(),
        'X-Api-Key': canary(),
        Authorization: canary(),
        'WWW-Authenticate': `Bearer token="${canary()}"`,
        Link: `<https://a.example/?sig=${token('github-token')}>`,
        'Retry-After': token('aws-access-key'),
      });
      const forms = [
        KEY,
        encodeURIComponent(KEY),
        Buffer.from(KEY).toString('base64'),
        Buffer.from(`user:${KEY}`).toString('base64'),
        Buffer.from(KEY).toString('hex'),
      ];
      response.end(
        JSON.stringify({
          echoed: forms,
          error: `Invalid key ${KEY}`,
          sent: [body, request.headers],
          seen: tokens.map(token),
        }),
      );
    });
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  return site;
}

test('no secret is in the file, wherever it was and however it was spelled', async () => {
  const file = at('secret.wacz');
  const site = await startTeller();
  const { port } = site.address() as AddressInfo;
  const base = `http://127.0.0.1:${port}`;
  const live = createRecording(file, [port], [KEY]);
  const lost = (): undefined => undefined;
  const names = [
    'api_key',
    'apikey',
    'API-KEY',
    'access_token',
    'password',
    'signature',
    'key',
    'token',
    'Secret',
    'X-Amz-Signature',
  ];
  for (const name of names) await live.fetch(`${base}/a?${name}=${canary()}&q=mills`);
  await live.fetch(`${base}/a?q=${encodeURIComponent(KEY)}`);
  for (const name of tokens) {
    await live.fetch(`${base}/${token(name)}/a`).catch(lost);
    await live.fetch(`${base}/a?next=${encodeURIComponent(token(name))}#${token(name)}`).catch(lost);
  }
  await live.fetch(`${base}/hop`).catch(lost);
  await live.fetch(`${base}/cut`).catch(lost);
  const headers = [
    'Authorization',
    'authorization',
    'AUTHORIZATION',
    'X-API-KEY',
    'x-subscription-token',
    'Cookie',
    'Proxy-Authorization',
  ];
  const send = (body: string, more: Record<string, string> = {}, path = 'a') =>
    live.send({ url: `${base}/${path}`, method: 'POST', headers: more, body }).catch(lost);
  for (const name of headers)
    await send(JSON.stringify({ api_key: canary(), deep: { Token: canary() }, q: KEY }), {
      [name]: canary(),
    });
  await send('{}', { 'X-Custom': canary() }, 'quiet');
  await send(`token=${canary()}&q=x`, { 'content-type': 'application/x-www-form-urlencoded' });
  for (const name of tokens)
    await send(JSON.stringify({ q: `what is ${token(name)}?` }), { 'User-Agent': token(name) });
  await send(Buffer.from(`key ${token('github-token')}`).toString('base64'));
  await send('{"q":"x"}', {}, 'error');
  await send('{"q":"x"}', {}, 'binary');
  await live.close();
  site.close();

  expect(canaries.length).toBeGreaterThan(60);
  const snapshot = openSnapshot(file);
  const kept = snapshot.entries
    .flatMap((entry) => [snapshot.request(entry), snapshot.response(entry)])
    .map(({ fields, block }) => JSON.stringify(fields) + block.toString('latin1'))
    .join('\n');
  snapshot.close();
  const raw = readFileSync(file, 'latin1');
  const spelled = [
    KEY,
    encodeURIComponent(KEY),
    Buffer.from(KEY).toString('base64'),
    Buffer.from(KEY).toString('hex'),
  ];
  const leaked = [...canaries, ...spelled].filter((secret) => kept.includes(secret) || raw.includes(secret));
  expect(leaked).toEqual([]);
  expect(kept).toContain('q=mills');
  expect(readdirSync(home)).toEqual(['secret.wacz']);
  expect((await runHeadgate(['snapshot', 'verify', file], { home })).out).toBe('No problems found.\n');
});

test('a file with secrets in it is told: their kind and place, never the secret', async () => {
  const secret = token('github-token');
  const response = (body: string): string => `HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n${body}`;
  const record = (type: string, url: string, block: string): Buffer =>
    Buffer.from(
      `WARC/1.1\r\nWARC-Type: ${type}\r\nWARC-Date: 2024-01-01T00:00:00Z\r\nWARC-Target-URI: ${url}\r\nContent-Length: ${block.length}\r\n\r\n${block}\r\n\r\n`,
    );
  const zip = createZip(at('told.wacz'));
  zip.add('archive/data.warc', [
    record('response', 'https://a.example/', response('nothing')),
    record('response', 'https://b.example/', response(`<p>${secret}</p>`)),
  ]);
  zip.end();
  const { code, out } = await runHeadgate(['snapshot', 'verify', at('told.wacz')], { home });
  expect([code, out]).toEqual([
    1,
    expect.stringMatching(/^Exchange \d has in its answer what looks like a secret \(github-token\)\.\n$/),
  ]);
  expect(out).not.toContain(secret);
  // What is imported is kept without it.
  await runHeadgate(['snapshot', 'import', at('told.wacz'), at('clean.wacz')], { home });
  expect((await runHeadgate(['snapshot', 'verify', at('clean.wacz')], { home })).out).toBe(
    'No problems found.\n',
  );
});
