export type Attributes = Record<string, string | number | boolean | undefined>;

/** A named piece of work with a start and an end. */
export interface Span {
  set(attributes: Attributes): void;
  rename(name: string): void;
  /** Marks work as failed that returned a failure instead of throwing it. */
  fail(type: string): void;
  /** The W3C Trace Context header with which another process continues this trace. */
  readonly traceparent: string | undefined;
}

export interface SpanOptions {
  kind?: 'internal' | 'server' | 'client';
  attributes?: Attributes;
  /** The header that a caller sent. An invalid one starts a new trace. */
  traceparent?: string | undefined;
  /**
   * The context that a message itself carries. It takes precedence over the span around, which is then linked.
   */
  carried?: string | undefined;
}

/** Records where the time of a call goes. It never fails a call and never delays one. */
export interface Tracer {
  /** Runs `work` as a child span of the current one. Errors are recorded and rethrown. */
  span<Value>(name: string, options: SpanOptions, work: (span: Span) => Promise<Value>): Promise<Value>;
  /** Counts of spans that were delivered and spans that were dropped. */
  readonly counts: SpanCounts;
  /** Delivers the spans that are waiting. */
  flush(): Promise<void>;
  /** Delivers what it can within a second, and drops the rest. */
  close(): Promise<void>;
}

export interface SpanCounts {
  exported: number;
  dropped: number;
}

/** The `error.type` of a tool that returned an error, by OpenTelemetry's conventions. */
export const TOOL_ERROR = 'tool_error';

const NO_SPAN: Span = { set() {}, rename() {}, fail() {}, traceparent: undefined };

/** Runs `work` in a span if tracing is on, and directly otherwise. */
export const traced = <Value>(
  tracer: Tracer | undefined,
  name: string,
  options: SpanOptions,
  work: (span: Span) => Promise<Value>,
): Promise<Value> => (tracer === undefined ? work(NO_SPAN) : tracer.span(name, options, work));

/** A tracer whose code is loaded with its first span. */
export function createLazyTracer(load: (counts: SpanCounts) => Promise<Tracer>): Tracer {
  const counts: SpanCounts = { exported: 0, dropped: 0 };
  let loading: Promise<Tracer> | undefined;
  return {
    counts,
    span: async (name, options, work) => {
      loading ??= load(counts);
      return (await loading).span(name, options, work);
    },
    flush: async () => (await loading)?.flush(),
    close: async () => (await loading)?.close(),
  };
}

/** The position of a span in its trace. */
export interface TraceContext {
  traceId: string;
  spanId: string;
  isSampled: boolean;
}

/** Parses a `traceparent` header; undefined when it is invalid. */
export function parseTraceparent(header: string | undefined): TraceContext | undefined {
  const [, version, traceId = '', spanId = '', flags = ''] =
    /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.{0,200})?$/.exec(header?.trim() ?? '') ??
    [];
  if (version === undefined || version === 'ff' || /^0+$/.test(traceId) || /^0+$/.test(spanId))
    return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

export const formatTraceparent = ({ traceId, spanId, isSampled }: TraceContext): string =>
  `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
