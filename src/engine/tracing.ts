import type { Config } from '../config/schema.ts';
import { LIMITS } from '../core/limits.ts';
import type { Logger } from '../core/log.ts';
import { createLazyTracer, type Tracer } from '../core/trace.ts';
import { createUpstream, type Upstream } from '../net/upstream.ts';
import type { Services } from '../operations/services.ts';
import { hostOf } from '../core/url.ts';
import type { GuardedFetch } from '../net/fetch.ts';

/** Creates the tracer if a collector is configured; its code is loaded with the first call. */
export function createTracerFor(config: Config, log: Logger): Tracer | undefined {
  const { otlp_endpoint: endpoint, otlp_headers: pairs, service_name: service } = config.telemetry;
  if (endpoint === undefined) return undefined;
  const headers = Object.fromEntries(
    pairs.map((pair) => [
      pair.split('=')[0]?.trim().toLowerCase() ?? '',
      pair.slice(pair.indexOf('=') + 1).trim(),
    ]),
  );
  return createLazyTracer(async (counts) => {
    const { createTracer } = await import('../net/tracer.ts');
    const collector = createUpstream();
    return createTracer({
      endpoint,
      headers,
      service,
      sampleRatio: config.telemetry.sample_ratio,
      counts,
      log,
      disconnect: () => collector.close(),
      send: (request) =>
        collector.send(request, {
          signal: AbortSignal.timeout(LIMITS.traceSendMs),
          timeoutMs: LIMITS.traceSendMs,
          provider: 'The collector of traces',
        }),
    });
  });
}

/** Wraps the services so that requests, pages and bookings become spans. */
export function tracedServices(services: Services): Services {
  const { config, tracer, upstream, fetch, meter } = services;
  if (tracer === undefined) return services;
  return {
    ...services,
    upstream: tracedUpstream(upstream, tracer, config.telemetry),
    fetch: tracedFetch(fetch, tracer, config.telemetry),
    meter: meter === undefined ? undefined : tracedMeter(meter, tracer),
  };
}

/** Traces every request to a provider. The trace context is sent only if the operator enables it. */
const tracedUpstream = (
  upstream: Pick<Upstream, 'send'>,
  tracer: Tracer,
  { propagate }: Config['telemetry'],
): Pick<Upstream, 'send'> => ({
  send: (request, options) => {
    const attributes = { 'http.request.method': request.method, 'server.address': hostOf(request.url) };
    return tracer.span(`send ${options.provider}`, { kind: 'client', attributes }, async (span) => {
      const { traceparent } = span;
      const isTold = propagate && traceparent !== undefined;
      const told = isTold ? { ...request, headers: { ...request.headers, traceparent } } : request;
      const response = await upstream.send(told, options);
      span.set({ 'http.response.status_code': response.status });
      return response;
    });
  },
});

/** Traces every fetched page, with its address only if the operator wants that. Sites get no trace context. */
export const tracedFetch =
  (fetch: GuardedFetch, tracer: Tracer, { queries }: Config['telemetry']): GuardedFetch =>
  (url, options) => {
    const attributes = { 'server.address': hostOf(url), ...(queries ? { 'url.full': url } : {}) };
    return tracer.span('fetch', { kind: 'client', attributes }, async (span) => {
      const page = await fetch(url, options);
      span.set({ 'http.response.status_code': page.status, 'http.response.body.size': page.bytes.length });
      return page;
    });
  };

/** Traces every booking. */
function tracedMeter(meter: NonNullable<Services['meter']>, tracer: Tracer): typeof meter {
  const optionsOf = ({ provider, credits }: Parameters<typeof meter.hold>[0]) => ({
    attributes: { 'headgate.provider': provider, 'headgate.credits': credits },
  });
  return {
    ...meter,
    hold: (request) => tracer.span('hold', optionsOf(request), () => meter.hold(request)),
    commit: (unit) =>
      tracer.span('settle', {}, async (span) => {
        const committed = await meter.commit(unit);
        span.set({ 'headgate.credits': committed.receipt.credits });
        return committed;
      }),
    settle: (hold, credits) => tracer.span('settle', {}, () => meter.settle(hold, credits)),
    release: (hold) => tracer.span('release', {}, () => meter.release(hold)),
    doubt: (hold, reason) => tracer.span('doubt', {}, () => meter.doubt(hold, reason)),
  };
}
