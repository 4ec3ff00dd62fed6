import type { Config } from '../config/schema.ts';
import { LIMITS } from '../core/limits.ts';
import type { Logger } from '../core/log.ts';
import { createLazyTracer, type Tracer } from '../core/trace.ts';
import { createUpstream } from '../net/upstream.ts';
import type { Services } from '../operations/services.ts';
import { tracedFetch, tracedMeter, tracedUpstream } from './tracing-decorators.ts';

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
