import type { Context, Hono } from 'hono';
import { HeadgateError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import { errorResponse } from '../door/error-response.ts';
import type { GatewayContext } from '../door/context.ts';
import type { ConsoleAuth } from './auth.ts';

const LOOK_MS = 1_000;
const LOOKS_PER_PING = Math.round(LIMITS.streamPingMs / LOOK_MS);
const LOOKS_PER_TURN = 3;
const PAGES_MAX = 200;

interface OpenPage {
  tell(event: string): void;
  close(): void;
  /** Throws when its session has ended. */
  check(): Promise<unknown>;
  seesAll: boolean;
}

/**
 * Server-sent events for open pages: the number of the newest call whenever it changes, and a comment every few
 * seconds, so that a page notices when the gateway is gone. The store is asked once a second for all pages.
 */
export function mountLive(app: Hono, gateway: GatewayContext, auth: ConsoleAuth): void {
  const pages = new Set<OpenPage>();
  let timer: NodeJS.Timeout | undefined;
  let seq = -1;
  let looks = 0;
  const look = async (): Promise<void> => {
    if (gateway.openRequests.isDraining) return pages.forEach((page) => page.close());
    looks += 1;
    const latest = await gateway.store.calls.latest();
    if (latest !== seq && seq !== -1) for (const page of pages) if (page.seesAll) page.tell(dataOf(latest));
    seq = latest;
    // People of one workspace do not learn when others call, so they are told at a steady pace.
    if (looks % LOOKS_PER_TURN === 0) for (const page of pages) if (!page.seesAll) page.tell('data: {}\n\n');
    if (looks % LOOKS_PER_PING === 0)
      for (const page of pages)
        await page.check().then(
          () => page.tell(': still here\n\n'),
          () => page.close(),
        );
  };
  const watch = (): void => {
    timer ??= setInterval(() => void look().catch(() => pages.forEach((page) => page.close())), LOOK_MS);
    timer.unref();
  };
  const forget = (page: OpenPage): void => {
    pages.delete(page);
    if (pages.size > 0) return;
    clearInterval(timer);
    timer = undefined;
    seq = -1;
  };
  app.get('/console/api/live', async (context: Context) => {
    try {
      const { admin } = await auth.require(context);
      if (pages.size >= PAGES_MAX)
        throw new HeadgateError('rate_limited', 'Too many pages of the console are open.');
      const encoder = new TextEncoder();
      let page: OpenPage;
      const body = new ReadableStream<Uint8Array>({
        start: (stream) => {
          page = {
            tell: (text) => stream.enqueue(encoder.encode(text)),
            close: () => {
              forget(page);
              stream.close();
            },
            check: () => auth.require(context),
            seesAll: admin.role !== null,
          };
          pages.add(page);
          page.tell(': open\n\n');
          watch();
        },
        cancel: () => forget(page),
      });
      return new Response(body, {
        headers: {
          'content-type': 'text/event-stream',
          'cache-control': 'no-store',
          'x-accel-buffering': 'no',
        },
      });
    } catch (thrown) {
      return errorResponse(thrown);
    }
  });
}

const dataOf = (seq: number): string => `data: ${JSON.stringify({ seq })}\n\n`;
