// Compiled against the packed package by tests/package/package.test.ts: every export, and mistakes that the types must find.
import { createHeadgate, HeadgateError, type SearchHit, type SearchRequest } from 'headgate';
import { createToolServer, serveStdio, type AgentTool } from 'headgate/bridge';
import { createClient, HeadgateError as ErrorOfClient } from 'headgate/client';
import { extractHtml } from 'headgate/extract';
import { countTokens, rankChunks } from 'headgate/rank';
import { aiSdkTools, langChainTools } from 'headgate/tools';

export async function search(query: string): Promise<SearchHit[]> {
  const web = createHeadgate({ env: process.env });
  const request: SearchRequest = { query, max_results: 3, search_depth: 'advanced' };
  // @ts-expect-error There is no such depth.
  await web.search({ query, search_depth: 'deep' });
  // @ts-expect-error A query is needed.
  await web.search({ max_results: 3 });
  const { results, outcome } = await web.search(request, { signal: AbortSignal.timeout(1_000) });
  // @ts-expect-error There is no such outcome.
  if (outcome === 'fine') return [];
  await web.close();
  return results;
}

export const reasonOf = (thrown: unknown): string =>
  thrown instanceof HeadgateError ? `${thrown.code}: ${thrown.remediation ?? ''}` : 'unknown';
// One type on both sides.
export const sameError: typeof HeadgateError = ErrorOfClient;

const tool: AgentTool = {
  name: 'add',
  description: 'Adds.',
  inputSchema: { type: 'object', properties: { a: { type: 'number' } } },
  execute: (input) => input,
};
// @ts-expect-error A tool needs something to run.
export const idle: AgentTool = { name: 'idle', inputSchema: { type: 'object' } };

export const serve = (): unknown =>
  serveStdio(createToolServer({ name: 'mine', version: '1.0.0', tools: [tool] }), {
    input: process.stdin,
    output: process.stdout,
  });

export const remote = createClient({ baseUrl: 'http://127.0.0.1:8787' });
export const titles = async (): Promise<string[]> =>
  (await remote.search({ query: 'q', include_usage: true })).results.map((hit) => hit.title);

export const length = async (html: string): Promise<number> => countTokens(extractHtml(html).markdown);
export const rank: typeof rankChunks = rankChunks;

export const local = aiSdkTools(createHeadgate(), (schema) => schema, { toolset: 'tavily' });
export const names = langChainTools(remote, (_run, { name }) => name);
// @ts-expect-error It has no tools.
export const none = langChainTools({}, (_run, { name }) => name);
