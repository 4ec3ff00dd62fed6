import { formatUsd } from '../core/money.ts';
import { providerCards } from '../routing/provider-cards.ts';
import type { Command } from './command.ts';
import { renderTable } from './table.ts';

/** Lists every provider: whether it is set up, what it needs, costs and can do. */
export const command: Command = {
  usage: '[flags]',
  run: async ({ printResult, say, open }) => {
    const { config, problem } = await open({ lenient: true });
    if (problem !== undefined) say(`headgate: ${problem.message}\n`);
    const cards = providerCards(config);
    printResult(cards, () =>
      renderTable(
        cards.toSorted((a, b) => Number(b.set_up) - Number(a.set_up)),
        [
          { title: 'provider', value: ({ id }) => id },
          { title: 'set up', value: ({ set_up }) => (set_up ? 'yes' : 'no') },
          {
            title: 'needs',
            value: ({ key_variable, url_variable }) => url_variable ?? key_variable ?? 'nothing',
          },
          { title: 'without a key', value: ({ keyless }) => keyless ?? 'no' },
          { title: 'can', value: ({ can }) => can.join(' ') },
          { title: 'topics', value: ({ topics }) => topics.join(' ') || null },
          {
            title: '1,000 searches',
            align: 'right',
            value: ({ credit_price, search_credits }) =>
              search_credits === undefined
                ? null
                : credit_price === 0
                  ? 'not priced'
                  : formatUsd(credit_price * search_credits * 1_000),
          },
          { title: 'pace', align: 'right', value: ({ pace_ms }) => `${pace_ms} ms` },
          { title: 'query', align: 'right', value: ({ query_chars_max }) => query_chars_max ?? null },
          { title: 'link', value: ({ homepage }) => homepage },
        ],
        'There are no providers.',
      ),
    );
    return problem === undefined ? 0 : 1;
  },
};
