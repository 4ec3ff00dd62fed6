import type { ResearchReport, ResearchSession } from '../../contract/research.ts';
import { HeadgateError } from '../../core/errors.ts';
import { own } from '../../core/own-text.ts';
import { LIMITS } from '../../core/limits.ts';
import type { Body } from '../door/request-body.ts';
import { fieldsOf } from './wire.ts';

/** Tavily's models as effort: number of searches and iterations. */
const MODELS: Record<string, Body> = {
  mini: { max_iterations: 1, max_sub_queries: 3 },
  auto: {},
  pro: { max_iterations: 5, max_sub_queries: 8 },
};

const DOMAINS_MAX = 20;

/** Converts a request to `POST /research` into our input. */
export function decodeResearch(body: Body): Body {
  const fields = fieldsOf(body);
  const { input, model = 'auto' } = fields;
  const effort = typeof model === 'string' ? MODELS[model] : undefined;
  const problem =
    typeof input !== 'string' || input.trim() === ''
      ? 'Input is missing.'
      : input.length > LIMITS.queryCharsMax
        ? own`Input is too long. Max input length is ${LIMITS.queryCharsMax} characters.`
        : effort === undefined
          ? 'Invalid model. Must be one of: mini, pro, auto'
          : (tooMany(fields, 'include_domains') ?? tooMany(fields, 'exclude_domains'));
  if (problem !== undefined) throw new HeadgateError('invalid_request', problem);
  const passed = ['citation_format', 'output_length', 'output_tokens', 'include_domains', 'exclude_domains'];
  return {
    query: input,
    ...effort,
    ...Object.fromEntries(
      passed.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]])),
    ),
    background: true,
  };
}

function tooMany(fields: Body, name: 'include_domains' | 'exclude_domains') {
  const list = fields[name];
  return Array.isArray(list) && list.length > DOMAINS_MAX
    ? own`Invalid value for ${name}. Max ${DOMAINS_MAX} domains are allowed.`
    : undefined;
}

/** The response to an accepted request. */
export const pendingResearch = (session: ResearchSession, asked: Body, seconds: number): Body => ({
  request_id: session.research_id,
  created_at: session.created_at,
  status: 'pending',
  input: asked['input'],
  model: asked['model'] ?? 'auto',
  response_time: seconds,
  warnings: ignoredFields(asked),
});

/** Warns about fields that our reports do not support. */
function ignoredFields(asked: Body): string[] {
  return [
    ...(asked['output_schema'] == null ? [] : ['output_schema: not supported; the content is Markdown.']),
    ...(asked['files'] == null ? [] : ['files: not supported; they were not read.']),
  ];
}

/** The state of a research: 202 while it runs, 200 when it is over. */
export function researchState(
  session: ResearchSession,
  report: ResearchReport | undefined,
  options: { seconds: number; withUsage: boolean },
): { status: 200 | 202; body: Body } {
  const { research_id: id, status } = session;
  const times = { response_time: options.seconds };
  if (status === 'running') {
    const state = session.phase === 'planning' ? 'pending' : 'in_progress';
    return { status: 202, body: { request_id: id, status: state, ...times } };
  }
  if (status === 'completed' && report !== undefined) {
    const body = {
      request_id: id,
      created_at: session.created_at,
      completed_at: session.updated_at,
      status: 'completed',
      content: report.markdown,
      sources: sourcesOf(report),
      response_time: Math.round(session.elapsed_ms / 10) / 100,
      ...(options.withUsage ? { usage: { credits: session.credits } } : {}),
      outcome: report.outcome,
      ...(report.match === undefined ? {} : { match: report.match }),
    };
    return { status: 200, body };
  }
  const error = session.failure_error ?? `The research was ${status}.`;
  return { status: 200, body: { request_id: id, status: 'failed', error, ...times } };
}

export const sourcesOf = (report: ResearchReport): Body[] =>
  report.sources.map(({ title, url, favicon }) => ({
    title,
    url,
    ...(favicon === undefined ? {} : { favicon }),
  }));
