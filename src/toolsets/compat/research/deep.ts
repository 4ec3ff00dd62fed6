import { z } from 'zod';
import { flag, integer, query, strings, word } from '../../../contract/fields.ts';
import { HeadgateError } from '../../../core/errors.ts';
import { LIMITS } from '../../../core/limits.ts';
import { SEARCH_DEPTHS, TOPICS } from '../../../core/query.ts';
import { defineAction, type ResearchAction } from './action.ts';
import { successResponse } from './response-v2.ts';

const QUERY_CHARS_MAX = 400;
/** Agents poll too often when nobody tells them what to expect. */
const POLLING_GUIDANCE = {
  max_checks: 5,
  typical_duration_minutes: 2,
  require_user_communication: true,
  no_independent_research: true,
};

const researchId = () => z.string().trim().min(1).max(40).describe('deep-research: which research');

/** Begins research in the background, or goes on with one. */
const deepResearch = defineAction({
  name: 'deep-research',
  summary: 'research a question in the background; poll deep-research-status, then deep-research-report',
  input: z.object({
    deep_research_action: word(['start', 'continue', 'resume'])
      .default('start')
      .describe('deep-research: start, or continue a research_id'),
    query: query(QUERY_CHARS_MAX).optional().describe('What to look for'),
    research_id: researchId().optional(),
    research_mode: word(['general', 'academic', 'technical'])
      .optional()
      .describe('deep-research: kind of sources'),
    max_iterations: integer(1, 10).optional().describe('deep-research: rounds (default 3)'),
    max_sub_queries: integer(1, 20).optional().describe('deep-research: searches per round (default 5)'),
    max_sources_per_query: integer(1, 20)
      .optional()
      .describe('deep-research: results per search (default 5)'),
    max_concurrent: integer(1, 10).optional().describe('deep-research: searches at once (default 3)'),
    follow_links: flag().optional().describe('deep-research: read pages, not only snippets'),
    task_timeout: integer(1, 3_600).optional().describe('deep-research: seconds for the whole'),
    max_credits: integer(0, LIMITS.creditsPerCallMax)
      .optional()
      .describe('deep-research: most credits to spend'),
    search_depth: word(SEARCH_DEPTHS).optional(),
    topic: word(TOPICS).optional(),
    days: integer(1, 365).optional(),
    include_domains: strings(LIMITS.domainsIncludeMax).optional(),
    exclude_domains: strings(LIMITS.domainsExcludeMax).optional(),
  }),
  run: async (input, call, engine) => {
    const {
      deep_research_action: action,
      research_id: id,
      research_mode: mode,
      task_timeout: timeout,
      ...rest
    } = input;
    if (action === 'start') {
      const { session } = await engine.research({ ...rest, mode, timeout, background: true }, call);
      return started(session.research_id, 'Research started in background. Poll its status.', call.requestId);
    }
    if (id === undefined) throw missingId();
    const { max_iterations } = rest;
    await engine.researchSession({ action: 'resume', research_id: id, max_iterations, timeout }, call);
    return started(id, 'Research goes on where it stopped; finished steps are not repeated.', call.requestId);
  },
});

const started = (id: string, message: string, requestId: string) => ({
  envelope: successResponse(
    {
      action: 'deep-research',
      research_id: id,
      status: 'started',
      message,
      polling_guidance: POLLING_GUIDANCE,
    },
    { requestId },
  ),
});

const missingId = (): HeadgateError =>
  new HeadgateError('invalid_request', 'research_id: is missing. Send the id that the start returned.', {
    data: { fields: ['research_id'] },
  });

const about = z.object({ research_id: researchId() });

const deepStatus = defineAction({
  name: 'deep-research-status',
  summary: 'how far it is',
  input: about,
  run: async ({ research_id }, call, engine) => {
    const { session } = await engine.researchSession({ action: 'status', research_id }, call);
    return {
      envelope: successResponse(
        { action: 'deep-research-status', ...session },
        { requestId: call.requestId },
      ),
    };
  },
});

const deepReport = defineAction({
  name: 'deep-research-report',
  summary: 'its report',
  input: about,
  run: async ({ research_id }, call, engine) => {
    const { session, report } = await engine.researchSession({ action: 'report', research_id }, call);
    const data = {
      action: 'deep-research-report',
      research_id,
      original_query: session?.original_query,
      report: report?.markdown,
      outcome: report?.outcome,
      match: report?.match,
      source_count: session?.source_count,
      finding_count: session?.finding_count,
      iteration: session?.iteration,
      is_complete: session?.is_complete,
      sources: report?.sources,
      findings: report?.findings,
    };
    const warnings = report?.outcome === 'ok' && report.match !== 'weak' ? [] : (report?.limitations ?? []);
    return {
      envelope: successResponse(data, { requestId: call.requestId, warnings }),
      meta: { trust: 'untrusted_web' },
    };
  },
});

const deepList = defineAction({
  name: 'deep-research-list',
  summary: 'list researches',
  input: z.object({
    limit: integer(1, 100).default(50).describe('deep-research-list: how many'),
    cursor: z.string().trim().max(40).optional().describe('deep-research-list: next_cursor of the last page'),
  }),
  run: async ({ limit, cursor }, call, engine) => {
    const { sessions = [], next_cursor } = await engine.researchSession(
      { action: 'list', limit, cursor },
      call,
    );
    const data = {
      action: 'deep-research-list',
      sessions,
      count: sessions.length,
      ...(next_cursor === undefined ? {} : { next_cursor }),
    };
    return { envelope: successResponse(data, { requestId: call.requestId }) };
  },
});

const deepCancel = defineAction({
  name: 'deep-research-cancel',
  summary: 'stop one',
  input: about,
  run: async ({ research_id }, call, engine) => {
    const { session } = await engine.researchSession({ action: 'cancel', research_id }, call);
    const data = {
      action: 'deep-research-cancel',
      research_id,
      cancelled: session?.cancelled ?? false,
      ...session,
    };
    return { envelope: successResponse(data, { requestId: call.requestId }) };
  },
});

const deepDelete = defineAction({
  name: 'deep-research-delete',
  summary: 'forget one',
  input: about,
  run: async ({ research_id }, call, engine) => {
    await engine.researchSession({ action: 'delete', research_id }, call);
    const data = { action: 'deep-research-delete', research_id, deleted: true };
    return { envelope: successResponse(data, { requestId: call.requestId }) };
  },
});

const verifyAction = defineAction({
  name: 'verify-quote',
  summary: 'whether words stand in a page or a research',
  input: z.object({
    quote: z.string().trim().min(1).max(5_000).describe('verify-quote: the words'),
    url: z.string().trim().max(LIMITS.urlCharsMax).optional().describe('verify-quote: the page'),
    research_id: researchId().optional(),
    source_id: z.string().trim().max(40).optional().describe('verify-quote: which source of the research'),
  }),
  run: async (input, call, engine) => {
    const verdict = await engine.verifyQuote(input, call);
    return {
      envelope: successResponse({ action: 'verify-quote', ...verdict }, { requestId: call.requestId }),
      meta: { trust: 'untrusted_web' },
    };
  },
});

/** Deep research as actions of the `research` tool (research spec 7). */
export const deepActions: ResearchAction[] = [
  deepResearch,
  deepStatus,
  deepReport,
  deepList,
  deepCancel,
  deepDelete,
  verifyAction,
];
