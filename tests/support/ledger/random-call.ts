import { SURFACES, type CallRow, type Surface } from '../../../src/core/call-row.ts';

/** A row as a call would leave it, with rare and usual values in every column. */
export function randomCall(random: () => number, at: number): CallRow {
  const pick = <Value>(values: readonly Value[]): Value =>
    values[Math.floor(random() ** 2 * values.length)] as Value;
  const [credits, cached] = [pick([0, 0, 1, 2, 10]), pick([0, 0, 0, 1])];
  const query = random() < 0.2 ? pick(['tidal mills', 'Wind_mills 100%', 'Mühlen', 'a!b']) : null;
  return {
    at,
    request: `request-${Math.floor(random() * 1e9)}`,
    surface: pick<Surface>(SURFACES),
    operation: pick(['search', 'extract', 'crawl', 'map']),
    workspace: pick([null, 'ws_a', 'ws_b', 'ws_c']),
    agent: pick([null, null, 'agent_a', 'agent_b']),
    key: pick([null, 'key_a', 'key_b', 'key_c']),
    person: pick([null, null, null, 'ann']),
    provider: pick([null, 'tavily', 'duckduckgo']),
    outcome: pick(['ok', 'ok', 'empty', 'failed', 'blocked']),
    code: pick([null, null, null, 'upstream_timeout']),
    attempts: '[]',
    tries: pick([0, 1, 2, 3]),
    credits,
    charged: credits * 8_000,
    tokens: pick([0, 0, 0, 500]),
    ms: Math.floor(random() * 5_000),
    cached,
    policy: pick([null, null, null, null, 'denied']),
    text_bytes: query?.length ?? 0,
    query,
    answer: null,
  };
}
