import type { ResearchReport } from '../../contract/research.ts';
import { HeadgateError } from '../../core/errors.ts';
import { redact } from '../../core/log.ts';
import { LIMITS } from '../../core/limits.ts';
import type { ResearchEvent } from '../../contract/research-event.ts';
import type { Body } from '../door/request-body.ts';
import { sourcesOf } from './research.ts';

/** A research stream in Tavily's format: progress as tool calls, the report in chunks, then its sources. */
export interface ResearchStream {
  id: string;
  model: string;
  /** Seconds since 1970. */
  created: number;
  events: AsyncIterable<ResearchEvent>;
  report(): Promise<ResearchReport>;
  /** Called when the client disconnects or something fails. */
  abandon(): Promise<void>;
}

const PIECE_CHARS = 500;
const TOOLS: Partial<Record<string, string>> = { planning: 'Planning', synthesis: 'Generating' };

/**
 * The bytes of `text/event-stream`. The end is `event: done` without a blank line, as in the real service.
 */
export function researchStream(stream: ResearchStream): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const frames = framesOf(stream);
  let ping: NodeJS.Timeout | undefined;
  return new ReadableStream({
    start: (controller) => {
      // Proxies close idle connections.
      ping = setInterval(() => controller.enqueue(encoder.encode(': ping\n\n')), LIMITS.streamPingMs);
    },
    pull: async (controller) => {
      const next = await frames.next();
      if (next.done !== true) {
        controller.enqueue(encoder.encode(next.value));
        return;
      }
      clearInterval(ping);
      controller.close();
    },
    cancel: async () => {
      clearInterval(ping);
      await stream.abandon();
    },
  });
}

async function* framesOf(stream: ResearchStream): AsyncGenerator<string> {
  const frame = (delta: Body): string => {
    const { id, model, created } = stream;
    const data = { id, object: 'chat.completion.chunk', model, created, choices: [{ delta }] };
    return `event: chat.completion.chunk\ndata: ${JSON.stringify(data)}\n\n`;
  };
  try {
    for await (const event of stream.events) {
      const delta = deltaOf(event);
      if (delta !== undefined) yield frame({ role: 'assistant', ...delta });
    }
    const report = await stream.report();
    for (let start = 0; start < report.markdown.length; start += PIECE_CHARS) {
      yield frame({ role: 'assistant', content: report.markdown.slice(start, start + PIECE_CHARS) });
    }
    yield frame({ role: 'assistant', sources: sourcesOf(report) });
    yield 'event: done';
  } catch (thrown) {
    await stream.abandon();
    yield `event: error\ndata: ${JSON.stringify({ error: redact(HeadgateError.from(thrown).explanation) })}\n\n`;
  }
}

/** Converts an event to Tavily's format; most have no counterpart. */
function deltaOf(event: ResearchEvent): Body | undefined {
  const id = `call_${event.sequence}`;
  if (event.type === 'phase') {
    const name = TOOLS[event.phase];
    return name === undefined ? undefined : call({ name, id, arguments: `${name} (${event.iteration})` });
  }
  if (event.type === 'plan') {
    return call({ name: 'WebSearch', id, arguments: 'Searching', queries: event.queries });
  }
  if (event.type === 'search') {
    const response = { name: 'WebSearch', id, arguments: event.query, sources: event.sources };
    return { tool_calls: { type: 'tool_response', tool_response: [response] } };
  }
  return undefined;
}

const call = (one: Body): Body => ({ tool_calls: { type: 'tool_call', tool_call: [one] } });
