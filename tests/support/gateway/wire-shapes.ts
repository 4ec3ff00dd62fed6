import { wireDoors } from '../../../src/gateway/wires/index.ts';
import type { TestGateway } from './gateway.ts';

interface Shape {
  path?: string;
  body?: string | object;
  type?: string;
  /** The text of a failure, where this API has it. */
  error(body: Row): unknown;
}
export type Row = Record<string, unknown>;

const QUERY = { query: 'tidal mills' };
const tavily = (body: Row): unknown => (body['detail'] as Row | undefined)?.['error'];
const plain = ({ error }: Row): unknown => error;
const FORM = 'application/x-www-form-urlencoded';
export const SEARXNG = 'q=tidal+mills&format=json';

/** One good request for each route. */
export const WIRE_SHAPES: Record<string, Shape> = {
  'Tavily POST /search': { body: QUERY, error: tavily },
  'Tavily POST /extract': { body: { urls: ['https://mill.example/'] }, error: tavily },
  'SearXNG GET /search': { path: `/search?${SEARXNG}`, error: plain },
  'SearXNG POST /search': { body: SEARXNG, type: FORM, error: plain },
  'SearXNG GET /key/:key/search': { path: `/key/{key}/search?${SEARXNG}`, error: plain },
  'Open WebUI POST /open-webui/search': { body: { ...QUERY, count: 3 }, error: tavily },
  'Open WebUI POST /open-webui/loader': { body: { urls: ['https://mill.example/'] }, error: tavily },
  'Firecrawl POST /v2/search': { body: { ...QUERY, limit: 3 }, error: plain },
  'Firecrawl POST /v2/scrape': { body: { url: 'https://mill.example/' }, error: plain },
  'Jina GET /r/:url{.+}': {
    path: '/r/https://mill.example/',
    error: ({ message, data }) => (data === null ? message : 'data is not null'),
  },
};
/** Every route of every API, Tavily's two with the same operations among them. */
export const wireRoutes = [
  ...['search', 'extract'].map((operation) => ({
    name: `Tavily POST /${operation}`,
    operation,
    method: 'POST',
    path: `/${operation}`,
  })),
  ...wireDoors.flatMap(({ api, name: operation, routes }) =>
    routes.map(({ method, path }) => ({ name: `${api} ${method} ${path}`, operation, method, path })),
  ),
];

export type WireAsk = (typeof wireRoutes)[number];

/** Asks one route with its good request, without a socket. */
export async function askWire(gateway: TestGateway, { name, method, path }: WireAsk, key?: string) {
  const { path: own = path, body, type = 'application/json' } = WIRE_SHAPES[name] as Shape;
  const response = await gateway.app.request(`http://127.0.0.1${own.replace('{key}', key ?? 'none')}`, {
    method,
    headers: {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': type }),
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  return {
    status: response.status,
    headers: response.headers,
    body: (isJson ? JSON.parse(text) : {}) as Row,
  };
}
