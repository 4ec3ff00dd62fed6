import type { Ctx } from '../../routing/services.ts';
import type { Call } from '../../core/call.ts';
import { HeadgateError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import type { Gate } from '../../core/gate.ts';
import { longest, parseRobots, type Robots } from '../../net/robots.ts';
import { joinUsage, parseReservations } from '../../net/usage.ts';
import type { Services } from '../services.ts';

const ROBOTS_BYTES_MAX = 512 * 1024;

/** The text of a robots.txt, or what stands for one that could not be read; only a site's own word `isFinal`. */
export interface RobotsFile {
  text: string;
  isFinal: boolean;
}

/** Reads each site's robots.txt once, unless `fileOf` knows it. */
export function createRobotsBook(ctx: Ctx<Services>, fileOf = fetchRobots): (url: URL) => Promise<Robots> {
  const known = new Map<string, Promise<Robots>>();
  return (url) => {
    const book = known.get(url.origin) ?? ask(url.origin, ctx, fileOf);
    known.set(url.origin, book);
    return book;
  };
}

/** Whether the rules respect, or report, what a site says about models; then it is looked up wherever sites say it. */
export const respectsSignals = ({ reading }: Gate): boolean =>
  reading?.signals?.value === 'refuse' || reading?.reported?.signals?.value === 'refuse';

async function ask(origin: string, ctx: Ctx<Services>, fileOf: typeof fetchRobots): Promise<Robots> {
  const { gate } = ctx.call;
  const { user_agent: agent } = ctx.services.config.network;
  const read = async () => parseRobots((await fileOf(origin, ctx)).text, agent);
  if (gate === undefined || !respectsSignals(gate)) return read();
  const [robots, reservations] = await Promise.all([read(), askReservations(origin, ctx)]);
  return {
    ...robots,
    usageOf: (path) =>
      joinUsage(robots.usageOf(path), ...longest(reservations, path).map(({ usage }) => usage)),
  };
}

const fetchText = async (address: string, { call, services }: Ctx<Services>): Promise<string> => {
  const page = await services.fetch(address, {
    signal: call.signal,
    caller: callerOf(call),
    gate: call.gate,
    types: 'any',
    bytesMax: ROBOTS_BYTES_MAX,
    timeoutMs: LIMITS.robotsMs,
  });
  return new TextDecoder().decode(page.bytes);
};

/** Without the file nothing is reserved. */
async function askReservations(
  origin: string,
  ctx: Ctx<Services>,
): Promise<ReturnType<typeof parseReservations>> {
  try {
    return parseReservations(await fetchText(`${origin}/.well-known/tdmrep.json`, ctx));
  } catch {
    ctx.call.signal.throwIfAborted();
    return [];
  }
}

const [ALLOW_ALL, DENY_ALL] = ['', 'User-agent: *\nDisallow: /'];

/** No file allows everything; an error forbids everything (RFC 9309). */
export async function fetchRobots(origin: string, ctx: Ctx<Services>): Promise<RobotsFile> {
  try {
    return { text: await fetchText(`${origin}/robots.txt`, ctx), isFinal: true };
  } catch (thrown) {
    ctx.call.signal.throwIfAborted();
    const error = HeadgateError.from(thrown);
    const status = Number(error.data['status']);
    if (error.code === 'page_status' && status >= 400 && status < 500)
      return { text: ALLOW_ALL, isFinal: true };
    // If robots.txt fails for other reasons than a status, reading the page reports that failure.
    return { text: error.code === 'page_status' ? DENY_ALL : ALLOW_ALL, isFinal: false };
  }
}

export const callerOf = (call: Call): string => call.caller.workspace ?? 'local';
