import type { Ctx } from '../../routing/services.ts';
import type { Call } from '../../core/call.ts';
import { HeadgateError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import { ALLOW_ALL, DENY_ALL, parseRobots, type Robots } from '../../net/robots.ts';
import type { Services } from '../services.ts';

const ROBOTS_BYTES_MAX = 512 * 1024;

/** Reads each site's robots.txt once. No file allows everything; an error forbids everything (RFC 9309). */
export function createRobotsBook(ctx: Ctx<Services>): (url: URL) => Promise<Robots> {
  const known = new Map<string, Promise<Robots>>();
  return (url) => {
    const book = known.get(url.origin) ?? ask(url.origin, ctx);
    known.set(url.origin, book);
    return book;
  };
}

async function ask(origin: string, { call, services }: Ctx<Services>): Promise<Robots> {
  try {
    const page = await services.fetch(`${origin}/robots.txt`, {
      signal: call.signal,
      caller: callerOf(call),
      gate: call.gate,
      types: 'any',
      bytesMax: ROBOTS_BYTES_MAX,
      timeoutMs: LIMITS.robotsMs,
    });
    return parseRobots(new TextDecoder().decode(page.bytes), services.config.network.user_agent);
  } catch (thrown) {
    call.signal.throwIfAborted();
    const error = HeadgateError.from(thrown);
    const status = Number(error.data['status']);
    if (error.code === 'page_status' && status >= 400 && status < 500) return ALLOW_ALL;
    // If robots.txt fails for other reasons than a status, reading the page reports that failure.
    return error.code === 'page_status' ? DENY_ALL : ALLOW_ALL;
  }
}

export const callerOf = (call: Call): string => call.caller.workspace ?? 'local';
