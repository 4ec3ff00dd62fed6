import {
  wholeNumber,
  type Args,
  type Flag,
  switchFlag,
  valueFlag,
  valuesFlag,
} from '../core/command-line.ts';
import { HeadgateError } from '../core/errors.ts';
import { asked, named, own } from '../core/own-text.ts';
import { clip, plural } from '../core/text.ts';
import type { Command, CommandContext } from './command.ts';
import type { Kit, Probe, Server } from './conform/probe.ts';
import type { CheckRow, Report } from './conform/run-kit.ts';
import { renderTable } from './table.ts';

const KITS: Record<string, () => Promise<{ kit: Kit }>> = {
  tavily: () => import('./conform/tavily.ts'),
  searxng: () => import('./conform/searxng.ts'),
};

const flags: readonly Flag[] = [
  valueFlag('base-url', 'URL', 'The address of the server.'),
  valueFlag('key', 'KEY', 'Its API key. Without one, what is about keys is skipped.'),
  valueFlag('key-env', 'NAME', 'The environment variable that has the key.'),
  valueFlag('timeout', 'SECONDS', 'How long a call may take (default 60; research ten times as long).'),
  valuesFlag('only', 'CHECK', 'Only checks whose name begins so; may be repeated.'),
  valuesFlag('skip', 'CHECK', 'No checks whose name begins so; may be repeated.'),
  switchFlag('dry-run', 'Say which calls would be made, and make none.'),
];

const page = valueFlag('page', 'URL', 'A page that the server can read (default https://example.com/).');
const usage = '--base-url URL [flags]';

/** Checks whether a server conforms to an API. */
export const command: Command = {
  usage: '',
  verbs: { tavily: { usage, flags: [...flags, page] }, searxng: { usage, flags } },
  run: async (context) => {
    const { args, verb, printResult, say, isTerminal } = context;
    const loaded = await KITS[verb]?.();
    if (loaded === undefined) throw new HeadgateError('internal', 'There is no such kit.');
    const { kit } = loaded;
    const server = serverOf(context);
    const probes = chosen(kit.probes(server), args);
    say(`${announced(kit, probes, server)}\n`);
    if (args.isOn('dry-run') === true) {
      const rows = planned(probes);
      printResult(rows, () => planTable(rows));
      return 0;
    }
    const { runKit } = await import('./conform/run-kit.ts');
    const report = await runKit(kit, probes, server, ({ id }, index) => {
      if (isTerminal) say(`\r${index + 1}/${probes.length} ${id}\u001b[K`);
    });
    if (isTerminal) say('\r\u001b[K');
    const { rows } = report;
    const failed = rows.filter(({ result }) => result === 'fail').length;
    printResult(jsonOf(verb, report, server), () => table(rows));
    say(`${summary(report)}\n`);
    return failed > 0 || report.isCancelled ? 1 : 0;
  },
};

function serverOf({ args, env, signal }: CommandContext): Server {
  const base = addressOf(args, 'base-url', undefined);
  const variable = args.value('key-env');
  const given = variable === undefined ? args.value('key') : env[variable];
  if (variable !== undefined && (given ?? '').trim() === '')
    throw new HeadgateError('invalid_request', own`--key-env: ${asked(variable)} is not set.`);
  const key = given?.trim() || decodeURIComponent(base.password) || undefined;
  base.username = base.password = '';
  const seconds = wholeNumber(args, 'timeout', { min: 1, max: 600 }) ?? 60;
  const page = addressOf(args, 'page', 'https://example.com/').href;
  return { base, key, page, timeoutMs: seconds * 1_000, signal };
}

function addressOf(args: Args, flag: string, usual: string | undefined): URL {
  const given = args.value(flag) ?? usual;
  if (given === undefined)
    throw new HeadgateError('invalid_request', own`--${named(flag)} is missing.`, {
      remediation: 'Such as `--base-url http://127.0.0.1:8787`.',
    });
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new HeadgateError('invalid_request', own`--${named(flag)}: this is not an http(s) address.`, {
      remediation: 'Such as `--base-url http://127.0.0.1:8787`.',
    });
  return url;
}

