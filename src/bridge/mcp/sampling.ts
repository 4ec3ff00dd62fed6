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
import type { Confirmation, SamplingAnswer, SamplingRequest } from '../../core/call.ts';
import { LIMITS } from '../../core/limits.ts';
import { clip } from '../../core/text.ts';
import { offersForms, sessionOf } from './http-session.ts';
import {
  refused,
  type ClientQuestion,
  type Reply,
  type SuspendedCall,
  type SuspendedCalls,
} from './suspended-calls.ts';
import type { CallResult, ToolContext } from '../tool.ts';

type Ask = NonNullable<ToolContext['requestSampling']>;
type Confirm = NonNullable<ToolContext['requestConfirmation']>;

/** What a client can be asked during a call. */
export interface ClientAsks {
  ask?: Ask | undefined;
  confirm?: Confirm | undefined;
}

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

/** Asks the person at a 2025 client during its call, if the client supports it; undefined otherwise. */
export function confirmationOf(
  server: Pick<Server, 'getClientCapabilities'>,
  { mcpReq, http }: ServerContext,
): Confirm | undefined {
  const offers =
    http?.req === undefined
      ? offersForms(server.getClientCapabilities()?.elicitation)
      : sessionOf(http.req)?.offersElicitation === true;
  if (!offers || mcpReq.envelope !== undefined) return undefined;
  return async (question) => {
    try {
      const answer: unknown = await mcpReq.send(
        { method: 'elicitation/create', params: formOf(question) },
        { timeout: LIMITS.samplingTimeoutMs, signal: mcpReq.signal },
      );
      return confirmationIn(answer);
    } catch {
      return 'none';
    }
  };
}

/** A form with one box: to accept it without ticking the box is no yes. */
const formOf = (question: string) => ({
  message: question,
  requestedSchema: {
    type: 'object' as const,
    properties: { approve: { type: 'boolean' as const, title: 'Read this address, once' } },
    required: ['approve'],
  },
});

function confirmationIn(value: unknown): Confirmation {
  const { action, content } = (value ?? {}) as { action?: unknown; content?: { approve?: unknown } };
  if (action === 'accept') return content?.approve === true ? 'accepted' : 'declined';
  return action === 'decline' ? 'declined' : 'none';
}

/**
 * True when a client of the 2026 revision offers sampling and can be asked: over stdio, where the next round
 * reaches the waiting process. Over HTTP it may reach another gateway.
 */
export const offersRounds = ({ mcpReq, http }: ServerContext): boolean =>
  http === undefined && Object.values(offersIn(mcpReq.envelope)).some(Boolean);

function offersIn(envelope: ServerContext['mcpReq']['envelope']): { ask: boolean; confirm: boolean } {
  const { sampling, elicitation } = serverCapabilities(envelope) ?? {};
  return { ask: sampling !== undefined, confirm: offersForms(elicitation) };
}

const serverCapabilities = (envelope: ServerContext['mcpReq']['envelope']): ClientCapabilities | undefined =>
  (envelope as Record<string, unknown> | undefined)?.[CLIENT_CAPABILITIES_META_KEY] as
    | ClientCapabilities
    | undefined;

/** One round of a call of a 2026 client: the tool's result, or a question to the client. */
export async function answerInRounds(
  run: (asks: ClientAsks, signal: AbortSignal) => Promise<CallResult>,
  { mcpReq }: ServerContext,
  calls: SuspendedCalls,
): Promise<unknown> {
  const name: unknown = mcpReq.requestState();
  const offers = offersIn(mcpReq.envelope);
  const start = ({ ask, confirm, signal }: SuspendedCall) =>
    run({ ask: offers.ask ? ask : undefined, confirm: offers.confirm ? confirm : undefined }, signal);
  const round =
    typeof name === 'string'
      ? await calls.resume(name, repliesOf(mcpReq.inputResponses), mcpReq.signal)
      : await calls.begin(start, mcpReq.signal);
  if (round === undefined)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Invalid or expired requestState');
  if ('result' in round) return round.result;
  const questions = [...round.questions].map(([id, request]) => [id, questionOf(request)]);
  return inputRequired({
    inputRequests: Object.fromEntries(questions) as InputRequests,
    requestState: round.name,
  });
}

const questionOf = (question: ClientQuestion) =>
  'confirm' in question
    ? inputRequired.elicit(formOf(question.confirm))
    : inputRequired.createMessage(paramsOf(question));

function repliesOf(responses: Record<string, unknown> | undefined): Map<string, Reply> {
  const ids = Object.keys(responses ?? {});
  return new Map(
    ids.map((id): [string, Reply] => {
      const reply = inputResponse(responses, id);
      if (reply.kind === 'elicit') return [id, { answer: { confirmation: confirmationIn(reply) } }];
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
