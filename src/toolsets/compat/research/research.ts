import { jsonText } from '../../markdown.ts';
import { z } from 'zod';
import { parseInput } from '../../../contract/parse.ts';
import type { Call } from '../../../core/call.ts';
import { HeadgateError } from '../../../core/errors.ts';
import { clip, oneLine } from '../../../core/text.ts';
import type { ResearchAction } from './action.ts';
import { deepActions } from './deep.ts';
import { extractAction } from './extract.ts';
import { searchAction } from './search.ts';
import { envelopeOf, errorEnvelope, type Envelope } from './response-v2.ts';
import { urlsIn } from '../../url-list.ts';
import { defineTool, type Tool, type ToolResult, type Toolset } from '../../tool.ts';

/** Ten sources of 50,000 characters, and their envelope. */
const OUTPUT_CHARS_MAX = 600_000;

/** The `research` tool: one tool with an `action`, answered in response-v2 envelopes (research spec 1). */
export function researchTool(actions: readonly ResearchAction[]): Tool {
  const names = actions.map((action) => action.name);
  const tool = defineTool({
    name: 'research',
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

export const researchToolset: Toolset = {
  id: 'research',
  summary: 'research with its actions, in response-v2 envelopes',
  serverName: 'headgate-research',
  tools: [researchTool([extractAction, searchAction, ...deepActions])],
};
