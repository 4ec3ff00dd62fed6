import { expect, test } from 'vitest';
import { providers } from '../../src/providers/index.ts';
import { runHeadgate } from '../support/cli.ts';
import { emptyHome } from '../support/empty-home.ts';

/** `headgate providers` lists every card, set up or not. */
const run = (...args: string[]) =>
  runHeadgate(['providers', ...args], {
    home: emptyHome(),
    env: {
      EXA_API_KEY: 'exa-secret-0123456789',
      HEADGATE_PROVIDERS__EXA__CREDIT_PRICE: '2000',
      HEADGATE_PROVIDERS__DUCKDUCKGO__ENABLED: 'false',
    },
  });

interface Card {
  id: string;
  set_up: boolean;
  missing?: string;
  [name: string]: unknown;
}

test('as JSON: what each needs, costs and can do', async () => {
  const { out: stdout, code } = await run('--json');
  const cards = JSON.parse(stdout) as Card[];
  expect(code).toBe(0);
  expect(cards.map(({ id }) => id)).toEqual(providers.map(({ id }) => id));
  const card = (id: string) => cards.find((one) => one.id === id);
  expect(card('exa')).toMatchObject({
    set_up: true,
    key: 'required',
    key_variable: 'EXA_API_KEY',
    keys: 1,
    can: ['search', 'extract'],
    topics: ['news', 'finance'],
    credit_price: 2_000,
    search_credits: 7,
    pace_ms: 100,
    query_chars_max: 2_000,
    homepage: 'https://exa.ai',
  });
  expect(card('serper')).toMatchObject({
    set_up: false,
    missing: expect.stringContaining('SERPER_API_KEY') as string,
  });
  expect(card('youcom')).toMatchObject({
    set_up: true,
    keys: 0,
    keyless: 'last',
    unverified: expect.stringContaining('limit'),
  });
  expect(card('duckduckgo')).toMatchObject({
    set_up: false,
    missing: expect.stringContaining('enabled') as string,
  });
  expect(stdout).not.toContain('exa-secret');
});

test('as a table: those that are set up first, with a price for a thousand searches', async () => {
  const { out: stdout } = await run();
  const lines = stdout.split('\n');
  const line = (id: string) => lines.findIndex((one) => one.startsWith(`${id} `));
  expect(lines[line('exa')]).toMatch(/^exa +yes .*\$14\.00 .*https:\/\/exa\.ai/);
  expect(lines[line('serper')]).toMatch(/^serper +no +SERPER_API_KEY .*\$1\.00/);
  expect(line('exa')).toBeLessThan(line('serper'));
  for (const { id } of providers) expect(line(id)).toBeGreaterThan(0);
});

test('doctor names those that are not set up on one line, and refers to the list', async () => {
  const { out } = await runHeadgate(['doctor', '--offline'], { home: emptyHome() });
  const [line = '', ...more] = out.split('\n').filter((one) => one.includes('Not set up'));
  expect(line).toMatch(/Tavily, .*Kagi.*`headgate providers`/);
  expect(more).toEqual([]);
});
