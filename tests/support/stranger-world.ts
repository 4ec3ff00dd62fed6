import type { HttpResponse } from '../../src/core/http.ts';
import type { GuardedFetch } from '../../src/net/fetch.ts';
import { searchers, simSettings } from './every-provider.ts';
import type { ToolAnswer } from './stranger-oracle.ts';
import { createTestGateway, type TestGateway } from './gateway/gateway.ts';

/** A gateway whose providers and pages say what a test tells them to, in every text of theirs. */
export interface StrangerWorld {
  gateway: TestGateway;
  /**
   * While `run` runs, every stranger says `text`, and providers answer with `status`. Of several texts, each result of a provider, and
   * each page, says another one.
   */
  say<Value>(text: string | string[], run: () => Promise<Value>, status?: number): Promise<Value>;
  /** Calls a tool over MCP. */
  callTool(toolset: string, name: string, input: object): Promise<ToolAnswer>;
  /** A question that nobody has asked before; all of them are of the same length. */
  question(): string;
}

/** A model, if there is one, is at an address with `/model/` in it and says what it wants. */
export async function createStrangerWorld(
  config: Record<string, unknown> = {},
  page: typeof pageThatSays = pageThatSays,
): Promise<StrangerWorld> {
  const gateway = await createTestGateway({ config: (sim) => ({ ...everyProvider(sim), ...config }) });
  let [said, status, asked, pages] = [[''], 200, 0, 0];
  const { services } = gateway.parts;
  const { upstream } = services;
  services.upstream = {
    send: async (request, options) => {
      const response = await upstream.send(request, options);
      return request.url.includes('/model/') ? response : planted(response, said, status);
    },
  };
  services.fetch = (url) => Promise.resolve(page(said[pages++ % said.length] ?? '', url));
  // Nobody is left alone for failing on purpose, or for being asked a lot.
  services.pace = { ...services.pace, admit: async () => undefined };
  services.breaker = { run: (_key, attempt) => attempt(), state: () => ({ state: 'closed' }) };
  return {
    gateway,
    say: async (text, run, answer = 200) => {
      [said, status, pages] = [[text].flat(), answer, 0];
      return run().finally(() => {
        [said, status] = [[''], 200];
      });
    },
    callTool: (toolset, name, input) => callTool(gateway, toolset, name, input),
    question: () => `tidal mills ${String((asked += 1)).padStart(8, '0')}`,
  };
}

async function callTool(
  gateway: TestGateway,
  toolset: string,
  name: string,
  input: object,
): Promise<ToolAnswer> {
  const response = await gateway.post(
    `/mcp?tools=${toolset}`,
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } },
    { accept: 'application/json, text/event-stream' },
  );
  const body = await response.text();
  const data = body.split('\n').find((line) => line.startsWith('data: {'));
  const { result } = JSON.parse(data?.slice('data: '.length) ?? body) as {
    result: {
      content: { text: string }[];
      isError?: boolean;
      _meta?: Record<string, Record<string, unknown>>;
    };
  };
  return {
    text: result.content.map(({ text }) => text).join('\n'),
    meta: result._meta?.['headgate/result'] ?? {},
    isError: result.isError === true,
  };
}

const everyProvider = (sim: string): Record<string, unknown> => ({
  ...Object.assign({}, ...searchers.map((provider) => simSettings(provider, sim))),
  'cache.enabled': false,
  'search.timeout_ms': 20_000,
  'server.requests_per_minute': 1_000_000,
});

/** A provider's answer with the words in every text of it, or a refusal in nothing but those words. */
export function planted(response: HttpResponse, texts: string | string[], status: number): HttpResponse {
  const said = [texts].flat()[0] ?? '';
  const headers = { ...response.headers, 'x-note': said.replace(/[^\x20-\x7e]/g, ' ') };
  if (status === 200) {
    const isJson = /^\s*[[{]/.test(response.body);
    return {
      ...response,
      headers,
      body: isJson ? inJson(response.body, [texts].flat()) : inHtml(response.body, said),
    };
  }
  const error = { code: said, detail: said, message: said, type: said, reason: said };
  const body = { detail: { error: said }, message: said, error, name: said, readableMessage: said };
  return { ...response, status, headers, body: JSON.stringify(body) };
}

/** Every string but those that a program must be able to read: addresses, dates and words of a vocabulary. */
const inJson = (body: string, said: string[]): string => JSON.stringify(inValue(JSON.parse(body), said, 0));

/** The entries of a list of objects, which are the results, say one text each. */
function inValue(value: unknown, said: string[], turn: number): unknown {
  if (typeof value === 'string')
    return /^https?:|^\d{4}-\d\d|^[a-z_]{2,12}$/.test(value)
      ? value
      : `${value} ${said[turn % said.length] ?? ''}`;
  if (Array.isArray(value))
    return value.map((one: unknown, index) => inValue(one, said, typeof one === 'object' ? index : turn));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, inValue(one, said, turn)]));
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

const inHtml = (body: string, said: string): string =>
  body.replaceAll(/>([^<>]*[\w][^<>]*)</g, (_whole, text: string) => `>${text} ${escaped(said)}<`);

const VISIBLE =
  'The mill on the river has ground wheat since 1742, and this paragraph is long enough to be content.';

/** A page that says it everywhere: title, description, author, site, date, text, code, table, list, picture and link. */
function pageThatSays(said: string, url: string): Awaited<ReturnType<GuardedFetch>> {
  const text = escaped(said);
  const html = `<html lang="en"><head><title>Mill ${text}</title><meta name="author" content="Ann ${text}">
    <meta property="og:site_name" content="Site ${text}"><meta name="description" content="About ${text}">
    <meta property="article:published_time" content="2026-01-02 ${text}"></head>
    <body><main><h1>Mill ${text}</h1><p>${VISIBLE} ${text}</p><pre><code>${text}</code></pre>
    <table><tr><td>${text}</td><td>Wheel</td></tr></table><ul><li>${text}</li></ul><p>${VISIBLE}</p>
    <img src="/wheel.png" alt="${text}"><a href="/more">${text}</a></main></body></html>`;
  return {
    url,
    finalUrl: url,
    status: 200,
    headers: { 'content-type': 'text/html; charset=utf-8', 'x-note': said.replace(/[^\x20-\x7e]/g, ' ') },
    contentType: 'text/html',
    bytes: new TextEncoder().encode(html),
    redirects: [],
  };
}
