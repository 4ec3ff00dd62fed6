import { jsonText } from '../../markdown.ts';
import { z } from 'zod';
import { parseInput } from '../../../contract/parse.ts';
import type { Call } from '../../../core/call.ts';
import { HeadgateError } from '../../../core/errors.ts';
import { clip, oneLine } from '../../../core/text.ts';
import { type ResearchAction, defineAction } from './action.ts';
import { deepActions } from './deep.ts';
import { extractAction } from './extract.ts';
import { envelopeOf, errorEnvelope, type Envelope, successResponse } from './response-v2.ts';
import { urlsIn } from '../../url-list.ts';
import { defineTool, type Tool, type ToolResult, type Toolset } from '../../tool.ts';
import { flag, integer, query, strings, word } from '../../../contract/fields.ts';
import { LIMITS } from '../../../core/limits.ts';
import { SEARCH_DEPTHS, TOPICS } from '../../../core/query.ts';
import { concerns } from '../../concerns.ts';
import { metaOf } from '../../meta.ts';
import { sourceOfHit } from './source.ts';

/** Ten sources of 50,000 characters, and their envelope. */
const OUTPUT_CHARS_MAX = 600_000;

/** The `research` tool: one tool with an `action`, answered in response-v2 envelopes (research spec 1). */
export function researchTool(actions: readonly ResearchAction[]): Tool {
  const names = actions.map((action) => action.name);
  const tool = defineTool({
    name: 'research',
    title: 'Research with sources',
    // `deep-research-delete` removes a research.
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    description: `Work with web sources. Actions: ${actions.map((action) => `${action.name} (${action.summary})`).join(', ')}.`,
    input: z.looseObject({ action: z.string() }),
    pagesIn: urlsIn,
    run: async (raw, call, engine) => {
      const action = actions.find((one) => one.name === actionOf(raw));
      if (action === undefined) throw new HeadgateError('invalid_request', 'No such action.');
      const { action: _name, ...rest } = raw;
      const { envelope, meta } = await action.run(parseInput(action.input, rest), call, engine);
      return { ...toResult(envelope), ...(meta === undefined ? {} : { meta }) };
    },
    fail: (error, raw, call) => toResult(failure(error, raw, names, call)),
  });
  return { ...tool, input: listedInput(actions), outputCharsMax: OUTPUT_CHARS_MAX };
}

const toResult = (envelope: Envelope): ToolResult => ({
  text: jsonText(envelope),
  ...(envelope.success ? {} : { isError: true }),
});

/** Case and separators do not matter: `Deep_Research` is `deep-research`. */
const actionOf = (raw: unknown): string => {
  const action: unknown =
    typeof raw === 'object' && raw !== null ? (raw as Record<string, unknown>)['action'] : undefined;
  return typeof action === 'string' ? action.trim().toLowerCase().replaceAll('_', '-') : '';
};

function failure(error: HeadgateError, raw: unknown, names: string[], call: Call): Envelope {
  const action = actionOf(raw);
  if (!names.includes(action)) {
    const given = clip(oneLine(action), 100);
    return errorEnvelope(
      `Unsupported research action '${given}'. Allowed: ${names.join(', ')}`,
      {
        code: 'VALIDATION_ERROR',
        type: 'validation',
        remediation: `Use one of: ${names.join(', ')}`,
        details: { action: given, allowed_actions: names },
      },
      call.requestId,
    );
  }
  const { fields } = error.data;
  const field: unknown = Array.isArray(fields) ? fields[0] : undefined;
  if (error.code !== 'invalid_request' || typeof field !== 'string') return envelopeOf(error, call.requestId);
  const message = error.message.startsWith(`${field}: `)
    ? error.message.slice(field.length + 2)
    : error.message;
  return errorEnvelope(
    `Invalid field '${field}' for research.${action}: ${message}`,
    {
      code: 'VALIDATION_ERROR',
      type: 'validation',
      remediation: error.remediation ?? `Correct ${field} and call again`,
      details: { field, action: `research.${action}` },
    },
    call.requestId,
  );
}

/** What a client is shown: every parameter of every action. Which of them an action needs is checked when it is called. */
function listedInput(actions: readonly ResearchAction[]): z.ZodObject {
  const fields = new Map<string, z.ZodType>();
  for (const [name, field] of actions.flatMap((action) => Object.entries<z.ZodType>(action.input.shape))) {
    if (!fields.has(name)) fields.set(name, field.optional());
  }
  const names = actions.map((action) => action.name) as [string, ...string[]];
  return z.object({ action: z.enum(names), ...Object.fromEntries(fields) });
}

const QUERY_CHARS_MAX = 400;

/** The action `search` (research spec 5). Configuration and research mode decide what the caller leaves open. */
const searchAction = defineAction({
  name: 'search',
  summary: 'search the web',
  input: z.object({
    query: query(QUERY_CHARS_MAX).describe('What to look for'),
    max_results: integer(1, 20).default(10).describe('search: how many sources'),
    search_depth: word(SEARCH_DEPTHS).optional().describe('search: depth; advanced costs twice'),
    topic: word(TOPICS).optional().describe('search: topic'),
    days: integer(1, 365).optional().describe('search: only the last so many days'),
    include_answer: z
      .union([flag(), word(['basic', 'advanced'])])
      .optional()
      .describe('search: add an answer'),
    include_raw_content: z
      .union([flag(), word(['markdown', 'text'])])
      .optional()
      .describe('search: add page content; true is markdown'),
    include_images: flag().optional().describe('add images'),
    include_favicon: flag().optional().describe('search: add favicons'),
    include_domains: strings(LIMITS.domainsIncludeMax).optional().describe('search: only these domains'),
    exclude_domains: strings(LIMITS.domainsExcludeMax).optional().describe('search: none of these domains'),
    country: z.string().trim().min(1).optional().describe('search: prefer a country (ISO code or name)'),
    chunks_per_source: integer(1, 5).optional().describe('passages per source'),
    auto_parameters: flag().optional().describe('search: let the provider choose what nobody set'),
  }),
  run: async (input, call, engine) => {
    const output = await engine.search({ ...input, ...engine.searchParameters(input) }, call);
    const sources = output.results.map(sourceOfHit);
    return {
      envelope: successResponse(
        {
          action: 'search',
          query: output.query,
          ...(output.answer === null ? {} : { answer: output.answer }),
          ...(output.match === undefined ? {} : { match: output.match }),
          sources,
          ...(output.images.length === 0 ? {} : { images: output.images }),
          stats: { requested: input.max_results, succeeded: sources.length },
        },
        { requestId: call.requestId, warnings: concerns(output) },
      ),
      meta: metaOf(output),
    };
  },
});

export const researchToolset: Toolset = {
  id: 'research',
  summary: 'research with its actions, in response-v2 envelopes',
  serverName: 'headgate-research',
  tools: [researchTool([extractAction, searchAction, ...deepActions])],
};