/** The probes that have a check which was asked for; what a probe needs from an earlier one is kept with it. */
function chosen(probes: Probe[], args: Args): Probe[] {
  const [only, skip] = [args.values('only') ?? [''], args.values('skip') ?? []];
  const isChosen = (id: string): boolean =>
    only.some((start) => id.startsWith(start)) && !skip.some((start) => id.startsWith(start));
  const found = probes.flatMap((probe) => {
    const checks = (probe.checks ?? []).filter(({ id }) => isChosen(id));
    const isNeeded = probes.some(({ id, path }) => isChosen(id) && path.includes(`{${probe.id}}`));
    return isChosen(probe.id) || checks.length > 0 || isNeeded ? [{ ...probe, checks }] : [];
  });
  if (found.length > 0) return found;
  throw new HeadgateError('invalid_request', 'No check has such a name.', {
    remediation: '`--dry-run` without --only and --skip lists them.',
  });
}

function announced(kit: Kit, probes: Probe[], { base, key }: Server): string {
  const [least, most] = [0, 1].map((at) =>
    probes.reduce((sum, { credits }) => sum + (credits?.[at] ?? 0), 0),
  );
  const polls = probes.some(({ whileStatus }) => whileStatus !== undefined)
    ? ' and asks for the state of a research twice a second'
    : '';
  const cost = most === 0 ? '' : `, which cost about ${least} to ${most} credits at Tavily`;
  const research =
    probes.some(({ id }) => id.startsWith('research')) && most !== 0
      ? ' (without research: `--skip research`)'
      : '';
  const hasKeyChecks = probes.some(({ auth = 'usual' }) => auth !== 'usual');
  const keyless = key === undefined && hasKeyChecks ? ' Without --key, checks of keys are skipped.' : '';
  return `${kit.title} at ${base.origin}: ${plural(probes.length, 'call')}${polls}${cost}${research}.${keyless}`;
}

const planned = (probes: Probe[]) =>
  probes.flatMap(({ id, method, path, credits, checks = [] }) =>
    [{ id, expects: '' }, ...checks].map((check, at) => ({
      check: check.id,
      expected: check.expects || `an answer`,
      call: `${method} ${path}`,
      credits: at === 0 ? (credits ?? [0, 0]) : undefined,
    })),
  );

const planTable = (rows: ReturnType<typeof planned>): string =>
  renderTable(
    rows,
    [
      { title: 'check', value: ({ check }) => check },
      { title: 'call', value: ({ call }) => call },
      { title: 'expected', value: ({ expected }) => expected },
      {
        title: 'credits',
        align: 'right',
        value: ({ credits }) => (credits === undefined ? '' : [...new Set(credits)].join('–')),
      },
    ],
    '',
  );

const table = (rows: CheckRow[]): string =>
  renderTable(
    rows,
    [
      { title: 'check', value: ({ check }) => check },
      { title: 'result', value: ({ result }) => result },
      { title: 'expected', value: ({ expected }) => clip(expected, EXPECTED_CHARS) },
      { title: 'came', value: ({ came }) => came },
    ],
    'Nothing was checked.',
  );

const EXPECTED_CHARS = 70;

const countOf = (rows: CheckRow[], result: CheckRow['result']): number =>
  rows.filter((row) => row.result === result).length;

const summary = ({ rows, calls, isCancelled }: Report): string =>
  `${isCancelled ? 'Cancelled. ' : ''}${plural(rows.length, 'check')}, ${plural(calls, 'call')}: ${countOf(rows, 'pass')} passed, ${countOf(rows, 'fail')} failed, ${countOf(rows, 'skipped')} skipped.`;

const jsonOf = (api: string, { rows, calls, isCancelled }: Report, { base }: Server) => ({
  api,
  server: base.origin,
  calls,
  cancelled: isCancelled,
  passed: countOf(rows, 'pass'),
  failed: countOf(rows, 'fail'),
  skipped: countOf(rows, 'skipped'),
  checks: rows,
});
