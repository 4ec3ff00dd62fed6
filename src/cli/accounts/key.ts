import { valueFlag, wholeNumber, type Args } from '../../core/command-line.ts';
import { HeadgateError } from '../../core/errors.ts';
import { named, own } from '../../core/own-text.ts';
import { KEY_SCOPES, type KeyScope } from '../../core/grant.ts';
import { LIMITS } from '../../core/limits.ts';
import { HOUR_MS } from '../../core/window.ts';
import type { ApiKey } from '../../store/keys.ts';
import { renderTable, timeText } from '../table.ts';
import { lifeVerbs } from './life.ts';
import { defineVerb, listVerb, nounCommand, verbOn } from '../verbs.ts';

const DAY_MS = 86_400_000;

const columns = [
  { title: 'key', value: (row: ApiKey) => row.id },
  { title: 'label', value: (row: ApiKey) => row.label },
  { title: 'workspace', value: (row: ApiKey) => row.workspace },
  { title: 'scopes', value: (row: ApiKey) => row.scopes.join(' ') },
  { title: 'expires', value: (row: ApiKey) => timeText(row.expires, 'day') },
  { title: 'last used', value: (row: ApiKey) => timeText(row.lastUsed, 'second') },
  { title: 'revoked', value: (row: ApiKey) => timeText(row.revoked, 'day') },
];

const render = (rows: ApiKey | ApiKey[]): string =>
  renderTable([rows].flat(), columns, 'No keys yet: headgate key create --workspace ID');

export const command = nounCommand({
  create: defineVerb({
    usage: '[flags]',
    flags: [
      valueFlag('workspace', 'ID', 'The workspace it belongs to.'),
      valueFlag('label', 'TEXT', 'What the key is for.'),
      valueFlag('agent', 'ID', 'The agent.'),
      valueFlag('days', 'N', 'Days until it expires; by default it does not.'),
      valueFlag('scopes', KEY_SCOPES.join(','), 'What it may do; by default everything.'),
      valueFlag('networks', 'LIST', 'Addresses or ranges from which it may be used, separated by commas.'),
    ],
    run: (store, { args, flag, need }) => {
      return store.keys.create({
        workspace: need(flag('workspace'), '--workspace'),
        label: flag('label') ?? 'key',
        agent: flag('agent'),
        expires: expiry(args),
        scopes: scopesOf(flag('scopes')),
        networks: flag('networks')?.split(','),
      });
    },
    render: ({ key, record }) => `${key}\n\nThis is the only time it is shown.\n\n${render(record)}`,
  }),
  list: listVerb((store, workspace) => store.keys.list(workspace), render),
  rotate: defineVerb({
    usage: 'ID [flags]',
    flags: [
      valueFlag('grace', 'HOURS', 'How long the old key still works; 24 by default, 0 ends it at once.'),
    ],
    words: 1,
    run: (store, { args, words, need }) => {
      const hours = wholeNumber(args, 'grace', { min: 0, max: LIMITS.rotateGraceHoursMax }) ?? 24;
      return store.keys.rotate(need(words[0], 'The key'), hours * HOUR_MS);
    },
    render: ({ key, record, old }) =>
      `${key}\n\nThis is the only time it is shown.\n\n${render([record, old])}`,
  }),
  revoke: verbOn('ID', 'The key', (store, id) => store.keys.revoke(id), render),
  ...lifeVerbs('key'),
});

function expiry(args: Args): number | undefined {
  const days = wholeNumber(args, 'days', { min: 1, max: 3_650 });
  return days === undefined ? undefined : Date.now() + days * DAY_MS;
}

function scopesOf(list: string | undefined): KeyScope[] | undefined {
  if (list === undefined) return undefined;
  return list.split(',').map((name) => {
    const scope = KEY_SCOPES.find((known) => known === name.trim());
    if (scope !== undefined) return scope;
    throw new HeadgateError(
      'invalid_request',
      own`--scopes: "${named(name)}" is not one of ${named(KEY_SCOPES.join(', '))}.`,
    );
  });
}
