export type Attributes = Record<string, string | number | boolean | undefined>;

/** A stretch of work with a name, a beginning and an end. */
export interface Span {
  set(attributes: Attributes): void;
  rename(name: string): void;
  /** What another process needs to go on in this trace (W3C Trace Context). */
  readonly traceparent: string | undefined;
}

export interface SpanOptions {
  kind?: 'internal' | 'server' | 'client';
  attributes?: Attributes;
  /** What a caller from outside sent; anything that is none begins a trace of our own. */
  traceparent?: string | undefined;
}

/** Writes down where the time of a call goes. It never fails a call and never makes one wait. */
export interface Tracer {
  /** Runs `work` as a span below the one around it; what it throws is noted and thrown on. */
  span<Value>(name: string, options: SpanOptions, work: (span: Span) => Promise<Value>): Promise<Value>;
  /** Spans that were delivered, and spans that nobody will see. */
  readonly counts: SpanCounts;
  /** Delivers what is waiting. */
  flush(): Promise<void>;
  /** Delivers what can be delivered within a second, and forgets the rest. */
  close(): Promise<void>;
}

export interface SpanCounts {
  exported: number;
  dropped: number;
}

const NO_SPAN: Span = { set() {}, rename() {}, traceparent: undefined };

/** Runs `work` in a span where traces are wanted, and as it is everywhere else. */
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

/** Where a span stands in its trace. */
export interface TraceContext {
  traceId: string;
  spanId: string;
  isSampled: boolean;
}

/** Reads a `traceparent` header; undefined when it is not one. */
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
