import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { runHeadgate } from '../support/cli.ts';
import { createSignInWorld, type SignInWorld } from '../support/gateway/sign-in.ts';

let world: SignInWorld;
const home = mkdtempSync(join(tmpdir(), 'headgate-connector-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));
beforeAll(async () => {
  world = await createSignInWorld();
});
afterAll(() => world.close());

/** What a proxy before the gateway does wrong with one answer. */
interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
}
type Spoil = (path: string, answer: Answer) => Answer | undefined;

const open: Server[] = [];
afterEach(() => {
  for (const server of open.splice(0)) server.close();
});

/** A proxy that renames the gateway's origin to its own, as a public address does, and spoils what it is told to. */
async function proxied(spoil: Spoil = () => undefined): Promise<string> {
  const server = createServer((request, response) => void pass(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  open.push(server);
  const own = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const path = request.url ?? '/';
    const type = request.headers['content-type'];
    const answered = await fetch(`${world.url}${path}`, {
      method: request.method ?? 'GET',
      redirect: 'manual',
      headers: type === undefined ? {} : { 'content-type': type },
      ...(request.method === 'POST' ? { body: Buffer.concat(chunks) } : {}),
    });
    const renamed = (text: string): string => text.replaceAll(world.url, own);
    const headers: Record<string, string> = {
      'content-type': answered.headers.get('content-type') ?? 'text/plain',
    };
    const challenge = answered.headers.get('www-authenticate');
    if (challenge !== null) headers['www-authenticate'] = renamed(challenge);
    const good = { status: answered.status, headers, body: renamed(await answered.text()) };
    const told = spoil(path, good) ?? good;
    response.writeHead(told.status, told.headers).end(told.body);
  };
  return own;
}

async function doctor(address: string): Promise<{ status: number; said: string }> {
  const { code, out } = await runHeadgate(['doctor', '--connector', address], { home });
  return { status: code, said: out };
}

const isResource = (path: string): boolean => path.startsWith('/.well-known/oauth-protected-resource');
const isServer = (path: string): boolean => path.startsWith('/.well-known/o') && !isResource(path);
const changed = (answer: Answer, change: object): Answer => ({
  ...answer,
  body: JSON.stringify({ ...(JSON.parse(answer.body) as object), ...change }),
});
const html = (answer: Answer): Answer => ({
  ...answer,
  status: 200,
  headers: { 'content-type': 'text/html' },
  body: '<!doctype html><title>App</title>',
});

/** Each misconfiguration, and what must be said about it. */
const WRONG: [name: string, spoil: Spoil, said: RegExp][] = [
  [
    'the proxy does not pass /mcp',
    (path, answer) => (path === '/mcp' ? { ...answer, status: 404 } : undefined),
    /First request .*404.*pass \/mcp/,
  ],
  [
    'the gateway is down',
    (path, answer) => (path === '/mcp' ? { ...answer, status: 502 } : undefined),
    /First request .*502.*does not reach/,
  ],
  [
    'the host is not served',
    (path, answer) => (path === '/mcp' ? { ...answer, status: 403 } : undefined),
    /First request .*403.*public_url/,
  ],
  [
    'the address is redirected',
    (path, answer) => (path === '/mcp' ? { ...answer, status: 308 } : undefined),
    /First request .*redirect/,
  ],
  [
    'another application answers',
    (path, answer) => (path === '/mcp' ? html(answer) : undefined),
    /First request .*200, not 401/,
  ],
  [
    'nobody has to sign in',
    (path, answer) => (path === '/mcp' ? { ...answer, status: 200 } : undefined),
    /First request .*without a token/,
  ],
  [
    'the header is removed',
    (_path, answer) => ({ ...answer, headers: { 'content-type': 'application/json' } }),
    /First request .*no WWW-Authenticate/,
  ],
  [
    'the header is replaced',
    (_path, answer) => ({ ...answer, headers: { ...answer.headers, 'www-authenticate': 'Bearer' } }),
    /First request .*resource_metadata/,
  ],
  [
    'the metadata is at another origin',
    (_path, answer) => ({
      ...answer,
      headers: {
        ...answer.headers,
        'www-authenticate':
          'Bearer resource_metadata="http://10.0.0.1/.well-known/oauth-protected-resource/mcp"',
      },
    }),
    /First request .*another origin.*10\.0\.0\.1/,
  ],
  [
    'the metadata is a page of another application',
    (path, answer) => (isResource(path) ? html(answer) : undefined),
    /Resource metadata .*not JSON/,
  ],
  [
    'the metadata is not passed',
    (path, answer) => (isResource(path) ? { ...answer, status: 404 } : undefined),
    /Resource metadata .*404/,
  ],
  [
    'the metadata is for another address',
    (path, answer) =>
      isResource(path) ? changed(answer, { resource: 'https://other.example/mcp' }) : undefined,
    /Resource metadata .*other\.example/,
  ],
  [
    'the metadata names no server',
    (path, answer) => (isResource(path) ? changed(answer, { authorization_servers: [] }) : undefined),
    /Resource metadata .*no authorization server/,
  ],
  [
    'the server has no metadata',
    (path, answer) => (isServer(path) ? { ...answer, status: 404 } : undefined),
    /Authorization server .*404/,
  ],
  [
    'the issuer is another',
    (path, answer) => (isServer(path) ? changed(answer, { issuer: 'https://other.example' }) : undefined),
    /Authorization server .*issuer/,
  ],
  [
    'there is no PKCE',
    (path, answer) =>
      isServer(path) ? changed(answer, { code_challenge_methods_supported: ['plain'] }) : undefined,
    /Server metadata .*S256/,
  ],
  [
    'public clients are refused',
    (path, answer) =>
      isServer(path)
        ? changed(answer, { token_endpoint_auth_methods_supported: ['client_secret_basic'] })
        : undefined,
    /Server metadata .*none/,
  ],
  [
    'clients cannot make themselves known',
    (path, answer) =>
      isServer(path)
        ? changed(answer, { client_id_metadata_document_supported: false, registration_endpoint: undefined })
        : undefined,
    /Server metadata .*neither documents nor registration/,
  ],
  [
    'the token endpoint is not passed',
    (path, answer) => (path === '/oauth/token' ? { ...answer, status: 404 } : undefined),
    /Endpoints .*token_endpoint.*404/,
  ],
  [
    'the token endpoint answers with a page',
    (path, answer) => (path === '/oauth/token' ? html(answer) : undefined),
    /Endpoints .*token_endpoint/,
  ],
  [
    'the authorize endpoint is not passed',
    (path, answer) => (path.startsWith('/oauth/authorize') ? { ...answer, status: 404 } : undefined),
    /Endpoints .*authorization_endpoint.*404/,
  ],
];

describe('headgate doctor --connector', () => {
  test.each(WRONG)('names the step that fails when %s', async (_name, spoil, said) => {
    const address = await proxied(spoil);
    const result = await doctor(`${address}/mcp`);
    expect(result.said).toMatch(said);
    expect(result.said.match(/✗/g)).toHaveLength(1);
    expect(result.status).toBe(1);
  });

  test('finds nothing in good set-ups: the gateway, behind a proxy, for an agent', async () => {
    const { id } = await world.gateway.store.agents.create({ workspace: world.workspace, name: 'Agent' });
    const behind = await proxied();
    for (const address of [`${world.url}/mcp`, `${behind}/mcp`, `${world.url}/mcp/agents/${id}`]) {
      const { status, said } = await doctor(address);
      expect(said).not.toContain('✗');
      expect(said).toMatch(/✓ Cursor +is offered what it uses to make itself known: registration\./);
      expect(status).toBe(0);
    }
  });

  test('says what is wrong with an address that nobody can use', async () => {
    expect((await doctor('not an address')).said).toMatch(/✗ Address/);
    expect((await doctor('http://search.example.com/mcp')).said).toMatch(/✗ Address .*https/);
    expect((await doctor('http://127.0.0.1:1/mcp')).said).toMatch(/✗ First request .*cannot be reached/);
  });
});

test('links are under the address that people use', async () => {
  const env = { HEADGATE_SERVER__PUBLIC_URL: 'https://search.example.com/' };
  const { out } = await runHeadgate(['console'], { home, env });
  expect(out).toContain('https://search.example.com/#/setup/');
});
