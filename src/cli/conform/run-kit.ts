import { clip, oneLine } from '../../core/text.ts';
import { shown, type Heard, type ServerAnswer } from './check.ts';
import { ask, hidden, sentSecrets, type Kit, type Probe, type Server } from './probe.ts';

export interface CheckRow {
  check: string;
  call: string;
  result: 'pass' | 'fail' | 'skipped';
  expected: string;
  came: string;
}

export interface Report {
  rows: CheckRow[];
  calls: number;
  isCancelled: boolean;
}

/** After so many calls in a row without an answer the rest is not tried. */
const SILENT_MAX = 3;

/** Makes the calls one after the other. Nothing that a server does makes it throw. */
export async function runKit(
  kit: Kit,
  probes: readonly Probe[],
  server: Server,
  onCall: (probe: Probe, index: number) => void,
): Promise<Report> {
  const heard = new Map<string, ServerAnswer>();
  const report: Report = { rows: [], calls: 0, isCancelled: false };
  let silent = 0;
  for (const [index, probe] of probes.entries()) {
    const why = skipReason(probe, server, report.isCancelled, silent);
    const path = pathOf(probe.path, heard);
    if (why !== undefined || path === undefined) {
      report.rows.push(...skippedRows(probe, why ?? 'an earlier answer lacks what it needs', 'skipped'));
      continue;
    }
    onCall(probe, index);
    try {
      const body = typeof probe.body === 'function' ? probe.body(heard) : probe.body;
      const { calls, ...result } = await ask(probe, { path, body }, kit, server);
      report.calls += calls;
      silent = 'problem' in result ? silent + 1 : 0;
      if ('problem' in result) report.rows.push(...skippedRows(probe, result.problem, 'fail'));
      else {
        heard.set(probe.id, result.answer);
        report.rows.push(...judged(probe, result.answer, heard));
      }
    } catch {
      report.isCancelled = true;
      report.rows.push(...skippedRows(probe, CANCELLED, 'skipped'));
    }
  }
  const secrets = sentSecrets(kit, server);
  return { ...report, rows: report.rows.map((row) => ({ ...row, came: hidden(row.came, secrets) })) };
}

const CANCELLED = 'cancelled';

function skipReason({ auth = 'usual' }: Probe, { key }: Server, isCancelled: boolean, silent: number) {
  if (isCancelled) return CANCELLED;
  if (silent >= SILENT_MAX) return `not tried: ${SILENT_MAX} calls in a row had no answer`;
  return key === undefined && auth !== 'usual' ? 'needs --key' : undefined;
}

function judged(probe: Probe, answer: ServerAnswer, heard: Heard): CheckRow[] {
  const came = `HTTP ${answer.status}, ${answer.type || 'no type'}`;
  const isRight =
    (probe.status ?? [200]).includes(answer.status) &&
    answer.type === typeOf(probe) &&
    (typeOf(probe) !== JSON_TYPE || answer.json !== undefined);
  if (!isRight)
    return skippedRows(probe, `${came}: ${clip(oneLine(answer.text.slice(0, 500)), 100)}`, 'fail');
  return [
    { ...rowOf(probe), result: 'pass', came },
    ...(probe.checks ?? []).map(({ id, expects, test }): CheckRow => {
      const base = { check: id, call: callOf(probe), expected: expects };
      const verdict = test(answer, heard);
      if (verdict === undefined) return { ...base, result: 'pass', came: 'as expected' };
      return 'came' in verdict
        ? { ...base, result: 'fail', came: verdict.came }
        : { ...base, result: 'skipped', came: verdict.skipped };
    }),
  ];
}

/** Without an answer its first check fails, or is skipped, and there is nothing for the others to look at. */
const skippedRows = (probe: Probe, came: string, result: 'fail' | 'skipped'): CheckRow[] => [
  { ...rowOf(probe), result, came },
  ...(probe.checks ?? []).map(({ id, expects }): CheckRow => ({
    check: id,
    call: callOf(probe),
    result: 'skipped',
    expected: expects,
    came: result === 'fail' ? `${probe.id} failed` : came,
  })),
];

const JSON_TYPE = 'application/json';
const typeOf = ({ type = JSON_TYPE }: Probe): string => type;

const rowOf = (probe: Probe) => ({
  check: probe.id,
  call: callOf(probe),
  expected: `HTTP ${(probe.status ?? [200]).join(' or ')}, ${typeOf(probe)}`,
});

const callOf = ({ method, path, body }: Probe): string =>
  `${method} ${path}${body === undefined || typeof body === 'function' ? '' : ` ${shown(body)}`}`;

/** Undefined when the earlier answer lacks what the path needs. */
function pathOf(path: string, heard: Heard): string | undefined {
  const name = /\{(.+)\}/.exec(path)?.[1];
  if (name === undefined) return path;
  const id = (heard.get(name)?.json as { request_id?: unknown } | undefined)?.request_id;
  return typeof id === 'string' ? path.replace(`{${name}}`, encodeURIComponent(id)) : undefined;
}
