import { expect, test } from 'vitest';
import { migrateAgentSettings } from './agent-settings.ts';

test.each([
  [{}, undefined, null, null],
  [{ enableTavilySearch: true }, undefined, 'tavily', null],
  [{ enableTavilyFetch: true }, undefined, null, 'tavily'],
  [{ enableTavilySearch: false }, { searchWebProvider: 'tavily', fetchWebProvider: 'jina' }, null, 'jina'],
  [{ searchWebProvider: 'jina', enableTavilySearch: true }, undefined, 'jina', null],
  [{ searchWebProvider: null, enableTavilySearch: true }, undefined, null, null],
  [
    { fetchWebProvider: 'headgate' },
    { searchWebProvider: 'tavily', fetchWebProvider: null },
    'tavily',
    'headgate',
  ],
])('agent spec 1.2: %j over %j searches with %s and fetches with %s', (input, before, search, fetch) => {
  expect(migrateAgentSettings(input, before)).toEqual({ searchWebProvider: search, fetchWebProvider: fetch });
});
