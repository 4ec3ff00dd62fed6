import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { HeadgateError } from '../core/errors.ts';
import type { HttpResponse, HttpRequest } from '../core/http.ts';
import { LIMITS } from '../core/limits.ts';
import type { Logger } from '../core/log.ts';
import {
  formatTraceparent,
  parseTraceparent,
  type Attributes,
  type SpanCounts,
  type SpanOptions,
  type TraceContext,
  type Tracer,
} from '../core/trace.ts';
import { otlpBody, type EndedSpan } from './otlp.ts';

export interface TracerOptions {
  /** The collector's address; `/v1/traces` is appended. */
  endpoint: string;
  headers: Record<string, string>;
  service: string;
  /** The share of traces that are kept, 0 to 1. A caller can opt out of sampling, but not in. */
  sampleRatio: number;
  counts: SpanCounts;
  log: Logger;
  send(request: HttpRequest): Promise<HttpResponse>;
  /** Closes the connections to the collector and aborts requests in progress. */
  disconnect(): Promise<void>;
  /** Milliseconds since 1970, with fractions. */
  now?(): number;
}

/** Exports traces as OTLP/HTTP JSON: batched and bounded. Spans are dropped rather than waited for. */
export function createTracer(options: TracerOptions): Tracer {
  const { counts, sampleRatio, now = preciseNow } = options;
  const around = new AsyncLocalStorage<TraceContext>();
  const outbox = createOutbox(options);
  const contextOf = ({
    traceparent,
    carried,
  }: SpanOptions): Pick<EndedSpan, 'link'> & { own: TraceContext; parent: TraceContext | undefined } => {
    const ambient = around.getStore();
    const remote = parseTraceparent(carried);
    const parent = remote ?? ambient ?? parseTraceparent(traceparent);
    const traceId = parent?.traceId ?? randomBytes(16).toString('hex');
    const isSampled = parent?.isSampled !== false && isWithin(traceId, sampleRatio);
    return {
      own: { traceId, spanId: randomBytes(8).toString('hex'), isSampled },
      parent,
      link: remote && ambient,
    };
  };
  return {
    counts,
    flush: outbox.flush,
    close: async () => {
      const timer = setTimeout(() => void options.disconnect(), LIMITS.traceCloseMs);
      await outbox.flush();
      clearTimeout(timer);
      await options.disconnect();
    },
    span: async (name, spanOptions, work) => {
      const { own, parent, link } = contextOf(spanOptions);
      const span: EndedSpan = {
        ...own,
        parentSpanId: parent?.spanId,
        link,
        name,
        kind: spanOptions.kind ?? 'internal',
        attributes: { ...spanOptions.attributes },
        start: now(),
        end: 0,
      };
      const handle = {
        set: (attributes: Attributes) => void Object.assign(span.attributes, attributes),
        rename: (renamed: string) => {
          span.name = renamed;
        },
        fail: (type: string) => {
          span.failure = type;
        },
        traceparent: formatTraceparent(own),
      };
      try {
        return await around.run(own, () => work(handle));
      } catch (thrown) {
        // A code and not a message: messages are written for the caller and may repeat the query.
        span.failure = HeadgateError.from(thrown).code;
        throw thrown;
      } finally {
        span.end = now();
        if (own.isSampled) outbox.add(span);
      }
    },
  };
}

/**
 * Spans waiting for the collector. One batch is sent at a time; spans beyond the limit are counted and
 * dropped.
 */
function createOutbox({ endpoint, headers, service, counts, log, send }: TracerOptions) {
  const waiting: EndedSpan[] = [];
  let sending: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isFailing = false;

  const deliver = async (batch: EndedSpan[]): Promise<void> => {
    const problem = await send({
      method: 'POST',
      url: `${endpoint.replace(/\/+$/, '')}/v1/traces`,
      headers: { 'content-type': 'application/json', ...headers },
      body: otlpBody(batch, service),
    }).then(
      ({ status }) => (status >= 200 && status < 300 ? undefined : `status ${status}`),
      (thrown: unknown) => HeadgateError.from(thrown).message,
    );
    counts[problem === undefined ? 'exported' : 'dropped'] += batch.length;
    if (problem !== undefined && !isFailing) log.warn('trace_export_failed', { problem });
    isFailing = problem !== undefined;
  };
  const drain = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    while (waiting.length > 0) await deliver(waiting.splice(0, LIMITS.traceBatchMax));
  };
  const flush = (): Promise<void> => {
    sending ??= drain().finally(() => {
      sending = undefined;
    });
    return sending;
  };
  return {
    flush,
    add: (span: EndedSpan) => {
      if (waiting.length >= LIMITS.traceSpansMax) {
        counts.dropped += 1;
        return;
      }
      waiting.push(span);
      if (waiting.length >= LIMITS.traceBatchMax) void flush();
      else timer ??= setTimeout(() => void flush(), LIMITS.traceFlushMs).unref();
    },
  };
}

/** Samples by trace ID, so that every service makes the same decision. */
const isWithin = (traceId: string, ratio: number): boolean =>
  Number.parseInt(traceId.slice(-8), 16) < ratio * 2 ** 32;

const preciseNow = (): number => performance.timeOrigin + performance.now();
