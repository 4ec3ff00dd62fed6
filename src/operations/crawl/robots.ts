import type { Call } from '../../core/call.ts';
import { HeadgateError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import { ALLOW_ALL, DENY_ALL, parseRobots, type Robots } from '../../net/robots.ts';
import type { Services } from '../services.ts';

const ROBOTS_BYTES_MAX = 512 * 1024;

/** Asks each site for its rules once. A site without rules allows; one that cannot answer is left alone (RFC 9309). */
export function createRobotsBook(call: Call, services: Services): (url: URL) => Promise<Robots> {
  const known = new Map<string, Promise<Robots>>();
  return (url) => {
    const book = known.get(url.origin) ?? ask(url.origin, call, services);
    known.set(url.origin, book);
    return book;
  };
}

async function ask(origin: string, call: Call, services: Services): Promise<Robots> {
  try {
    const page = await services.fetch(`${origin}/robots.txt`, {
      signal: call.signal,
      caller: callerOf(call),
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
    // Where robots.txt cannot be had for another reason than the site's refusal, the page itself will fail in words.
    return error.code === 'page_status' ? DENY_ALL : ALLOW_ALL;
  }
}

export const callerOf = (call: Call): string => call.caller.workspace ?? 'local';
