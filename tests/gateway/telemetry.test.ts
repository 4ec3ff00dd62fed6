import { afterEach, describe, expect, test } from 'vitest';
import { createLogger, silentLogger } from '../../src/core/log.ts';
import { LIMITS } from '../../src/core/limits.ts';
import { createTracer } from '../../src/net/tracer.ts';
import { tracedFetch } from '../../src/engine/tracing.ts';
import { otlpSim, spansIn, type SimSpan } from '../../src/sim/otlp.ts';
import { startSim, type Sim } from '../../src/sim/server.ts';
import { createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const TRACEPARENT = `00-${TRACE}-00f067aa0ba902b7-01`;

const MALFORMED = [
  '',
  'nonsense',
  `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
  `ff-${TRACE}-00f067aa0ba902b7-01`,
  TRACEPARENT.slice(0, -3),
  'x'.repeat(9_000),
];

let collector: Sim;
let gateway: TestGateway;
afterEach(async () => {
  await gateway.close();
  await collector.close();
});

async function open(config: Record<string, unknown> = {}, log = silentLogger): Promise<void> {
  collector = await startSim({ upstreams: [otlpSim] });
  gateway = await createTestGateway({
    log,
    config: {
      'providers.tavily.api_key': 'tvly-operator-key',
      'search.provider': 'tavily',
      'telemetry.otlp_endpoint': `${collector.url}/otlp`,
      ...config,
    },
  });
}

const search = (query: string, headers: Record<string, string> = {}): Promise<Response> =>
  gateway.post('/search', { query }, headers);

async function spans(): Promise<SimSpan[]> {
  await gateway.parts.services.tracer?.flush();
  return spansIn(collector.requests);
}

const one = (list: SimSpan[], name: string): SimSpan => {
  const found = list.filter((span) => span.name === name);
  expect(found.map((span) => span.name)).toEqual([name]);
  return found[0] as SimSpan;
};

describe('OpenTelemetry traces', () => {
  test('a request, its operation, the provider that was asked, its booking and its request are one tree', async () => {
    await open();
    const { key, workspace } = await gateway.newKey({ tier: 'pro' });
    await search('tidal mills', { traceparent: TRACEPARENT, authorization: `Bearer ${key}` });
    const list = await spans();
    const server = one(list, 'POST /search');
    const operation = one(list, 'search');
    const ask = one(list, 'ask');
    const parents = Object.fromEntries(list.map((span) => [span.name, span.parentSpanId]));
    expect(parents).toEqual({
      'POST /search': '00f067aa0ba902b7',
      search: server.spanId,
      ask: operation.spanId,
      hold: ask.spanId,
      'send tavily': ask.spanId,
      // The charge and the answer are one commit, at the end of the operation.
      settle: operation.spanId,
    });
    expect(new Set(list.map((span) => span.traceId))).toEqual(new Set([TRACE]));
    expect(server).toMatchObject({
      kind: 2,
      attributes: { 'http.route': '/search', 'http.response.status_code': '200' },
    });
    expect(operation.attributes).toMatchObject({
      'headgate.workspace': workspace,
      'headgate.outcome': 'ok',
      'headgate.credits': '1',
    });
    expect(one(list, 'send tavily')).toMatchObject({
      kind: 3,
      attributes: { 'server.address': '127.0.0.1' },
    });
  });

  test('what failed carries its code', async () => {
    await open();
    gateway.sim.script('/tavily', [{ kind: 'status', status: 500, times: 'always' }]);
    await search('tidal mills');
    const list = await spans();
    expect(one(list, 'ask').status).toEqual({ code: 2, message: 'upstream_unavailable' });
    expect(one(list, 'search').attributes).toMatchObject({ 'error.type': 'upstream_unavailable' });
    expect(list.map((span) => span.name)).toContain('release');
  });

  test('hold no queries, keys or addresses, unless the operator wants queries in them', async () => {
    await open({ 'telemetry.otlp_headers': ['x-collector-key=collector-secret-1'] });
    await search('a very private question', { authorization: 'Bearer hg_live_abcdefgh_wrong' });
    await search('a very private question');
    await spans();
    const sent = collector.requests.map((request) => request.body).join('\n');
    expect(sent).toContain('"POST /search"');
    expect(sent).not.toMatch(/private question|tvly-operator|hg_live_abc|collector-secret/);
    expect(collector.requests[0]?.headers['x-collector-key']).toBe('collector-secret-1');
    await gateway.close();
    await collector.close();
    await open({ 'telemetry.queries': true });
    await search('a very private question api_key=hunter2hunter2');
    const { 'headgate.input': input } = one(await spans(), 'search').attributes;
    expect(input).toContain('a very private question');
    expect(input).not.toContain('hunter2');
  });

  test('the caller’s traceparent reaches nobody outside, unless the operator says so', async () => {
    await open();
    await search('tidal mills', { traceparent: TRACEPARENT, tracestate: 'a=b', baggage: 'c=d' });
    const [request] = gateway.sim.requests;
    expect(JSON.stringify(request)).not.toContain(TRACE);
    expect(Object.keys(request?.headers ?? {})).not.toContain('traceparent');
    await gateway.close();
    await collector.close();
    await open({ 'telemetry.propagate': true });
    await search('tidal mills', { traceparent: TRACEPARENT });
    const send = one(await spans(), 'send tavily');
    expect(gateway.sim.requests[0]?.headers['traceparent']).toBe(`00-${TRACE}-${send.spanId}-01`);
  });

  test('a malformed traceparent begins a trace of our own', async () => {
    await open({ 'cache.enabled': false });
    for (const traceparent of MALFORMED) await search('tidal mills', { traceparent });
    const list = (await spans()).filter((span) => span.name === 'POST /search');
    expect(list.map((span) => span.parentSpanId)).toEqual(MALFORMED.map(() => undefined));
    expect(list.map((span) => span.traceId)).not.toContain(TRACE);
  });

  test('a caller may leave its call out, and the operator may keep a share only', async () => {
    await open();
    await search('tidal mills', { traceparent: TRACEPARENT.replace(/01$/, '00') });
    expect(await spans()).toEqual([]);
    await gateway.close();
    await collector.close();
    await open({ 'telemetry.sample_ratio': 0 });
    await search('tidal mills', { traceparent: TRACEPARENT });
    expect(await spans()).toEqual([]);
  });

  test('a collector that hangs or fails slows nothing down: spans are dropped and counted', async () => {
    const lines: string[] = [];
    const log = createLogger({ level: 'warn', write: (line) => void lines.push(line), now: () => 0 });
    await open({ 'cache.enabled': false }, log);
    collector.script('/otlp', [{ kind: 'status', status: 503, times: 'always' }]);
    expect((await search('first')).status).toBe(200);
    await spans();
    expect((await search('second')).status).toBe(200);
    await spans();
    const metrics = await (await gateway.app.request('http://127.0.0.1/metrics')).text();
    expect(metrics).toMatch(
      /^# TYPE headgate_spans_dropped_total counter\nheadgate_spans_dropped_total 1[02]$/m,
    );
    expect(metrics).toContain('headgate_spans_exported_total 0');
    expect(lines.filter((line) => line.includes('trace_export_failed'))).toHaveLength(1);
  });

  test('health checks are not traced', async () => {
    await open();
    for (const path of ['/healthz', '/readyz', '/metrics'])
      await gateway.app.request(`http://127.0.0.1${path}`);
    expect(await spans()).toEqual([]);
  });

  test('pages are spans with their host, and with their address only on demand', async () => {
    await open();
    const { tracer } = gateway.parts.services;
    const { telemetry } = gateway.parts.services.config;
    if (tracer === undefined) throw new Error('There is a tracer.');
    const plain = tracedFetch(gateway.parts.services.fetch, tracer, telemetry);
    const told = tracedFetch(gateway.parts.services.fetch, tracer, { ...telemetry, queries: true });
    const options = { signal: new AbortController().signal, caller: 'local', gate: undefined };
    await plain('https://mill.example/more?secret=1', options);
    await told('https://mill.example/more', options);
    expect((await spans()).map((span) => span.attributes)).toMatchObject([
      { 'server.address': 'mill.example', 'http.response.status_code': '200' },
      { 'server.address': 'mill.example', 'url.full': 'https://mill.example/more' },
    ]);
    expect(JSON.stringify(collector.requests)).not.toContain('secret=1');
  });

  test('keys and passwords in a page’s address are not in its span', async () => {
    await open();
    const { tracer, config, fetch } = gateway.parts.services;
    if (tracer === undefined) throw new Error('There is a tracer.');
    const told = tracedFetch(fetch, tracer, { ...config.telemetry, queries: true });
    const options = { signal: new AbortController().signal, caller: 'local', gate: undefined };
    await told('https://mill.example/more?api_key=canary-one&token=canary-two&page=2', options);
    await told('https://somebody:canary-three@mill.example/more', options);
    await told('https://mill.example/tvly-canary4567890', options);
    const [first] = await spans();
    expect(first?.attributes['url.full']).toBe(
      'https://mill.example/more?api_key=[redacted]&token=[redacted]&page=2',
    );
    expect(JSON.stringify(collector.requests)).not.toMatch(/canary/);
  });

  test('without an endpoint there is no tracer', async () => {
    await open({ 'telemetry.otlp_endpoint': undefined });
    await search('tidal mills', { traceparent: TRACEPARENT });
    expect(gateway.parts.services.tracer).toBeUndefined();
    expect(collector.requests).toEqual([]);
    expect(await (await gateway.app.request('http://127.0.0.1/metrics')).text()).not.toContain('spans');
  });
});

