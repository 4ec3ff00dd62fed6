import { afterEach, describe, expect, test } from 'vitest';
import { perform } from '../../src/operations/perform.ts';
import { research } from '../../src/operations/research/research.ts';
import { fromTavily, polledBody, queuedBody, tavilyStream } from '../../src/operations/research/tavily.ts';
import { createResearchWorld, QUESTION, type ResearchWorld } from './world.ts';

let world: ResearchWorld;
afterEach(() => world?.close());

describe('Tavily’s /research', () => {
  test.each([
    [{}, 'Input is required.'],
    [{ input: ' ' }, 'Input is required.'],
    [{ input: 'x', model: 'max' }, 'Invalid model. Must be one of: mini, pro, auto'],
    [{ input: 'x', output_schema: { properties: {} } }, 'output_schema is not supported'],
    [{ input: 'x', files: [{}] }, 'files are not supported'],
    [{ input: 'x', citation_format: 'ieee' }, 'Invalid citation_format'],
  ])('%j is refused: %s', (body, message) => {
    expect(() => fromTavily(body)).toThrow(message);
  });

  test('a request becomes our input; models differ in how far they look', () => {
    expect(
      fromTavily({ input: 'x y', model: 'pro', stream: true, exclude_domains: ['a.example'] }),
    ).toMatchObject({
      input: {
        query: 'x y',
        max_iterations: 3,
        max_sub_queries: 10,
        exclude_domains: ['a.example'],
        background: true,
      },
      model: 'pro',
      isStream: true,
    });
    expect(fromTavily({ input: 'y'.repeat(5_000) }).input['query']).toHaveLength(1_000);
  });

  test('queued, polled, streamed', async () => {
    world = await createResearchWorld();
    const { services } = world.engine;
    const asked = fromTavily({ input: QUESTION, model: 'mini', citation_format: 'apa' });
    const { session } = await perform(research, asked.input, world.call(), services);
    const id = session.research_id;
    expect(queuedBody(session, asked)).toMatchObject({
      request_id: id,
      status: 'pending',
      model: 'mini',
      input: QUESTION,
    });
    expect(polledBody(session, undefined)).toMatchObject({ status: 202, body: { status: 'in_progress' } });

    const frames: string[] = [];
    for await (const frame of tavilyStream(id, 'mini', world.call(), services)) frames.push(frame);
    expect(frames.at(-1)).toBe('event: done');
    const deltas = frames.slice(0, -1).map((frame) => {
      const [event, data = ''] = frame.split('\n');
      expect(event).toBe('event: chat.completion.chunk');
      expect(frame.endsWith('\n\n')).toBe(true);
      const { choices } = JSON.parse(data.slice('data: '.length)) as {
        choices: { delta: Record<string, unknown> }[];
      };
      return choices[0]?.delta ?? {};
    });
    expect(deltas[0]).toHaveProperty('tool_calls');
    expect(deltas.at(-1)).toHaveProperty('sources');
    const report = await services.research.report(id, world.call());
    expect(deltas.map((delta) => (delta['content'] ?? '') as string).join('')).toBe(report.markdown);
    expect(report.markdown).toMatch(/museum\.aldana\.example\. \(2024-03-01\)\. \[/);

    const done = polledBody(await services.research.status(id, world.call()), report);
    expect(done).toMatchObject({
      status: 200,
      body: { request_id: id, status: 'completed', content: report.markdown },
    });
  });

  test('a research that fails is a failed task and an error frame', async () => {
    world = await createResearchWorld();
    const { services } = world.engine;
    world.sim.script('/topics/search', [{ kind: 'status', status: 503, times: 'always' }]);
    const { session } = await perform(
      research,
      fromTavily({ input: QUESTION }).input,
      world.call(),
      services,
    );
    const frames: string[] = [];
    for await (const frame of tavilyStream(session.research_id, 'auto', world.call(), services))
      frames.push(frame);
    expect(frames.at(-1)).toMatch(/^event: error\ndata: \{"error":/);
    const polled = polledBody(await services.research.status(session.research_id, world.call()), undefined);
    expect(polled).toMatchObject({ status: 200, body: { status: 'failed', error: expect.any(String) } });
  });
});
