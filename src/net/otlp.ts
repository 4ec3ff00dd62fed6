import { redact } from '../core/log.ts';
import type { Attributes, TraceContext } from '../core/trace.ts';
import { VERSION } from '../core/version.ts';

/** A finished span. */
export interface EndedSpan extends TraceContext {
  parentSpanId: string | undefined;
  link: TraceContext | undefined;
  name: string;
  kind: 'internal' | 'server' | 'client';
  attributes: Attributes;
  /** Milliseconds since 1970, with fractions. */
  start: number;
  end: number;
  /** The code of the failure. */
  failure?: string;
}

const KINDS = { internal: 1, server: 2, client: 3 };
const ERROR = 2;

/** Encodes a batch as OTLP JSON: IDs in hex, times as nanoseconds in strings. */
export const otlpBody = (spans: EndedSpan[], service: string): string =>
  JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: toAttributes({ 'service.name': service, 'service.version': VERSION }) },
        scopeSpans: [{ scope: { name: 'headgate', version: VERSION }, spans: spans.map(toSpan) }],
      },
    ],
  });

const toSpan = (span: EndedSpan): unknown => ({
  traceId: span.traceId,
  spanId: span.spanId,
  ...(span.parentSpanId === undefined ? {} : { parentSpanId: span.parentSpanId }),
  ...(span.link === undefined ? {} : { links: [{ traceId: span.link.traceId, spanId: span.link.spanId }] }),
  name: span.name,
  kind: KINDS[span.kind],
  startTimeUnixNano: nanoseconds(span.start),
  endTimeUnixNano: nanoseconds(span.end),
  attributes: toAttributes({ ...span.attributes, 'error.type': span.failure }),
  status: span.failure === undefined ? {} : { code: ERROR, message: span.failure },
});

/**
 * A double cannot hold nanoseconds since 1970, so whole milliseconds and the fraction are written separately.
 */
function nanoseconds(ms: number): string {
  const whole = Math.floor(ms);
  return `${whole}${String(Math.floor((ms - whole) * 1e6)).padStart(6, '0')}`;
}

const toAttributes = (attributes: Attributes): unknown[] =>
  Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: toValue(value) }],
  );

function toValue(value: string | number | boolean): unknown {
  // The URL of a page, or a query, may contain keys.
  if (typeof value === 'string') return { stringValue: redact(value) };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
