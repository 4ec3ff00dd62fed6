import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { createGuardedFetch } from '../../src/net/fetch.ts';
import { createGuardPolicy } from '../../src/net/guard.ts';
import { createTestGateway, type TestGateway } from './gateway/gateway.ts';

/** A page of the strangers' web: its content, or where it redirects to. */
export type Page = { html: string } | { text: string } | { to: string };

type Body = Record<string, unknown>;

/** A gateway on a loopback web of strangers, who log every name that is looked up and every request. */
export interface LeakWorld {
  gateway: TestGateway;
  /** What the strangers saw, since it was last emptied. */
  dns: string[];
  http: string[];
  /** What the search engine lists, whatever is asked. */
  listed: string[];
  ask(key: string, path: string, body: object): Promise<Body>;
  /** Whether an address is read; the links of the page are in its text. */
  read(key: string, ...urls: string[]): Promise<{ content: string; isAsked: boolean }>;
  search(key: string, query: string): Promise<string[]>;
  close(): Promise<void>;
}

const PUBLIC = '198.185.159.144';

export async function createLeakWorld(
  policy: Body,
  pageOf: (url: URL) => Page | undefined,
): Promise<LeakWorld> {
  const [dns, http, listed]: [string[], string[], string[]] = [[], [], []];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', `http://${request.headers.host}`);
    if (url.hostname === '127.0.0.1') {
      const results = listed.map((one) => ({ url: one, title: `A page at ${one}`, content: 'A mill.' }));
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ results }));
      return;
    }
    http.push(url.href);
    const page = pageOf(url);
    if (page !== undefined && 'to' in page) response.writeHead(302, { location: page.to }).end();
    else if (page !== undefined && 'text' in page)
      response.writeHead(200, { 'content-type': 'text/plain' }).end(page.text);
    else
      response
        .writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' })
        .end(page?.html ?? 'Not here.');
  });
  await new Promise<void>((done) => {
    server.listen(0, '127.0.0.1', done);
  });
  const { port } = server.address() as AddressInfo;
  const guarded = createGuardedFetch({
    policy: createGuardPolicy(),
    userAgent: 'headgate-test',
    resolve: async (host) => {
      dns.push(host);
      return [PUBLIC];
    },
    connect: ({ address }) =>
      new Promise((done) => {
        const socket = connect(port, '127.0.0.1', () => done({ socket, remoteAddress: address }));
      }),
  });
  const gateway = await createTestGateway({
    web: guarded.fetch,
    config: {
      'providers.searxng.base_url': `http://127.0.0.1:${port}`,
      'search.provider': ['searxng'],
      ...Object.fromEntries(Object.entries(policy).map(([name, value]) => [`policy.${name}`, value])),
    },
  });
  const ask = async (key: string, path: string, body: object): Promise<Body> =>
    (await (await gateway.post(path, body, { authorization: `Bearer ${key}` })).json()) as Body;
  return {
    gateway,
    dns,
    http,
    listed,
    ask,
    read: async (key, ...urls) => {
      const { results = [], failed_results: failed = [] } = (await ask(key, '/extract', { urls })) as {
        results?: { raw_content: string }[];
        failed_results?: { code: string }[];
      };
      return {
        content: results.map((page) => page.raw_content).join('\n'),
        isAsked: failed.some(({ code }) => code === 'NEEDS_APPROVAL'),
      };
    },
    search: async (key, query) => {
      const { results = [] } = (await ask(key, '/search', { query, max_results: 20 })) as {
        results?: { url: string }[];
      };
      return results.map(({ url }) => url);
    },
    close: async () => {
      await gateway.close();
      await guarded.close();
      server.closeAllConnections();
      await new Promise((done) => {
        server.close(done);
      });
    },
  };
}

/** A page with links, and a text that makes it one. A very long one is plain text, which is read at once on any machine. */
export const linkPage = (title: string, links: readonly string[]): Page =>
  links.length > 2_000 ? { text: [title, ...links].join('\n') } : { html: htmlOf(title, links) };

const htmlOf = (title: string, links: readonly string[]): string =>
  `<html><head><title>${title}</title></head><body><main><h1>${title}</h1>
    <p>The mill on the river has ground wheat since 1742, and this paragraph is long enough to be read as content.</p>
    <ul>${links.map((link, index) => `<li>The page <a href="${link}">number ${index}</a> about the mill.</li>`).join('')}</ul>
    </main></body></html>`;
