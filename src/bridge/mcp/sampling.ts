import {
  CLIENT_CAPABILITIES_META_KEY,
  inputRequired,
  inputResponse,
  ProtocolError,
  ProtocolErrorCode,
  type ClientCapabilities,
  type CreateMessageRequestParams,
  type InputRequests,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { SamplingAnswer, SamplingRequest } from '../../core/call.ts';
import { LIMITS } from '../../core/limits.ts';
import { clip } from '../../core/text.ts';
import { sessionOf } from './http-session.ts';
import { refused, type Reply, type SuspendedCalls } from './suspended-calls.ts';
import type { CallResult, ToolContext } from '../tool.ts';

type Ask = NonNullable<ToolContext['requestSampling']>;

/**
 * Asks the model of a 2025 client during its call, if the client supports it; undefined otherwise. Clients of
 * the 2026 revision are asked with `askInRounds`.
 */
export function samplingOf(
  server: Pick<Server, 'getClientCapabilities'>,
  { mcpReq, http }: ServerContext,
): Ask | undefined {
  const offers =
    http?.req === undefined
      ? server.getClientCapabilities()?.sampling !== undefined
      : sessionOf(http.req)?.offersSampling === true;
  if (!offers || mcpReq.envelope !== undefined) return undefined;
  return async (request, signal) => {
    const signals = signal === undefined ? [mcpReq.signal] : [mcpReq.signal, signal];
    try {
      const answer: unknown = await mcpReq.send(
        { method: 'sampling/createMessage', params: paramsOf(request) },
        { timeout: LIMITS.samplingTimeoutMs, signal: AbortSignal.any(signals) },
      );
      return answerOf(answer);
    } catch (cause) {
      mcpReq.signal.throwIfAborted();
      throw refused(cause instanceof Error ? clip(cause.message, 200) : 'no reason given');
    }
  };
}

/**
 * True when a client of the 2026 revision offers sampling and can be asked: over stdio, where the next round
 * reaches the waiting process. Over HTTP it may reach another gateway.
 */
export const offersRounds = ({ mcpReq, http }: ServerContext): boolean =>
  http === undefined && serverCapabilities(mcpReq.envelope)?.sampling !== undefined;

const serverCapabilities = (envelope: ServerContext['mcpReq']['envelope']): ClientCapabilities | undefined =>
  (envelope as Record<string, unknown> | undefined)?.[CLIENT_CAPABILITIES_META_KEY] as
    | ClientCapabilities
    | undefined;

/** One round of a call of a 2026 client: the tool's result, or a question to the client. */
export async function answerInRounds(
  run: (ask: Ask, signal: AbortSignal) => Promise<CallResult>,
  { mcpReq }: ServerContext,
  calls: SuspendedCalls,
): Promise<unknown> {
  const name: unknown = mcpReq.requestState();
  const round =
    typeof name === 'string'
      ? await calls.resume(name, repliesOf(mcpReq.inputResponses), mcpReq.signal)
      : await calls.begin(({ ask, signal }) => run(ask, signal), mcpReq.signal);
  if (round === undefined)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Invalid or expired requestState');
  if ('result' in round) return round.result;
  const questions = [...round.questions].map(([id, request]) => [
    id,
    inputRequired.createMessage(paramsOf(request)),
  ]);
  return inputRequired({
    inputRequests: Object.fromEntries(questions) as InputRequests,
    requestState: round.name,
  });
}

function repliesOf(responses: Record<string, unknown> | undefined): Map<string, Reply> {
  const ids = Object.keys(responses ?? {});
  return new Map(
    ids.map((id): [string, Reply] => {
      const reply = inputResponse(responses, id);
      return reply.kind === 'sampling'
        ? [id, { answer: answerOf(reply.result) }]
        : [id, { failed: refused('it sent something else') }];
    }),
  );
}

const paramsOf = ({ system, prompt, tokensMax }: SamplingRequest): CreateMessageRequestParams => ({
  messages: [{ role: 'user', content: { type: 'text', text: prompt } }],
  systemPrompt: system,
  maxTokens: tokensMax,
});

function answerOf(value: unknown): SamplingAnswer {
  const { content, stopReason } = value as { content?: unknown; stopReason?: string };
  return { text: textOf(content), isCut: stopReason === 'maxTokens' };
}

/** The text of one or several content blocks. */
function textOf(content: unknown): string {
  const blocks: unknown[] = Array.isArray(content) ? content : [content];
  const texts = blocks.flatMap((block) => {
    const text = (block as { text?: unknown } | undefined)?.text;
    return typeof text === 'string' ? [text] : [];
  });
  return texts.join('\n').slice(0, LIMITS.modelAnswerCharsMax);
}
