import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { createTestClock } from '../support/clock.ts';
import { silentLogger } from '../../src/core/log.ts';
import { createEngine } from '../../src/engine/engine.ts';
import type { GuardedFetch } from '../../src/net/fetch.ts';
import { readingTimeoutMs } from '../../src/operations/perform.ts';
import { toAgentTools } from '../../src/mcp/agent-tools.ts';
import { toolsets } from '../../src/toolsets/index.ts';

test('thirty seconds per URL are thirty seconds for each of them, one after the other', async () => {
  const clock = createTestClock();
  const home = mkdtempSync(join(tmpdir(), 'reading-'));
  const { config } = loadConfig({});
  const { services, close } = createEngine(config, { clock, log: silentLogger, home });
  const timeouts: (number | undefined)[] = [];
  // Pages that take 12 s each, one after the other.
  const fetch: GuardedFetch = async (url, { signal, timeoutMs }) => {
    timeouts.push(timeoutMs);
    await clock.sleep(12_000, signal);
    signal.throwIfAborted();
    const bytes = new TextEncoder().encode('<p>A page about the tides of this harbour, with some words.</p>');
    return { url, finalUrl: url, status: 200, headers: {}, contentType: 'text/html', bytes, redirects: [] };
  };
  const research = toolsets.find(({ id }) => id === 'research');
  const [tool] = toAgentTools({ tools: research?.tools ?? [] }, { ...services, fetch });
  const urls = Array.from({ length: 10 }, (_, index) => `https://${index}.example/`);
  const result = (await tool?.execute({ action: 'extract', urls }, {} as never)) as {
    content: { text: string }[];
  };
  const { data } = JSON.parse(result.content[0]?.text ?? '') as {
    data: { stats: { succeeded: number; failed: number } };
  };
  expect(data.stats).toMatchObject({ succeeded: 10, failed: 0 });
  expect(timeouts).toEqual(urls.map(() => 30_000));
  await close();
});

test('a call gets the time of its pages, and never more per page than the operator allows for a call', () => {
  expect(readingTimeoutMs(1, 60_000)).toBe(60_000);
  expect(readingTimeoutMs(10, 60_000)).toBe(150_500);
  expect(readingTimeoutMs(10, 5_000)).toBe(25_500);
});
