import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { providers } from '../../src/providers/index.ts';
import { capabilitiesOf } from '../../src/providers/provider.ts';
import { runHeadgate } from '../support/cli.ts';
import { createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';
import { root } from '../support/packed.ts';

/** What docs/guides/agent-tools.md says, done. */
const page = readFileSync(join(root, 'docs/guides/agent-tools.md'), 'utf8');
const commands = (/```sh\n([^]*?)```/.exec(page)?.[1] ?? '').trim().split('\n');

test('the commands work one after the other', async () => {
  const home = mkdtempSync(join(tmpdir(), 'headgate-agents-'));
  const ids: Record<string, string> = {};
  const said: string[] = [];
  for (const command of commands) {
    const words = [...command.replace(/\s+#.*$/, '').matchAll(/"([^"]*)"|(\S+)/g)].map(
      (match) => match[1] ?? match[2] ?? '',
    );
    const argv = words.slice(1).map((word) => ids[word] ?? word);
    const { code, out, err } = await runHeadgate(argv, { home });
    expect([command, code, err]).toEqual([command, 0, expect.any(String)]);
    for (const [id, kind] of out.matchAll(/\b(ws|agent)_\w+/g)) ids[`${kind}_…`] ??= id;
    said.push(out);
  }
  expect(commands).toHaveLength(5);
  expect(said.at(-1)).toMatch(/Reader\s+ws_\w+\s+off\s+headgate/);
}, 30_000);

describe('settings over the admin API', () => {
  let gateway: TestGateway;
  let workspace: string;
  beforeAll(async () => {
    gateway = await createTestGateway();
    ({ workspace } = await gateway.newKey());
  });
  afterAll(() => gateway.close());

  const settingsOf = async (settings: object): Promise<unknown> =>
    (await gateway.admin('POST', '/agents', { workspace, name: 'Agent', settings })).body['settings'];

  test('every provider of the list that the page refers to is taken', async () => {
    const row = /^\| `searchWebProvider` .*\]\(([^)]+)\).*$/m.exec(page) ?? [];
    const list = readFileSync(join(import.meta.dirname, '../../docs/guides', row[1] ?? ''), 'utf8');
    const names = [...list.matchAll(/^\| `([a-z]+)` \|/gm)].map((match) => match[1] ?? '');
    expect(names).toEqual(providers.map(({ id }) => id));
    const onlyRank = providers.filter((one) => capabilitiesOf(one).join() === 'rerank').map(({ id }) => id);
    for (const name of names.filter((one) => !onlyRank.includes(one))) {
      const both = { searchWebProvider: name, fetchWebProvider: name };
      expect(await settingsOf(both)).toEqual(both);
    }
  });

  test.each([
    [{}, { searchWebProvider: null, fetchWebProvider: null }],
    [{ enableTavilySearch: true }, { searchWebProvider: 'tavily', fetchWebProvider: null }],
    [{ enableTavilyFetch: true }, { searchWebProvider: null, fetchWebProvider: 'tavily' }],
    [
      { enableTavilySearch: false, enableTavilyFetch: false },
      { searchWebProvider: null, fetchWebProvider: null },
    ],
    [
      { enableTavilySearch: true, searchWebProvider: null },
      { searchWebProvider: null, fetchWebProvider: null },
    ],
    [
      { enableTavilyFetch: false, fetchWebProvider: 'jina' },
      { searchWebProvider: null, fetchWebProvider: 'jina' },
    ],
  ])('%j means %j', async (given, expected) => {
    expect(await settingsOf(given)).toEqual(expected);
  });
});
