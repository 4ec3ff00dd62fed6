import type { Hono } from 'hono';
import { z } from 'zod';
import { LIMITS } from '../../core/limits.ts';
import { HeadgateError } from '../../core/errors.ts';
import type { GatewayContext } from '../door/context.ts';
import { perMinute } from '../door/rate-limit.ts';
import { readJsonBody } from '../door/request-body.ts';
import { clientNameOf } from './clients.ts';
import { isRedirectAllowed } from './redirect.ts';

const registration = z.looseObject({
  client_name: z.string().max(1_000).default('Client'),
  redirect_uris: z.array(z.string()).min(1).max(LIMITS.redirectsPerClientMax),
});

/** Mounts `/oauth/register`, where any client may register itself (RFC 7591). Only with `[auth] registration`. */
export function mountRegistration(app: Hono, gateway: GatewayContext): void {
  const { shared } = gateway.services;
  const limit = perMinute(LIMITS.registrationsPerMinute);
  app.post('/oauth/register', async (context) => {
    const refuse = (error: string, text: string, status: 400 | 429 = 400) =>
      context.json({ error, error_description: text }, status, { 'cache-control': 'no-store' });
    if ((await shared.take(`register ${gateway.addressOf(context)}`, limit)) !== undefined)
      return refuse('temporarily_unavailable', 'Too many registrations from this address.', 429);
    try {
      const parsed = registration.safeParse(await readJsonBody(context.req));
      if (!parsed.success) return refuse('invalid_client_metadata', 'redirect_uris are needed.');
      const { client_name: name, redirect_uris: redirects } = parsed.data;
      if (!redirects.every(isRedirectAllowed))
        return refuse(
          'invalid_redirect_uri',
          'A redirect_uri must be https, http on a loopback address, or the scheme of a known application.',
        );
      const client = await gateway.store.grants.register({ name: clientNameOf(name), redirects });
      return context.json(
        {
          client_id: client.id,
          client_id_issued_at: Math.floor(gateway.services.clock.now() / 1_000),
          client_name: client.name,
          redirect_uris: client.redirects,
          grant_types: ['authorization_code', 'refresh_token'],
          response_types: ['code'],
          token_endpoint_auth_method: 'none',
        },
        201,
        { 'cache-control': 'no-store' },
      );
    } catch (thrown) {
      const error = HeadgateError.from(thrown);
      if (error.code === 'rate_limited') return refuse('temporarily_unavailable', error.message, 429);
      if (error.code === 'invalid_request') return refuse('invalid_client_metadata', error.message);
      throw thrown;
    }
  });
}
