import { FAULT_KINDS, isFault } from './faults.ts';
import type { Script } from './script.ts';
import type { SimRequest, SimResponse } from './upstream.ts';

/**
 * The simulator's own paths, for external scripts: `POST /__script {"match": "/duckduckgo", "faults":
 * [{"kind": "status", "status": 503}]}`, `POST /__reset`, `GET /__requests`. Undefined for anything else.
 */
export function control(
  request: SimRequest,
  script: Script,
  requests: SimRequest[],
): SimResponse | undefined {
  const call = `${request.method} ${request.url.pathname}`;
  if (call === 'GET /__requests') return json(200, requests);
  if (call === 'POST /__reset') {
    script.clear();
    requests.length = 0;
    return json(200, { ok: true });
  }
  if (call !== 'POST /__script') return undefined;
  const parsed = parseScript(request.body);
  if (parsed === undefined) {
    const error = `Send {"match": "/path", "faults": [{"kind": …}]}. Kinds: ${FAULT_KINDS.join(', ')}.`;
    return json(400, { error });
  }
  script.add(...parsed);
  return json(200, { ok: true });
}

function parseScript(body: string): Parameters<Script['add']> | undefined {
  try {
    const { match, faults } = JSON.parse(body) as { match?: unknown; faults?: unknown };
    const path: unknown =
      typeof match === 'object' && match !== null ? (match as { path?: unknown }).path : match;
    if (typeof path !== 'string' || !Array.isArray(faults) || !faults.every(isFault)) return undefined;
    return [match as Parameters<Script['add']>[0], faults];
  } catch {
    return undefined;
  }
}

const json = (status: number, value: unknown): SimResponse => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
});
