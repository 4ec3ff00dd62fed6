import { json, objectIn, type SimRequest, type SimUpstream } from './upstream.ts';

/*
 * A collector that takes OTLP/HTTP traces in JSON, as strict as the protocol: what is no batch of spans is a 400. What it got is
 * among the simulator's requests; `spansIn` reads it back.
 */

/** A received span, with its attributes as a plain object. */
export interface SimSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Record<string, unknown>;
  status: { code?: number; message?: string };
  links?: { traceId: string; spanId: string }[];
}

export const otlpSim: SimUpstream = {
  id: 'otlp',
  handle: (request) => {
    if (request.method !== 'POST' || request.url.pathname !== '/v1/traces') return json(404, {});
    return spansOf(request).every(isSpan) && spansOf(request).length > 0
      ? json(200, { partialSuccess: {} })
      : json(400, { code: 3, message: 'This is no batch of spans.' });
  },
};

/**
 * Every span that a simulator received.
 * @testonly
 */
export const spansIn = (requests: SimRequest[]): SimSpan[] =>
  requests.filter((request) => request.url.pathname.endsWith('/v1/traces')).flatMap(spansOf);

interface Batch {
  resourceSpans?: { scopeSpans?: { spans?: (Omit<SimSpan, 'attributes'> & { attributes?: Pair[] })[] }[] }[];
}
interface Pair {
  key: string;
  value: Record<string, unknown>;
}

function spansOf(request: SimRequest): SimSpan[] {
  const { resourceSpans = [] } = (objectIn(request) ?? {}) as Batch;
  const spans = resourceSpans.flatMap(({ scopeSpans = [] }) =>
    scopeSpans.flatMap(({ spans: list = [] }) => list),
  );
  return spans.map((span) => ({
    ...span,
    attributes: Object.fromEntries(
      (span.attributes ?? []).map(({ key, value }) => [key, Object.values(value)[0]]),
    ),
  }));
}

const isSpan = (span: SimSpan): boolean =>
  /^[0-9a-f]{32}$/.test(span.traceId) &&
  /^[0-9a-f]{16}$/.test(span.spanId) &&
  /^\d{19}$/.test(span.startTimeUnixNano) &&
  /^\d{19}$/.test(span.endTimeUnixNano) &&
  span.endTimeUnixNano >= span.startTimeUnixNano;
