import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createHeadgate } from '../../src/index.ts';
import { runCli } from '../../src/cli/run.ts';
import { defaultTools } from '../../src/toolsets/default/default.ts';
import { countTokens } from '../../src/rank/tokens.ts';
import { decodeResearch } from '../../src/gateway/tavily/research.ts';
import { engineOf } from '../../src/toolsets/engine.ts';
import { researchToolset } from '../../src/toolsets/compat/research/research.ts';
import type { Envelope } from '../../src/toolsets/compat/research/response-v2.ts';
import type { Toolset } from '../../src/toolsets/tool.ts';
import { configFor, createResearchWorld, QUESTION, type ResearchWorld } from '../support/research/world.ts';

let world: ResearchWorld;
beforeEach(async () => {
  world = await createResearchWorld();
});
afterEach(() => world.close());

const callTool = (toolset: Toolset, name: string, input: Record<string, unknown>) => {
  const tool = toolset.tools.find((one) => one.name === name);
  if (tool === undefined) throw new Error(`There is no tool ${name}.`);
  return tool.run(input, world.call(), engineOf(world.engine.services));
};
const act = async (action: string, input: Record<string, unknown> = {}) => {
  const { text } = await callTool(researchToolset, 'research', { action, ...input });
  return JSON.parse(text) as Envelope;
};

