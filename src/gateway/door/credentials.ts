import type { Body } from './request-body.ts';

/** Anything that has request headers. */
export interface Headed {
  header(name: string): string | undefined;
}

/** The key in the headers: `Authorization: Bearer …`, else `x-api-key`. */
export function keyOf(request: Headed): string | undefined {
  const bearer = /^Bearer\s+(\S+)\s*$/i.exec(request.header('authorization') ?? '')?.[1];
  return bearer ?? filled(request.header('x-api-key')?.trim());
}

/** The same, or the password of HTTP Basic authentication, for clients that only take an address. */
export function keyOrPasswordOf(request: Headed): string | undefined {
  const basic = /^Basic\s+(\S+)\s*$/i.exec(request.header('authorization') ?? '')?.[1];
  if (basic === undefined) return keyOf(request);
  const pair = Buffer.from(basic, 'base64').toString('utf8');
  return filled(pair.slice(pair.indexOf(':') + 1).trim());
}

/** The key in the body, where old clients put it. */
export const keyOfBody = (body: Body): string | undefined =>
  filled(body['api_key']) ?? filled(body['apiKey']);

const filled = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;