describe('a tool call over MCP', () => {
  const modern = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
  const called = (meta: Record<string, unknown>, query = 'tidal mills', headers = {}): Promise<Response> => {
    const params = { name: 'web_search', arguments: { query }, _meta: meta };
    const accept = 'application/json, text/event-stream';
    return gateway.post(
      '/mcp',
      { jsonrpc: '2.0', id: 7, method: 'tools/call', params },
      { accept, ...headers },
    );
  };
  const legacy = { 'mcp-protocol-version': '2025-06-18' };
  const session = 'hg-00000000-0000-4000-8000-000000000000';

  test('is a span with the names of the MCP and GenAI conventions, above our own spans', async () => {
    await open();
    await called({}, 'tidal mills', { ...legacy, 'mcp-session-id': session });
    const list = await spans();
    const tool = one(list, 'tools/call web_search');
    expect(tool).toMatchObject({
      kind: 2,
      parentSpanId: one(list, 'POST /mcp').spanId,
      attributes: {
        'mcp.method.name': 'tools/call',
        'mcp.protocol.version': '2025-06-18',
        'mcp.session.id': session,
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'web_search',
        'jsonrpc.request.id': '7',
      },
    });
    expect(one(list, 'search').parentSpanId).toBe(tool.spanId);
  });

  test('continues the trace that its message names, and is linked to the request that carried it', async () => {
    await open();
    await called({ traceparent: TRACEPARENT }, 'tidal mills', legacy);
    const list = await spans();
    const http = one(list, 'POST /mcp');
    const tool = one(list, 'tools/call web_search');
    expect(tool).toMatchObject({
      traceId: TRACE,
      parentSpanId: '00f067aa0ba902b7',
      links: [{ traceId: http.traceId, spanId: http.spanId }],
    });
    expect(http.traceId).not.toBe(TRACE);
    expect(one(list, 'search')).toMatchObject({ traceId: TRACE, parentSpanId: tool.spanId });
  });

  test('ignores a malformed context in its message', async () => {
    await open({ 'cache.enabled': false });
    const wrong = [7, null, { a: 1 }, ...MALFORMED];
    for (const traceparent of wrong) await called({ traceparent }, 'tidal mills', legacy);
    const list = await spans();
    const requests = list.filter((span) => span.name === 'POST /mcp').map((span) => span.spanId);
    const tools = list.filter((span) => span.name === 'tools/call web_search');
    expect(requests).toHaveLength(wrong.length);
    expect(tools.map((span) => span.parentSpanId)).toEqual(requests);
    expect(tools.map((span) => span.links)).toEqual(wrong.map(() => undefined));
  });

  test('names the revision of a 2026 client, and the failure of its tool', async () => {
    await open();
    const client = { 'io.modelcontextprotocol/clientCapabilities': {} };
    await called({ ...modern, ...client }, '', {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'web_search',
    });
    const tool = one(await spans(), 'tools/call web_search');
    expect(tool).toMatchObject({
      attributes: { 'mcp.protocol.version': '2026-07-28', 'error.type': 'tool_error' },
      status: { code: 2 },
    });
    const metrics = await (await gateway.app.request('http://127.0.0.1/metrics')).text();
    expect(metrics).toContain(
      'mcp_server_operation_duration_seconds_count{mcp_method_name="tools/call",gen_ai_tool_name="web_search",error_type="tool_error"} 1',
    );
  });
});

describe('the tracer', () => {
  test('keeps a bounded number of spans while nobody takes them, and ends within a second', async () => {
    const counts = { exported: 0, dropped: 0 };
    let fail: (reason: Error) => void = () => undefined;
    const tracer = createTracer({
      endpoint: 'http://collector',
      headers: {},
      service: 'test',
      sampleRatio: 1,
      counts,
      log: silentLogger,
      send: () => new Promise((_, reject) => void (fail = reject)),
      disconnect: async () => fail(new Error('gone')),
    });
    const total = LIMITS.traceSpansMax + 2 * LIMITS.traceBatchMax;
    for (let index = 0; index < total; index += 1) await tracer.span('work', {}, async () => index);
    expect(counts).toEqual({ exported: 0, dropped: LIMITS.traceBatchMax });
    const rest = LIMITS.traceSpansMax / LIMITS.traceBatchMax;
    const closing = tracer.close();
    // The first batch ends with the connection; the others are then refused one after the other.
    for (let batch = 0; batch <= rest; batch += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      fail(new Error('gone'));
    }
    await closing;
    expect(counts).toEqual({ exported: 0, dropped: total });
  });
});
