import type { Context, Hono } from 'hono';
import { z } from 'zod';
import type { CrawlJobOutput, CrawlResultLine } from '../contract/crawl.ts';
import { integer, word } from '../contract/fields.ts';
import { parseInput } from '../contract/parse.ts';
import type { Call } from '../core/call.ts';
import { CRAWL_JOB_LIMITS } from '../core/crawl-job.ts';
import { LIMITS } from '../core/limits.ts';
import { oneLine } from '../core/text.ts';
import { authorise } from '../operations/authorise.ts';
import { cancelJob, crawlJob, jobOf, listJobs, resultLines } from '../operations/crawl/crawl-job.ts';
import { createCall, perform } from '../operations/perform.ts';
import { writeRecord, type WarcRecord } from '../snapshot/warc.ts';
import type { GatewayContext } from './door/context.ts';
import { keyOf } from './door/credentials.ts';
import { errorResponse } from './door/error-response.ts';
import { lineStream } from './door/line-stream.ts';
import { openCall } from './door/open-call.ts';

/** Crawls in the background: `POST /crawls`, and what became of them, at any gateway of the store. */
export function mountCrawls(app: Hono, gateway: GatewayContext): void {
  const { services } = gateway;
  app.post('/crawls', async (context) => {
    const request = gateway.openRequests.begin(context);
    try {
      const { body, call } = await openCall(context, { timeoutMs: LIMITS.callTimeoutMs }, gateway, request);
      return context.json(await perform(crawlJob, body, { call, services }).finally(call.end));
    } catch (thrown) {
      return errorResponse(thrown);
    } finally {
      request.end();
    }
  });
  const look = (run: (call: Call, context: Context) => Promise<Response>) => async (context: Context) => {
    try {
      const { caller } = await gateway.identify(keyOf(context.req), gateway.addressOf(context));
      const call = createCall(services, { caller });
      return await run(authorise(crawlJob, call), context).finally(call.end);
    } catch (thrown) {
      return errorResponse(thrown);
    }
  };
  const idOf = (context: Context): string => context.req.param('id') ?? '';
  app.get(
    '/crawls',
    look(async (call, context) => context.json({ crawls: await listJobs(call, services) })),
  );
  app.get(
    '/crawls/:id',
    look(async (call, context) => context.json(await jobOf(idOf(context), call, services))),
  );
  app.delete(
    '/crawls/:id',
    look(async (call, context) => context.json(await cancelJob(idOf(context), call, services))),
  );
  app.get(
    '/crawls/:id/results',
    look(async (call, context) => {
      const { after, limit, format } = parseInput(resultQuery, context.req.query());
      const job = await jobOf(idOf(context), call, services);
      const lines = resultLines(job.crawl_id, { after, limit }, services);
      const isWarc = format === 'warc';
      return new Response(lineStream(isWarc ? warcOf(job, lines) : lines), {
        headers: {
          'content-type': isWarc ? 'application/warc' : 'application/x-ndjson',
          'cache-control': 'no-store',
          'x-headgate-crawl-state': job.state,
        },
      });
    }),
  );
}

const resultQuery = z.object({
  after: integer(0, Number.MAX_SAFE_INTEGER).default(0),
  limit: integer(1, CRAWL_JOB_LIMITS.pagesMax).optional(),
  format: word(['jsonl', 'warc']).default('jsonl'),
});

/** The results as a WARC file. The text of a page is a conversion of it, as in the WET files of Common Crawl. */
async function* warcOf(job: CrawlJobOutput, lines: AsyncGenerator<string>): AsyncGenerator<Uint8Array> {
  const begun = Date.parse(job.created_at);
  const recordOf = (record: WarcRecord): Buffer => Buffer.concat(writeRecord(record).pieces);
  const fields = (text: string): Buffer[] => [Buffer.from(`${text}\r\n`)];
  const about = { at: begun, contentType: 'application/warc-fields' };
  yield recordOf({
    ...about,
    type: 'warcinfo',
    block: fields(`software: headgate\r\nisPartOf: ${job.crawl_id}`),
  });
  for await (const line of lines) {
    const page = JSON.parse(line) as CrawlResultLine;
    const { position: nth, url: target, raw_content: text } = page;
    const at = page.read_at === undefined ? begun : Date.parse(page.read_at);
    if (text === undefined)
      yield recordOf({
        ...about,
        type: 'metadata',
        target,
        nth,
        block: fields(`skipped: ${oneLine(page.reason ?? '')}`),
      });
    else
      yield recordOf({
        type: 'conversion',
        target,
        nth,
        at,
        contentType: `text/${job.format === 'text' ? 'plain' : 'markdown'}; charset=utf-8`,
        block: [Buffer.from(text)],
        extra: { 'Headgate-Title': oneLine(page.title ?? '') },
      });
  }
}