describe('research spec 7: deep research as actions of the research tool', () => {
  test('start, status, report, list, cancel, delete, in response-v2 envelopes', async () => {
    const started = await act('deep-research', { query: QUESTION, max_iterations: 1 });
    expect(started).toMatchObject({
      success: true,
      data: {
        status: 'started',
        research_id: expect.stringMatching(/^deepres-/),
        polling_guidance: { max_checks: 5, require_user_communication: true },
      },
      error: null,
      meta: { version: 'response-v2' },
    });
    const { research_id } = started.data;
    await vi.waitFor(
      async () => expect((await act('deep-research-status', { research_id })).data['is_complete']).toBe(true),
      { timeout: 30_000 },
    );
    const report = await act('Deep_Research_Report', { research_id });
    expect(report.data).toMatchObject({ original_query: QUESTION, is_complete: true, iteration: 1 });
    expect(report.data['report']).toContain('## Executive Summary');
    expect((await act('deep-research-list')).data).toMatchObject({ count: 1 });
    expect((await act('verify-quote', { research_id, quote: 'was built in 1911' })).data['verified']).toBe(
      true,
    );
    const resumed = await act('deep-research', {
      deep_research_action: 'continue',
      research_id,
      max_iterations: 2,
    });
    expect(resumed.data).toMatchObject({ status: 'started', research_id });
    expect((await act('deep-research-cancel', { research_id })).success).toBe(true);
    expect((await act('deep-research-delete', { research_id })).data).toMatchObject({ deleted: true });
    expect(await act('deep-research-status', { research_id })).toMatchObject({
      success: false,
      data: { error_code: 'NOT_FOUND', error_type: 'not_found' },
      error: `Research session '${String(research_id)}' not found`,
    });
  });

  test.each([
    ['deep-research', {}, 'query'],
    ['deep-research', { deep_research_action: 'resume' }, 'research_id'],
    ['deep-research-status', {}, 'research_id'],
    ['deep-research', { query: 'x', max_iterations: 11 }, 'max_iterations'],
  ])('%s %j names the field that is wrong: %s', async (action, input, field) => {
    const envelope = await act(action, input);
    expect(envelope.error).toContain(`Invalid field '${field}' for research.${action}: `);
    expect(envelope.data).toMatchObject({ error_code: 'VALIDATION_ERROR', details: { field } });
  });

  test('the default research tool waits and answers with the fenced report', async () => {
    const { text, isError } = await callTool(defaultTools, 'research', { query: QUESTION });
    expect(isError).toBeUndefined();
    expect(text).toMatch(/<web-[0-9a-f]{16}>\n# When was/);
    expect(text).toContain('outcome ok');
  });
});

const runResearch = async (args: string[], isTerminal = false) => {
  let printed = '';
  let said = '';
  const { services } = world.engine;
  const code = await runCli(['research', ...args], {
    env: {},
    main: 'main.cjs',
    stdin: () => process.stdin,
    print: (text) => {
      printed += text;
    },
    say: (text) => {
      said += text;
    },
    isTerminal,
    signal: new AbortController().signal,
    open: async () => ({
      config: services.config,
      origins: {},
      services,
      store: undefined,
      meter: undefined,
      home: world.home,
      close: async () => {},
    }),
  });
  return { code, printed, said };
};

describe('headgate research', () => {
  const run = runResearch;

  test('prints the report as Markdown, and nothing else to a pipe', async () => {
    const { code, printed, said } = await run([QUESTION, '--max-iterations', '1']);
    expect(code).toBe(0);
    expect(printed).toMatch(/^# When was[^]*## Conclusions/);
    expect(said).toBe('');
  });

  test('shows its progress on a terminal', async () => {
    const { said } = await run([QUESTION, '--max-iterations', '1'], true);
    expect(said).toContain('Searching');
    expect(said).toMatch(/deepres-[0-9a-f]{12} · \d+ sources/);
  });

  test('prints HTML that cannot run anything, and JSON', async () => {
    const html = await run(['Best Aldana canal deals', '--format', 'html', '--max-iterations', '1']);
    expect(html.printed).toMatch(/^<!doctype html>/);
    expect(html.printed).toContain("default-src 'none'");
    expect(html.printed).not.toMatch(/<script/i);
    const { printed } = await run([QUESTION, '--format', 'json', '--max-iterations', '1']);
    expect(JSON.parse(printed)).toMatchObject({ query: QUESTION, outcome: 'ok' });
  });

  test('lists, prints again, resumes and deletes what is kept', async () => {
    const first = await run([QUESTION, '--max-iterations', '1']);
    const id = /deepres-[0-9a-f]{12}/.exec((await run(['--list'])).printed)?.[0] ?? '';
    expect((await run(['--report', id])).printed).toBe(first.printed);
    expect((await run(['--resume', id])).printed).toBe(first.printed);
    expect((await run(['--delete', id])).code).toBe(0);
    expect((await run(['--list'])).printed).toBe('');
    expect(await run(['--report', id])).toMatchObject({
      code: 1,
      said: expect.stringContaining('not found'),
    });
  });

  test.each([[[]], [['x', '--format', 'pdf']], [['x', '--mode', 'wild']]])(
    '%j is wrong usage',
    async (args) => {
      expect((await run(args)).code).toBe(2);
    },
  );
});

describe('a report under a token budget', () => {
  test.each([200, 400, 700])('of %d tokens is filled by rank, the same on every surface', async (tokens) => {
    const { report: whole } = await world.research({});
    const { query, output_tokens } = decodeResearch({ input: QUESTION, output_tokens: tokens });
    const { report } = await world.research({ query, output_tokens });
    const markdown = report?.markdown ?? '';
    expect((await runResearch([QUESTION, '--output-tokens', String(tokens)])).printed).toBe(markdown);
    const { text } = await callTool(defaultTools, 'research', { query: QUESTION, max_tokens: tokens + 150 });
    expect(text).toContain(`\n${markdown.trimEnd()}\n`);
    const kept = await world.engine.services.research.report(report?.research_id ?? '', world.call());
    expect(kept.markdown).toBe(markdown);

    const used = await countTokens(markdown);
    expect(used).toBeLessThanOrEqual(tokens);
    expect(used).toBeGreaterThan(tokens * 0.55);
    expect(await countTokens(whole?.markdown ?? '')).toBeGreaterThan(tokens);
    expect(markdown).toMatch(/^# When was[^]*\n\nLeft out to stay within the token budget: [^\n]+\.\n$/);
    expect(markdown).not.toMatch(/No contradiction|No statement|No findings/);
    // The best finding is in every budget; the best two that the summary does not have are in a larger one.
    const said = new Set(report?.executive_summary.map(({ finding_ids: [id] }) => id));
    const findings = report?.key_findings.flatMap(({ statements }) => statements) ?? [];
    const further = (report?.findings ?? [])
      .filter(({ id }) => !said.has(id) && findings.some(({ finding_ids: [first] }) => first === id))
      .slice(0, tokens < 700 ? 0 : 2);
    for (const { quote } of [...(report?.findings.slice(0, 1) ?? []), ...further])
      expect(markdown).toContain(`“${quote}”`);
    const [prose = '', sources = ''] = markdown.split('## Sources');
    const cited = new Set([...prose.matchAll(/\[(\d+)\]/g)].map(([, number]) => number));
    expect(new Set([...sources.matchAll(/\*\*\[(\d+)\]\*\*/g)].map(([, number]) => number))).toEqual(cited);
  });
});

describe('the SDK', () => {
  const open = () => createHeadgate({ config: configFor(world.sim), home: world.home });

  test('research is an async iterator of events, and a report', async () => {
    const web = open();
    const types: string[] = [];
    for await (const event of web.researchEvents({ query: QUESTION, max_iterations: 1 }))
      types.push(event.type);
    expect(types.at(-1)).toBe('done');
    const { report } = await web.research({
      query: QUESTION,
      max_iterations: 1,
      citation_format: 'apa',
      output_length: 'short',
    });
    expect(report?.markdown).toMatch(/museum\.aldana\.example\. \(2024-03-01\)\. \[/);
    const themes = report?.key_findings ?? [];
    // Two under each heading, four where there is only one.
    for (const { statements } of themes)
      expect(statements.length).toBeLessThanOrEqual(themes.length === 1 ? 4 : 2);
    await web.close();
  });

  test('who stops listening cancels', async () => {
    const web = open();
    for await (const event of web.researchEvents({ query: QUESTION })) if (event.type === 'search') break;
    const { sessions } = await web.researchSession({ action: 'list' });
    expect(sessions?.[0]?.status).toBe('cancelled');
    await web.close();
  });
});
