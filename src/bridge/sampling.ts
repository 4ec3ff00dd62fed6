import type { Server, ServerContext } from '@modelcontextprotocol/server';
import type { SamplingAnswer, SamplingRequest } from '../core/call.ts';
import { HeadgateError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import { clip } from '../core/text.ts';
import { sessionOf } from './http-session.ts';

/** Asks the model of the client that called, when that client offers it; undefined otherwise. Clients of the 2026 revision do not. */
export function samplingOf(
  server: Pick<Server, 'getClientCapabilities'>,
  { mcpReq, http }: ServerContext,
): ((request: SamplingRequest) => Promise<SamplingAnswer>) | undefined {
  const offers =
    http?.req === undefined
      ? server.getClientCapabilities()?.sampling !== undefined
      : sessionOf(http.req)?.offersSampling === true;
  if (!offers || mcpReq.envelope !== undefined) return undefined;
  return async ({ system, prompt, tokensMax }) => {
    try {
      const answer = (await mcpReq.send(
        {
          method: 'sampling/createMessage',
          params: {
            messages: [{ role: 'user', content: { type: 'text', text: prompt } }],
            systemPrompt: system,
            maxTokens: tokensMax,
          },
        },
        { timeout: LIMITS.samplingTimeoutMs, signal: mcpReq.signal },
      )) as { content?: unknown; stopReason?: string; model?: string };
      return { text: textOf(answer.content), isCut: answer.stopReason === 'maxTokens' };
    } catch (cause) {
      mcpReq.signal.throwIfAborted();
      const reason = cause instanceof Error ? clip(cause.message, 200) : 'no reason given';
      throw new HeadgateError('upstream_unavailable', `The client did not ask its model: ${reason}.`, {
        cause,
      });
    }
  };
}

/** The text of one content block or of several. */
function textOf(content: unknown): string {
  const blocks: unknown[] = Array.isArray(content) ? content : [content];
  const texts = blocks.flatMap((block) => {
    const text = (block as { text?: unknown } | undefined)?.text;
    return typeof text === 'string' ? [text] : [];
  });
  return texts.join('\n').slice(0, LIMITS.modelAnswerCharsMax);
}
