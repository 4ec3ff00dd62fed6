import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sharedPath } from '../../tests/support/shared.ts';
import { runSsrfCorpus } from './ssrf-corpus.ts';

const quiet = () => {};

test('F39, F40: our own corpus has no miss and no wrong refusal', async () => {
  const text = readFileSync(join(import.meta.dirname, 'fixtures/ssrf.jsonl'), 'utf8');
  const printed: string[] = [];
  const report = await runSsrfCorpus(text, (line) => printed.push(line));
  expect(report.failures).toEqual([]);
  expect(report.passes).toBeGreaterThanOrEqual(200);
  expect(printed.at(-1)).toMatch(/^total \(\d+ lines\) +passes \d+, misses 0, wrong refusals 0$/);
  expect(printed).toContainEqual(
    expect.stringMatching(/^dns-rebinding +passes 3, misses 0, wrong refusals 0$/),
  );
});

const shared = sharedPath('corpora/ssrf.jsonl');
test.runIf(shared !== undefined)(
  'F39, F40: the reference corpus has no miss and no wrong refusal',
  async () => {
    const report = await runSsrfCorpus(readFileSync(shared ?? '', 'utf8'), quiet);
    expect(report.failures).toEqual([]);
    expect(report.passes).toBeGreaterThanOrEqual(300);
  },
);

test('the harness sees what goes wrong: a page that should be blocked, one that should not, and a private connection', async () => {
  const lines = [
    { url: 'http://example.com/', verdict: 'block', class: 'wrong', kind: 'address', dns: ['8.8.8.8'] },
    { url: 'http://example.com/', verdict: 'block', class: 'wrong', kind: 'policy' },
    { url: 'http://10.0.0.1/', verdict: 'allow', class: 'wrong' },
  ];
  const report = await runSsrfCorpus(lines.map((line) => JSON.stringify(line)).join('\n'), quiet);
  expect(report).toMatchObject({ passes: 0, misses: 2, wrongRefusals: 1 });
  expect(report.failures[0]).toBe('wrong: http://example.com/ (was fetched)');
});

test.each(['', 'nonsense', '{"url":"http://example.com/"}'])(
  'a corpus that reads %j is an error, not a pass',
  async (text) => {
    await expect(runSsrfCorpus(text, quiet)).rejects.toMatchObject({ code: 'invalid_request' });
  },
);
