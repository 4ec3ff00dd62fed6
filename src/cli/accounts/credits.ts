import { valueFlag } from '../../core/command-line.ts';
import { HeadgateError } from '../../core/errors.ts';
import { named, own } from '../../core/own-text.ts';
import { formatUsd, type Millionths } from '../../core/money.ts';
import type { Subscription } from '../../store/accounts.ts';
import { defineVerb, nounCommand, verbOn } from '../verbs.ts';

const render = (account: Subscription): string =>
  `${account.name} (${account.tier})  balance ${formatUsd(account.balance)}, held ${formatUsd(account.reserved)}, available ${formatUsd(account.available)}\n`;

export const command = nounCommand({
  'top-up': defineVerb({
    usage: 'WORKSPACE USD [flags]',
    flags: [
      valueFlag('note', 'TEXT', 'Why, for the ledger.'),
      valueFlag('reference', 'ID', 'The payment reference; each one is booked only once.'),
    ],
    words: 2,
    run: async (store, { words, flag, need }) => {
      const { subscription } = await store.accounts.workspace(need(words[0], 'The workspace'));
      await store.accounts.topUp({
        subscription,
        amount: parseUsd(need(words[1], 'The amount')),
        note: flag('note'),
        reference: flag('reference'),
      });
      return store.accounts.subscription(subscription);
    },
    render,
  }),
  show: verbOn(
    'WORKSPACE',
    'The workspace',
    async (store, id) => {
      const { subscription } = await store.accounts.workspace(id);
      return store.accounts.subscription(subscription);
    },
    render,
  ),
});

/** Parses `5`, `5.25` or `$5.25` to millionths, exactly, without floating-point arithmetic. */
export function parseUsd(text: string): Millionths {
  const match = /^(-?)\$?(\d{1,9})(?:\.(\d{1,6}))?$/.exec(text.trim());
  if (match === null) {
    throw new HeadgateError(
      'invalid_request',
      own`"${named(text)}" is not an amount of dollars such as 5 or 5.25.`,
    );
  }
  const [, sign = '', whole = '0', fraction = ''] = match;
  const amount = Number(`${whole}${fraction.padEnd(6, '0')}`);
  return sign === '-' ? -amount : amount;
}
