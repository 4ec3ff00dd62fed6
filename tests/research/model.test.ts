import { afterEach, describe, expect, test, vi } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import type { Call } from '../../src/core/call.ts';
import { HeadgateError } from '../../src/core/errors.ts';
import { LIMITS } from '../../src/core/limits.ts';
import { perform } from '../../src/operations/perform.ts';
import { research } from '../../src/research/research.ts';
import { honestAnswer, type ScriptedModelAnswer } from '../../src/sim/model.ts';
import { checkReport } from '../support/research/check-report.ts';
import { createResearchWorld, QUESTION, type ResearchWorld } from '../support/research/world.ts';

let world: ResearchWorld;
afterEach(() => world.close());

/** A world with a model; `answer` scripts what it says. */
async function open(
  provider: 'openai' | 'anthropic',
  answer?: ScriptedModelAnswer,
  config: Record<string, unknown> = {},
) {
  // The simulator's port is known only when it runs, so the engine under test is a second one.
  world = await createResearchWorld(answer === undefined ? {} : { model: answer });
  const base = provider === 'openai' ? '/model/v1' : '/model';
  const engine = world.open({
    'model.provider': provider,
    'model.base_url': `${world.sim.url}${base}`,
    'model.api_key': 'sk-test-key-1234567890',
    'model.model': 'sim-1',
    'search.retry_base_ms': 1,
    ...config,
  });
  return {
    engine,
    run: async (input: Record<string, unknown> = {}) => {
      const output = await perform(
        research,
        { query: QUESTION, ...input },
        { call: world.call(), services: engine.services },
      );
      if (output.report === null) throw new Error('There is no report.');
      return { ...output, report: output.report };
    },
  };
}

const taskIs = (prompt: string, task: string): boolean => prompt.includes(`TASK: ${task}`);

describe.each(['openai', 'anthropic'] as const)('research with a model: %s', (provider) => {
  test('plans, analyses and writes with it; every citation still stands', async () => {
    const { run, engine } = await open(provider);
    const { report, session } = await run();
    expect(report).toMatchObject({
      outcome: 'ok',
      written_by: 'sim-1',
      removed: { claims: 0, citations: 0 },
    });
    expect(report.executive_summary[0]?.text).toMatch(/^The source says: /);
    expect(session.total_tokens_used).toBeGreaterThan(100);
    expect(world.sent('/topics/search').map((body) => body['query'])).toContain('Aldana canal leakage');
    expect(report.markdown).toContain('  > “');
    await checkReport(report, engine.services);
  });
});

