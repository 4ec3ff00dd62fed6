import { switchFlag, valueFlag, type Args } from '../../core/command-line.ts';
import { HeadgateError } from '../../core/errors.ts';
import { shownPolicy, type Policy } from '../../core/gate.ts';
import { tellingSecretsOf } from '../../config/secrets.ts';
import { type Tried, tryPolicy } from '../../policy/try-policy.ts';
import type { Approval } from '../../store/approvals.ts';
import { renderTable } from '../table.ts';
import { defineVerb, listVerb, nounCommand, verbOn } from '../verbs.ts';

interface Row {
  level: string;
  subject: string;
  rules: Policy;
}

const LISTS = ['allow', 'deny', 'operations', 'providers', 'admit', 'canaries'] as const;

const listed = (name: (typeof LISTS)[number]) => ({
  title: name,
  value: ({ rules }: Row) => (rules[name] ?? []).join(', ') || null,
});
const columns = [
  { title: 'level', value: (row: Row) => row.level },
  { title: 'for', value: (row: Row) => row.subject },
  { title: 'mode', value: ({ rules }: Row) => rules.mode ?? 'enforce' },
  ...LISTS.map(listed),
  { title: 'fetch', value: ({ rules }: Row) => rules.fetch ?? 'any' },
  { title: 'bits per domain', value: ({ rules }: Row) => rules.leak_bits_per_domain ?? null },
  { title: 'bits', value: ({ rules }: Row) => rules.leak_bits ?? null },
  ...(['approvals', 'max_pages', 'max_depth', 'secrets', 'robots', 'signals', 'hidden'] as const).map(
    (title) => ({
      title: title.replace('max_', 'max '),
      value: ({ rules }: Row) => rules[title] ?? null,
    }),
  ),
];

const shown = <Shown extends Row>(row: Shown): Shown => ({ ...row, rules: shownPolicy(row.rules) });

const render = (rows: Row | Row[]): string =>
  renderTable([rows].flat(), columns, 'No rules: headgate policy set WORKSPACE --deny example.com');

const VALUES = {
  fetch: 'fetch',
  bits: 'leak_bits',
  'bits-per-domain': 'leak_bits_per_domain',
  approvals: 'approvals',
  'max-pages': 'max_pages',
  'max-depth': 'max_depth',
  secrets: 'secrets',
  robots: 'robots',
  signals: 'signals',
  hidden: 'hidden',
} as const;

const split = (text: string): string[] =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');

function rulesOf(args: Args): Record<string, unknown> {
  const lists = LISTS.map((name) => [name, args.value(name)] as const).filter(
    ([, text]) => text !== undefined,
  );
  const values = Object.entries(VALUES).flatMap(([flag, name]) => {
    const text = args.value(flag);
    return text === undefined ? [] : [[name, /^(bits|max)/.test(flag) ? Number(text) : text]];
  });
  if (lists.length + values.length === 0)
    throw new HeadgateError('invalid_request', 'Give at least one rule, such as --deny example.com.', {
      remediation: '`headgate policy remove ID` takes all rules away.',
    });
  return {
    ...Object.fromEntries(lists.map(([name, text]) => [name, split(text ?? '')])),
    ...Object.fromEntries(values),
    ...(args.isOn('report') === true ? { mode: 'report' } : {}),
  };
}

const approvalColumns = [
  { title: 'code', value: ({ code }: Approval) => code },
  { title: 'address', value: ({ url }: Approval) => url },
  { title: 'for', value: ({ agent, key, workspace }: Approval) => agent ?? key ?? workspace },
  { title: 'why', value: ({ reason }: Approval) => reason },
];

/** A person answers a question. The address is shown, because the code alone says nothing. */
const decision = (isApproved: boolean) =>
  verbOn(
    'CODE',
    'The code',
    (store, code) => store.approvals.decide(code, isApproved),
    (approval) =>
      `${isApproved ? 'Approved, once' : 'Denied'}:\n${renderTable([approval], approvalColumns, '')}`,
  );

