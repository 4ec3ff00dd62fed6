import type { Context } from 'hono';
import { HeadgateError } from '../../core/errors.ts';

/**
 * Refuses writes from other origins (CSRF). `Sec-Fetch-Site` or `Origin` must be present, which scripts
 * cannot set. Forms cannot send JSON, so the content type is checked too.
 */
export function checkSameOrigin(context: Context): void {
  const site = context.req.header('sec-fetch-site');
  const origin = context.req.header('origin');
  const host = context.req.header('host') ?? new URL(context.req.url).host;
  const type = context.req.header('content-type') ?? 'application/json';
  const isOurs =
    (site !== undefined || origin !== undefined) &&
    (site === undefined || site === 'same-origin') &&
    (origin === undefined || origin === `http://${host}` || origin === `https://${host}`) &&
    /^application\/json\b/i.test(type);
  if (isOurs) return;
  throw new HeadgateError('forbidden', 'This request did not come from the console.', {
    remediation: 'Open the console and do it there.',
  });
}
