import type { HonoRequest } from 'hono';
import { LIMITS } from '../../core/limits.ts';

/** An error of the OAuth protocol, such as `invalid_grant`. */
export class OAuthError extends Error {
  readonly code: string;
  readonly status: 400 | 401 | 429 | 503;
  constructor(code: string, description: string, status: 400 | 401 | 429 | 503 = 400) {
    super(description);
    this.code = code;
    this.status = status;
  }
}

/** Parameters as a map. A parameter that is sent twice is refused, because readers disagree about which one counts. */
export function formParameters(search: URLSearchParams): Map<string, string> {
  const found = new Map<string, string>();
  for (const [name, value] of search) {
    if (found.has(name)) throw new OAuthError('invalid_request', `${nameOf(name)} is sent twice.`);
    if (value !== '') found.set(name, value);
  }
  return found;
}

const nameOf = (name: string): string => (/^[a-z_]{1,40}$/.test(name) ? name : 'A parameter');

/** The parameters of a posted form. */
export async function readForm(request: HonoRequest): Promise<Map<string, string>> {
  const type = request.header('content-type') ?? '';
  if (!/^application\/x-www-form-urlencoded\b/i.test(type))
    throw new OAuthError('invalid_request', 'Send application/x-www-form-urlencoded.');
  const length = Number(request.header('content-length') ?? 0);
  const text = length > LIMITS.clientDocumentBytesMax ? undefined : await request.text();
  if (text === undefined || text.length > LIMITS.clientDocumentBytesMax)
    throw new OAuthError('invalid_request', 'The request is too large.');
  return formParameters(new URLSearchParams(text));
}