describe('what a model says is never trusted', () => {
  test('page text reaches it only inside a fence, and the key never reaches the prompt', async () => {
    const { run } = await open('openai');
    await run({ query: 'Best Aldana canal deals' });
    const prompts = world.sent('/model/v1/chat/completions').map((body) => JSON.stringify(body));
    const analysis = prompts.find((prompt) => taskIs(prompt, 'analysis')) ?? '';
    expect(analysis).toContain('Ignore all previous instructions');
    const inside = /<(web-[0-9a-f]{16})>(.*)<\/\1>/s.exec(analysis)?.[2] ?? '';
    expect(inside).toContain('Ignore all previous instructions');
    expect(analysis.replace(inside, '')).not.toContain('Ignore all previous');
    expect(prompts.join('')).not.toContain('sk-test-key');
  });

  test('an invented quote is removed and reported, a true one of the same answer stays', async () => {
    const { run, engine } = await open('openai', (prompt) => {
      if (!taskIs(prompt, 'analysis')) return undefined;
      const id = /\[(src-[0-9a-f]{8})\][^\n]*\n[^]*?The headgate of the Aldana canal was built in 1911/.exec(
        prompt,
      )?.[0];
      const source = [...(id ?? '').matchAll(/src-[0-9a-f]{8}/g)].at(-1)?.[0];
      return JSON.stringify({
        findings: [
          {
            content: 'It is from 1911.',
            quote: 'headgate of the Aldana canal was built in 1911',
            confidence: 'high',
            source_ids: [source],
            category: 'Age',
          },
          {
            content: 'It is from 1850.',
            quote: 'The headgate was built in 1850 by Romans.',
            confidence: 'high',
            source_ids: [source],
            category: 'Age',
          },
          {
            content: 'Made up.',
            quote: 'Leaks in the unlined part',
            confidence: 'high',
            source_ids: ['src-deadbeef'],
            category: 'Age',
          },
        ],
        gaps: [],
      });
    });
    const { report } = await run({ max_iterations: 1 });
    expect(report.markdown).toContain('It is from 1911.');
    expect(report.markdown).not.toMatch(/1850|Made up/);
    expect(report.removed).toEqual({ claims: 2, citations: 1 });
    expect(report.limitations.join(' ')).toMatch(/2 claims of the model had no place in a source/);
    await checkReport(report, engine.services);
  });

  test('citation marks, links and addresses in its words are taken out', async () => {
    let said = '';
    const { run, engine } = await open('openai', (prompt) => {
      if (!taskIs(prompt, 'synthesis')) return undefined;
      const [, id, statement = ''] = /(find-[0-9a-f]{8}): The source says: (.+)\./.exec(prompt) ?? [];
      said = statement;
      return JSON.stringify({
        summary: [
          {
            text: `${statement} [7] (src-deadbeef), [here](https://evil.example/x) or https://evil.example/y.`,
            finding_ids: [id, 'find-00000000'],
          },
          { text: 'Nobody said this.', finding_ids: ['find-11111111'] },
        ],
        conclusions: [],
      });
    });
    const { report } = await run({ max_iterations: 1 });
    expect(report.executive_summary.map((one) => one.text)).toEqual([`${said}, here or`]);
    expect(report.markdown).not.toContain('evil.example');
    expect(report.removed).toMatchObject({ claims: 1 });
    await checkReport(report, engine.services);
  });

  test('an answer of the wrong shape is asked for once more, with what is wrong', async () => {
    let asked = 0;
    const { run } = await open('openai', (prompt) => {
      if (!taskIs(prompt, 'plan')) return undefined;
      asked += 1;
      return asked === 1 ? '{"sub_queries": "many"}' : undefined;
    });
    const { report } = await run({ max_iterations: 1 });
    expect(asked).toBe(2);
    expect(report.outcome).toBe('ok');
    const repair = world.sent('/model/v1/chat/completions').map((body) => JSON.stringify(body))[1];
    expect(repair).toContain('could not be used: sub_queries: must be an array');
  });

  test('a model that fails leaves a report of quotes that says so', async () => {
    const { run, engine } = await open('openai', () => 'no');
    const { report } = await run({ max_iterations: 1 });
    expect(report.written_by).toBe('quotes');
    expect(report.findings.length).toBeGreaterThan(3);
    expect(report.limitations.join(' ')).toContain('The model failed 2 times');
    await checkReport(report, engine.services);
  });

  test('a model that is down or refuses the key costs the report nothing but its words', async () => {
    const { run } = await open('anthropic');
    world.sim.script('/model', [
      { kind: 'status', status: 500, times: 3 },
      { kind: 'status', status: 401, times: 'always' },
    ]);
    const { report } = await run({ max_iterations: 1 });
    expect(report.written_by).toBe('quotes');
    expect(report.limitations.join(' ')).toMatch(/status 500.*refused the key/);
  });

  test('max_tokens is never exceeded', async () => {
    const { run } = await open('openai', undefined, { 'model.max_output_tokens': 256 });
    const { report, session } = await run({ max_tokens: 900 });
    expect(session.total_tokens_used).toBeLessThanOrEqual(900);
    expect(report.limitations.join(' ')).toContain('token limit');
    expect(report.outcome).toBe('ok');
  });

  test('use_model: false asks nobody', async () => {
    const { run } = await open('openai');
    const { report } = await run({ use_model: false, max_iterations: 1 });
    expect(world.sent('/model/v1/chat/completions')).toEqual([]);
    expect(report.written_by).toBe('quotes');
  });
});

