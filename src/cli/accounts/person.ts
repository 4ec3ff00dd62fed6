import { valueFlag } from '../../core/command-line.ts';
import { HeadgateError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import { named, own } from '../../core/own-text.ts';
import { ROLES, type Role } from '../../core/roles.ts';
import type { Person } from '../../store/people.ts';
import { renderTable, timeText } from '../table.ts';
import { lifeVerbs } from './life.ts';
import { defineVerb, nounCommand, verbOn } from '../verbs.ts';

const columns = [
  { title: 'name', value: (row: Person) => row.name },
  { title: 'role', value: (row: Person) => row.role ?? 'none' },
  {
    title: 'in workspaces',
    value: (row: Person) => row.workspaces.map((one) => `${one.workspace}=${one.role}`).join(' '),
  },
  { title: 'second factor', value: (row: Person) => (row.hasFactor ? 'yes' : 'no') },
  { title: 'since', value: (row: Person) => timeText(row.created, 'minute') },
  { title: 'sessions', value: (row: Person) => String(row.sessions), align: 'right' as const },
  { title: 'last seen', value: (row: Person) => timeText(row.seen, 'minute') },
];
const render = (rows: Person | Person[]): string =>
  renderTable([rows].flat(), columns, 'Nobody yet: `headgate console` prints a link for the first one.');

const roleFlag = valueFlag('role', ROLES.join('|'), 'What they may do.');
const workspaceFlag = valueFlag('workspace', 'ID', 'The role is in this workspace only.');

export const command = nounCommand({
  list: defineVerb({ usage: '', run: (store) => store.people.list(), render }),
  invite: defineVerb({
    usage: 'NAME --role ROLE [--workspace ID]',
    flags: [roleFlag, workspaceFlag],
    words: 1,
    run: async (store, { words, flag, need, url }) => {
      const token = await store.sessions.createSetupToken({
        name: need(words[0], 'The name'),
        role: roleNamed(need(flag('role'), '--role')),
        workspace: flag('workspace'),
      });
      return { token, link: `${url}/#/setup/${token}` };
    },
    render: ({ link }) =>
      `They choose their password here, once, within ${LIMITS.setupLinkMs / 60_000} minutes:\n\n  ${link}\n`,
  }),
  role: defineVerb({
    usage: `NAME ${ROLES.join('|')}|none [--workspace ID]`,
    flags: [workspaceFlag],
    words: 2,
    run: (store, { words, flag, need }) => {
      const role = need(words[1], 'The role');
      const wanted = role === 'none' ? null : roleNamed(role);
      return store.people.setRole(need(words[0], 'The name'), wanted, flag('workspace'));
    },
    render,
  }),
  'reset-factor': verbOn(
    'NAME',
    'The name',
    (store, name) => store.factors.reset(name),
    ({ name }) => `${name} signs in with the password only, until they set up a second factor again.\n`,
  ),
  ...lifeVerbs('person'),
});

function roleNamed(text: string): Role {
  const role = ROLES.find((known) => known === text);
  if (role !== undefined) return role;
  throw new HeadgateError(
    'invalid_request',
    own`The role "${named(text)}" is not one of ${named(ROLES.join(', '))}.`,
  );
}
