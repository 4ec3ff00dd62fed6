/** A request as the simulator received it. */
export interface SimRequest {
  method: string;
  /** The path with its query. */
  url: URL;
  headers: Record<string, string>;
  body: string;
}

export interface SimResponse {
  status: number;
  headers?: Record<string, string>;
  body: string | Uint8Array;
}

/** A scripted upstream: a pure function from request to response, mounted under `/<id>`. */
export interface SimUpstream {
  id: string;
  handle(request: SimRequest): SimResponse | undefined;
}

export const json = (status: number, body: unknown, headers: Record<string, string> = {}): SimResponse => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

export const webPage = (status: number, body: string): SimResponse => ({
  status,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body: `<!DOCTYPE html><html><body>${body}</body></html>`,
});

/** The JSON object in a request's body; undefined when there is none. */
export function objectIn(request: SimRequest): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(request.body);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** The key of an `Authorization: Bearer` header, or an empty string. */
export const bearerOf = (request: SimRequest): string =>
  /^Bearer\s+(.+)$/i.exec(request.headers['authorization'] ?? '')?.[1]?.trim() ?? '';
