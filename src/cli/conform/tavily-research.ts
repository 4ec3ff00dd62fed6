import { z } from 'zod';
import { decodeResearch } from '../../gateway/tavily/research.ts';
import { check, field, shown, valuesAt, wrong, type Check } from './check.ts';
import type { Probe } from './probe.ts';
import { common, credits, post, QUERY, refusal, refusalBody } from './tavily-call.ts';

/** `/research`: accepted, polled, refused and streamed. */
export function researches(): Probe[] {
  const asked = { input: QUERY, model: 'mini' };
  const cost: readonly [number, number] = [4, 250];
  return [
    post('research', '/research', asked, {
      status: [200, 201],
      credits: cost,
      checks: [
        check('research.status', 'status: pending', 'status', (value) => value === 'pending'),
        check('research.input', `input: ${QUERY}`, 'input', (value) => value === QUERY),
        check('research.model', 'model: mini', 'model', (value) => value === 'mini'),
        field(
          'research.created_at',
          'created_at',
          z.string().refine((text) => !Number.isNaN(Date.parse(text))),
          { expects: 'a time' },
        ),
        ...common('research'),
      ],
    }),
    {
      id: 'research.running',
      method: 'GET',
      path: '/research/{research}',
      status: [200, 202],
      checks: [
        {
          id: 'research.running.status',
          expects: 'pending or in_progress with 202, completed or failed with 200',
          test: ({ status, json }) => {
            const [state] = valuesAt(json, 'status');
            const states = status === 202 ? ['pending', 'in_progress'] : ['completed', 'failed'];
            return states.includes(state as string) ? undefined : { came: `${shown(state)} with ${status}` };
          },
        },
        field('research.running.request_id', 'request_id', z.string().min(1)),
      ],
    },
    {
      id: 'research.completed',
      method: 'GET',
      path: '/research/{research}?include_usage=true',
      whileStatus: 202,
      patience: 10,
      checks: completedChecks(),
    },
    {
      id: 'research.unknown',
      method: 'GET',
      path: '/research/00000000-0000-4000-8000-000000000000',
      status: [404],
      checks: [refusalBody('research.unknown')],
    },
    refusal('research.refused.model', '/research', { input: QUERY, model: 'huge' }, decodeResearch),
    refusal('research.refused.input', '/research', {}),
    post(
      'research.stream',
      '/research',
      { ...asked, stream: true },
      {
        type: 'text/event-stream',
        credits: cost,
        patience: 10,
        checks: streamChecks(),
      },
    ),
  ];
}

const completedChecks = (): Check[] => [
  check('research.completed.status', 'status: completed', 'status', (value) => value === 'completed'),
  field('research.completed.content', 'content', z.string().min(1)),
  field(
    'research.completed.sources',
    'sources',
    z.array(z.object({ title: z.string(), url: z.string() })).min(1),
    { expects: 'a list of {title, url}' },
  ),
  {
    id: 'research.completed.request_id',
    expects: 'request_id: that of the request',
    test: ({ json }, heard) => {
      const [id] = valuesAt(json, 'request_id');
      return id === valuesAt(heard.get('research')?.json, 'request_id')[0] ? undefined : wrong(id);
    },
  },
  credits('research.completed'),
];

const delta = z.object({
  content: z.union([z.string(), z.record(z.string(), z.unknown())]).optional(),
  tool_calls: z.object({ type: z.enum(['tool_call', 'tool_response']) }).optional(),
  sources: z.array(z.object({ title: z.string(), url: z.string() })).optional(),
});
const chunk = z.object({
  id: z.string().min(1),
  object: z.literal('chat.completion.chunk'),
  model: z.string(),
  created: z.int(),
  choices: z.tuple([z.object({ delta: z.unknown() })]),
});

function streamChecks(): Check[] {
  const stream = (name: string, expects: string, test: (frames: Frame[]) => unknown): Check => ({
    id: `research.stream.${name}`,
    expects,
    test: ({ text }) => {
      const bad = test(framesOf(text));
      return bad === undefined ? undefined : wrong(bad);
    },
  });
  const deltasOf = (frames: Frame[]): unknown[] =>
    frames.flatMap(({ data }) => valuesAt(data, 'choices[].delta'));
  const some = (frames: Frame[], name: string): unknown =>
    deltasOf(frames).some((one) => valuesAt(one, name)[0] !== undefined) ? undefined : `no ${name}`;
  return [
    stream(
      'events',
      'event: chat.completion.chunk, then done',
      (frames) => frames.slice(0, -1).find(({ event }) => event !== 'chat.completion.chunk')?.event,
    ),
    stream('done', 'ends with event: done', (frames) =>
      frames.at(-1)?.event === 'done' ? undefined : (frames.at(-1) ?? 'nothing'),
    ),
    stream(
      'chunks',
      'data: {id, object, model, created, choices: [{delta}]}',
      (frames) => frames.slice(0, -1).find(({ data }) => !chunk.safeParse(data).success)?.data,
    ),
    stream('deltas', 'content, tool_calls (an object) or sources', (frames) =>
      deltasOf(frames).find((one) => !delta.safeParse(one).success),
    ),
    stream('content', 'a delta with content', (frames) => some(frames, 'content')),
    stream('sources', 'a delta with sources', (frames) => some(frames, 'sources')),
  ];
}

interface Frame {
  event: string;
  data: unknown;
}

/** The events of a stream; lines of comments are pings. */
function framesOf(text: string): Frame[] {
  return text
    .split(/\r?\n\r?\n/)
    .map((block) => block.split(/\r?\n/).filter((line) => line !== '' && !line.startsWith(':')))
    .filter((lines) => lines.length > 0)
    .map((lines) => {
      const of = (name: string): string =>
        lines
          .filter((line) => line.startsWith(`${name}:`))
          .map((line) => line.slice(name.length + 1).trim())
          .join('\n');
      const data = of('data');
      return { event: of('event') || 'no event', data: data === '' ? null : parsed(data) };
    });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
