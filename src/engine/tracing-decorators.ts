import type { Config } from '../config/schema.ts';
import { hostOf } from '../core/url.ts';
import type { Tracer } from '../core/trace.ts';
import type { GuardedFetch } from '../net/fetch.ts';
import type { Upstream } from '../net/upstream.ts';
import type { Services } from '../operations/services.ts';

/** Traces every request to a provider. The trace context is sent only if the operator enables it. */
export const tracedUpstream = (
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
export function tracedMeter(meter: NonNullable<Services['meter']>, tracer: Tracer): typeof meter {
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
