import { valueFlag } from '../../core/command-line.ts';
import { HeadgateError } from '../../core/errors.ts';
import { EVENT_KINDS } from '../../store/events.ts';
import { WEBHOOK_FORMATS, type Delivery, type Secretive, type Webhook } from '../../store/webhooks.ts';
import { renderTable, timeText } from '../table.ts';
import { defineVerb, nounCommand, verbOn } from '../verbs.ts';

const columns = [
  { title: 'webhook', value: (row: Webhook) => row.id },
  { title: 'url', value: (row: Webhook) => row.url },
  { title: 'workspace', value: (row: Webhook) => row.workspace ?? 'all' },
  { title: 'format', value: (row: Webhook) => row.format },
  { title: 'kinds', value: (row: Webhook) => (row.kinds.length === 0 ? 'all' : row.kinds.join(' ')) },
  { title: 'state', value: (row: Webhook) => (row.disabled === null ? 'on' : `off: ${row.reason}`) },
];
const render = (rows: Webhook | Webhook[]): string =>
  renderTable([rows].flat(), columns, 'No webhooks yet: headgate webhook add https://example.com/alerts');

const deliveryColumns = [
  { title: 'event', value: (row: Delivery) => row.event },
  { title: 'kind', value: (row: Delivery) => row.kind },
  { title: 'state', value: (row: Delivery) => row.state },
  { title: 'attempts', value: (row: Delivery) => row.attempts },
  { title: 'next', value: (row: Delivery) => timeText(row.next, 'second') },
  { title: 'result', value: (row: Delivery) => row.result },
];
const renderDeliveries = (rows: Delivery[]): string =>
  renderTable(rows, deliveryColumns, 'Nothing was delivered yet.');

const renderSecret = ({ secret, webhook }: Secretive): string =>
  `${secret}\n\nThis is the only time the secret is shown.\n\n${render(webhook)}`;

export const command = nounCommand({
  add: defineVerb({
    usage: 'URL [flags]',
    flags: [
      valueFlag('workspace', 'ID', 'Only events of this workspace.'),
      valueFlag('format', WEBHOOK_FORMATS.join('|'), 'standard is CloudEvents, signed; slack is a message.'),
      valueFlag('kinds', 'LIST', `Only these, separated by commas: ${Object.keys(EVENT_KINDS).join(', ')}.`),
    ],
    words: 1,
    run: (store, { words, flag, need }) => {
      const format = WEBHOOK_FORMATS.find((known) => known === (flag('format') ?? 'standard'));
      if (format === undefined) throw new HeadgateError('invalid_request', '--format: standard or slack.');
      return store.webhooks.add({
        url: need(words[0], 'The URL'),
        format,
        workspace: flag('workspace'),
        kinds: flag('kinds')
          ?.split(',')
          .map((kind) => kind.trim()),
      });
    },
    render: renderSecret,
  }),
  list: defineVerb({ usage: '', run: (store) => store.webhooks.list(), render }),
  deliveries: verbOn('ID', 'The webhook', (store, id) => store.webhooks.deliveries(id), renderDeliveries),
  test: verbOn(
    'ID',
    'The webhook',
    (store, id) => store.webhooks.test(id),
    (rows) => `A running gateway delivers it within seconds.\n\n${renderDeliveries(rows)}`,
  ),
  replay: defineVerb({
    usage: 'ID [flags]',
    flags: [valueFlag('event', 'ID', 'Only this event; by default everything that failed.')],
    words: 1,
    run: (store, { words, flag, need }) =>
      store.webhooks.replay(need(words[0], 'The webhook'), flag('event')),
    render: renderDeliveries,
  }),
  rotate: verbOn(
    'ID',
    'The webhook',
    (store, id) => store.webhooks.rotate(id),
    (made) => `${renderSecret(made)}\nFor a day, messages are signed with both secrets.\n`,
  ),
  remove: verbOn(
    'ID',
    'The webhook',
    (store, id) => store.webhooks.remove(id),
    (row) => `Removed:\n${render(row)}`,
  ),
});