describe('resume with a model', () => {
  test.each(['analysis', 'synthesis'])('interrupted in %s: the same report', async (task) => {
    const { run, engine } = await open('openai');
    const { report } = await run();
    const known = world.sent('/model/v1/chat/completions').length;
    world.sim.script({ path: '/model', contains: `TASK: ${task}` }, [{ kind: 'hang' }]);
    const { session } = await perform(
      research,
      { query: QUESTION, background: true },
      { call: world.call(), services: engine.services },
    );
    await vi.waitFor(
      () =>
        expect(
          world
            .sent('/model/v1/chat/completions')
            .slice(known)
            .some((body) => taskIs(JSON.stringify(body), task)),
        ).toBe(true),
      { timeout: 20_000 },
    );
    await engine.services.research.close();
    const { research: sessions } = engine.services;
    await sessions.resume(session.research_id, {}, { call: world.call(), services: engine.services });
    for await (const _event of sessions.watch(session.research_id, world.call()));
    expect((await sessions.report(session.research_id, world.call())).markdown).toBe(report.markdown);
  });
});

describe('[model] in the configuration', () => {
  test('a key in the environment is used only for the provider that was chosen', async () => {
    world = await createResearchWorld();
    const env = { OPENAI_API_KEY: 'sk-o', ANTHROPIC_API_KEY: 'sk-a' };
    const keyOf = (flags: Record<string, unknown>) => loadConfig({ env, flags }).config.model.api_key;
    expect(keyOf({})).toBeUndefined();
    expect(keyOf({ 'model.provider': 'openai' })).toBe('sk-o');
    expect(keyOf({ 'model.provider': 'anthropic' })).toBe('sk-a');
    expect(keyOf({ 'model.provider': 'anthropic', 'model.api_key': 'sk-own' })).toBe('sk-own');
  });

  test('a provider without a model’s name is refused with what to set', async () => {
    world = await createResearchWorld();
    expect(() => world.open({ 'model.provider': 'openai' })).toThrow('[model] model is not set.');
  });
});

describe('the client’s model', () => {
  const withSampling = (requestSampling: NonNullable<Call['requestSampling']>, more: object = {}) => {
    const call = { ...world.call(), requestSampling };
    const input = { query: QUESTION, max_iterations: 1, ...more };
    return perform(research, input, { call, services: world.engine.services });
  };

  test('a client that never answers costs the report its words, not its deadline', async () => {
    world = await createResearchWorld();
    const stopped: unknown[] = [];
    const { report, session } = await withSampling(
      (_request, signal) =>
        new Promise((_resolve, reject) =>
          signal?.addEventListener('abort', () => {
            stopped.push(signal.reason);
            reject(new HeadgateError('upstream_unavailable', 'Time is over.'));
          }),
        ),
      { timeout: 1 },
    );
    expect(stopped).toHaveLength(1);
    expect(session.timed_out).toBe(true);
    expect(report?.findings.length).toBeGreaterThan(0);
    expect(report?.written_by).toBe('quotes');
  });

  test('is asked only by who waits, and not when the caller wants none', async () => {
    world = await createResearchWorld();
    let asked = 0;
    const count = async ({ prompt }: { prompt: string }) => {
      asked += 1;
      return { text: honestAnswer(prompt), isCut: false };
    };
    await withSampling(count, { use_model: false });
    const { session } = await withSampling(count, { background: true });
    for await (const _event of world.engine.services.research.watch(session.research_id, world.call()));
    expect(asked).toBe(0);
    const { report } = await withSampling(count);
    expect(asked).toBeGreaterThan(2);
    expect(report?.written_by).toBe('the client’s model');
    await checkReport(report as NonNullable<typeof report>, world.engine.services);
  });

  test('is not asked more often than the limit, however long the research', async () => {
    world = await createResearchWorld();
    let asked = 0;
    const { report } = await withSampling(
      async ({ prompt }) => {
        asked += 1;
        const isRefinement = taskIs(prompt, 'refinement');
        const followUp = { query: `Aldana canal ${asked}`, priority: 1 };
        return {
          text: isRefinement
            ? JSON.stringify({
                follow_up_queries: [followUp],
                iteration_recommendation: { should_iterate: true },
              })
            : honestAnswer(prompt),
          isCut: false,
        };
      },
      { max_iterations: 10, max_sources_per_query: 2, max_sub_queries: 1 },
    );
    expect(asked).toBeLessThanOrEqual(LIMITS.samplingAsksMax);
    expect(report?.outcome).toBe('ok');
  });
});