export const command = nounCommand({
  set: defineVerb({
    usage: 'WORKSPACE [flags]',
    flags: [
      valueFlag('agent', 'ID', 'For this agent of the workspace.'),
      valueFlag('allow', 'DOMAINS', 'The only domains that may be read, separated by commas.'),
      valueFlag('deny', 'DOMAINS', 'Domains that are never read; their results are left out.'),
      valueFlag('operations', 'NAMES', 'The only operations that may be called.'),
      valueFlag('providers', 'NAMES', 'The only providers that may get a query.'),
      valueFlag('fetch', 'WHICH', 'any, admitted or strict: which addresses a caller may choose.'),
      valueFlag('admit', 'DOMAINS', 'Domains whose addresses may be chosen freely.'),
      valueFlag('bits', 'N', 'What the choice of addresses may tell in 24 hours, in bits.'),
      valueFlag('bits-per-domain', 'N', 'What it may tell one domain.'),
      valueFlag('approvals', 'WHERE', 'Where a person approves other addresses: client or console.'),
      valueFlag('max-pages', 'N', 'How many pages may be read in 24 hours.'),
      valueFlag('max-depth', 'N', 'How many links a crawl, or a choice of links, may lead away.'),
      valueFlag('secrets', 'MODE', 'What happens to keys and tokens in a call: report, redact or block.'),
      valueFlag('robots', 'MODE', 'Where robots.txt counts: walk, all or off.'),
      valueFlag(
        'signals',
        'MODE',
        'Whether pages whose site does not want models are refused: report or refuse.',
      ),
      valueFlag('hidden', 'MODE', 'What hidden text does to a page: strip, flag or refuse.'),
      valueFlag('canaries', 'TEXTS', 'Texts that never leave, separated by commas.'),
      switchFlag('report', 'Only report what the rules would refuse.'),
    ],
    words: 1,
    run: async (store, { args, words, flag, need }) =>
      shown(
        await store.policies.set(
          { workspace: need(words[0], 'The workspace'), agent: flag('agent') },
          rulesOf(args),
        ),
      ),
    render,
  }),
  list: listVerb(
    async (store, workspace, { services }) => [
      shown<Row>({ level: 'operator', subject: '[policy]', rules: services.config.policy }),
      ...(await store.policies.list(workspace)).map(shown),
    ],
    render,
  ),
  remove: verbOn(
    'ID',
    'The workspace or agent',
    async (store, id) => shown(await store.policies.remove(id)),
    (policy) => `Removed:\n${render(policy)}`,
  ),
  approvals: listVerb(
    (store, workspace) => store.approvals.list(workspace),
    (approvals) => renderTable(approvals, approvalColumns, 'Nothing waits for an approval.'),
  ),
  approve: decision(true),
  deny: decision(false),
  test: defineVerb({
    usage: 'URL|QUERY [flags]',
    flags: [
      valueFlag('workspace', 'ID', 'As a caller of this workspace.'),
      valueFlag('agent', 'ID', 'As this agent.'),
    ],
    words: 1,
    run: async (_store, { words, flag, need, services }) => {
      const caller = { workspace: flag('workspace'), agent: flag('agent') };
      const foreign = services.providers.filter(({ provider }) => provider.builtIn === undefined);
      const ids = foreign.map(({ provider }) => provider.id);
      const own = tellingSecretsOf(services.config);
      return tryPolicy(await services.rulesFor(caller), need(words[0], 'The address or query'), ids, own);
    },
    render: renderTried,
  }),
});

function renderTried({
  asked,
  verdict,
  level,
  rule,
  reason,
  isReported,
  isRedacted,
  providers,
  bounds = {},
}: Tried): string {
  const what = asked === 'address' ? 'This address may be read' : 'This query may be sent';
  const isAllowed = verdict === 'allow';
  const head = isAllowed ? `${what}.` : `${what.replace('may', 'may not')}.`;
  const why = rule === undefined ? '' : ` ${level}.${rule}: ${reason}`;
  const note =
    isReported === true
      ? ' (This rule only reports.)'
      : isRedacted === true
        ? ' (It is taken out first.)'
        : '';
  const to = providers === undefined ? '' : `\nTo: ${providers.join(', ') || 'nobody'}`;
  const within = Object.entries(bounds).map(([name, value]) => `${name} = ${value}`);
  const also = within.length === 0 ? '' : `\nWithin what is left of: ${within.join(', ')}`;
  return `${head}${why}${note}${to}${also}\n`;
}
