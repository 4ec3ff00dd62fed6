import { z } from 'zod';
import { CITATION_FORMATS, type ResearchReport, type ResearchSession } from '../../contract/research.ts';
import type { Call } from '../../core/call.ts';
import { HeadgateError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import { condenseQuery } from '../../rank/condense.ts';
import type { Services } from '../services.ts';
import type { EventSource, ResearchEvent } from './events.ts';

/*
 * Tavily's `/research` in three pure pieces: its request as our input, our session as its answer, our events as its server-sent events. The
 * request id that a client polls with is the session's id.
 */

export const TAVILY_RESEARCH_MODELS = ['mini', 'pro', 'auto'] as const;
type TavilyModel = (typeof TAVILY_RESEARCH_MODELS)[number];

const SIZES: Record<TavilyModel, Record<string, number>> = {
  mini: { max_iterations: 1, max_sub_queries: 4 },
  auto: { max_iterations: 2, max_sub_queries: 5 },
  pro: { max_iterations: 3, max_sub_queries: 10, max_sources_per_query: 8, max_concurrent: 5 },
};

const body = z.looseObject({
  input: z
    .string({ error: 'Input is required.' })
    .trim()
    .min(1, { error: 'Input is required.' })
    .max(100_000),
  model: z
    .enum(TAVILY_RESEARCH_MODELS, { error: 'Invalid model. Must be one of: mini, pro, auto' })
    .nullish(),
  stream: z.boolean({ error: 'stream must be true or false.' }).nullish(),
  citation_format: z
    .enum(CITATION_FORMATS, {
      error: `Invalid citation_format. Must be one of: ${CITATION_FORMATS.join(', ')}`,
    })
    .nullish(),
  output_length: z
    .enum(['short', 'standard', 'long'], {
      error: 'Invalid output_length. Must be one of: short, standard, long',
    })
    .nullish(),
  include_domains: z
    .array(z.string())
    .max(20, { error: 'Max 20 domains are allowed in include_domains.' })
    .nullish(),
  exclude_domains: z
    .array(z.string())
    .max(20, { error: 'Max 20 domains are allowed in exclude_domains.' })
    .nullish(),
  output_schema: z
    .null({ error: 'output_schema is not supported here: leave it out and read the report.' })
    .optional(),
  files: z.array(z.unknown()).max(0, { error: 'files are not supported here: leave them out.' }).nullish(),
});

export interface TavilyResearch {
  /** The input of `sessions.start`, not parsed yet. */
  input: Record<string, unknown>;
  model: TavilyModel;
  isStream: boolean;
  /** The question as it was sent. */
  asked: string;
}

/** Tavily's request as our input; throws `invalid_request` with Tavily's own message. */
export function fromTavily(raw: unknown): TavilyResearch {
  const parsed = body.safeParse(raw);
  if (!parsed.success)
    throw new HeadgateError('invalid_request', parsed.error.issues[0]?.message ?? 'Invalid request.');
  const { data } = parsed;
  const model = data.model ?? 'auto';
  return {
    input: {
      query: condenseQuery(data.input, { charsMax: LIMITS.queryCharsMax }).text,
      ...SIZES[model],
      ...(data.include_domains ? { include_domains: data.include_domains } : {}),
      ...(data.exclude_domains ? { exclude_domains: data.exclude_domains } : {}),
      ...(data.citation_format ? { citation_format: data.citation_format } : {}),
      ...(data.output_length ? { output_length: data.output_length } : {}),
      background: true,
    },
    model,
    isStream: data.stream === true,
    asked: data.input,
  };
}

/** The answer to `POST /research`: status 200, which every client accepts. */
export const queuedBody = (session: ResearchSession, asked: TavilyResearch): Record<string, unknown> => ({
  request_id: session.research_id,
  created_at: session.created_at,
  status: 'pending',
  input: asked.asked,
  model: asked.model,
  response_time: session.elapsed_ms / 1_000,
});

/** The answer to `GET /research/{id}` with its status: 202 while it runs. A partial report is a completed one that says so. */
export function polledBody(
  session: ResearchSession,
  report: ResearchReport | undefined,
): { status: 200 | 202; body: Record<string, unknown> } {
  const facts = { request_id: session.research_id, response_time: session.elapsed_ms / 1_000 };
  if (session.status === 'running') return { status: 202, body: { ...facts, status: 'in_progress' } };
  if (session.status !== 'completed' || report === undefined)
    return {
      status: 200,
      body: { ...facts, status: 'failed', error: session.failure_error ?? session.next_action },
    };
  return {
    status: 200,
    body: {
      ...facts,
      created_at: session.created_at,
      completed_at: session.updated_at,
      status: 'completed',
      content: report.markdown,
      sources: sourcesOf(report),
      usage: { credits: session.credits },
    },
  };
}

const sourcesOf = (report: ResearchReport): EventSource[] =>
  report.sources.map(({ title, url, favicon }) => ({
    title,
    url,
    ...(favicon === undefined ? {} : { favicon }),
  }));

interface FrameFacts {
  id: string;
  model: string;
  /** Seconds since the epoch. */
  created: number;
}

/** One event as Tavily's frames; most events say nothing to its clients. */
export function framesOf(event: ResearchEvent, facts: FrameFacts, report?: ResearchReport): string[] {
  const id = `call-${event.sequence}`;
  switch (event.type) {
    case 'plan': {
      const tool = {
        name: 'Planning',
        id,
        arguments: `Searching ${event.queries.length} questions`,
        queries: event.queries,
      };
      return [frame({ tool_calls: { type: 'tool_call', tool_call: [tool] } }, facts)];
    }
    case 'search': {
      const tool = { name: 'WebSearch', id, arguments: event.query, sources: event.sources };
      return [frame({ tool_calls: { type: 'tool_response', tool_response: [tool] } }, facts)];
    }
    case 'done':
      return report === undefined || event.session.status !== 'completed'
        ? [failedFrame(event.session)]
        : [
            ...pieces(report.markdown).map((content) => frame({ role: 'assistant', content }, facts)),
            frame({ sources: sourcesOf(report) }, facts),
            // The real service ends right here, without a blank line.
            'event: done',
          ];
    default:
      return [];
  }
}

const failedFrame = (session: ResearchSession): string =>
  `event: error\ndata: ${JSON.stringify({ error: session.failure_error ?? session.next_action })}\n\n`;

const frame = (delta: Record<string, unknown>, { id, model, created }: FrameFacts): string => {
  const data = { id, object: 'chat.completion.chunk', model, created, choices: [{ delta }] };
  return `event: chat.completion.chunk\ndata: ${JSON.stringify(data)}\n\n`;
};

/** A report in pieces, line by line, so that a client can show it as it comes. */
const pieces = (text: string): string[] => text.match(/[^\n]*\n+|[^\n]+$/g) ?? [];

/** The whole stream of a session; ends by itself, and with an error frame when the session fails. */
export async function* tavilyStream(
  id: string,
  model: string,
  call: Call,
  services: Services,
): AsyncGenerator<string> {
  const facts = { id, model, created: Math.floor(services.clock.now() / 1_000) };
  for await (const event of services.research.watch(id, call)) {
    const report =
      event.type === 'done' && event.session.status === 'completed'
        ? await services.research.report(id, call)
        : undefined;
    yield* framesOf(event, facts, report);
  }
}
