import type { Hono } from 'hono';
import { z } from 'zod';
import { integer } from '../../contract/fields.ts';
import { parseInput } from '../../contract/parse.ts';
import { HeadgateError } from '../../core/errors.ts';
import { roleIn } from '../../core/roles.ts';
import { createCall } from '../../operations/perform.ts';
import { openGate } from '../../policy/gate.ts';
import { requireRole } from '../admin/mount.ts';
import { errorResponse } from '../door/error-response.ts';
import type { GatewayContext } from '../door/context.ts';
import type { ConsoleAuth } from './auth.ts';

/** What is shown before and after a quote. */
const AROUND_CHARS = 1_500;

const passage = z.object({
  source: z.string().max(200),
  start: integer(0, Number.MAX_SAFE_INTEGER),
  end: integer(0, Number.MAX_SAFE_INTEGER),
  workspace: z.string().optional(),
});

/** A quote in the text of the page as it was captured, for who may read the research. */
export function mountResearchPassages(app: Hono, { services }: GatewayContext, auth: ConsoleAuth): void {
  app.get('/console/api/research/:id', async (context) => {
    try {
      const { admin } = await auth.require(context);
      const { source, start, end, workspace } = parseInput(passage, context.req.query());
      requireRole(roleIn(admin, workspace), 'member');
      const caller = { person: admin.name, ...(workspace === undefined ? {} : { workspace }) };
      const rules = await services.rulesFor(caller);
      const call = createCall(services, { caller, surface: 'console', signal: context.req.raw.signal });
      const gate = rules === undefined ? {} : { gate: openGate(rules, () => {}) };
      const texts = await services.research.sources(context.req.param('id'), { ...call, ...gate });
      const found = texts.find(({ id }) => id === source);
      if (found === undefined || end <= start || end > found.text.length)
        throw new HeadgateError('not_found', 'The research has no such passage.');
      const { text, url } = found;
      return context.json(
        {
          url,
          before: text.slice(Math.max(0, start - AROUND_CHARS), start),
          quote: text.slice(start, end),
          after: text.slice(end, end + AROUND_CHARS),
          isStart: start <= AROUND_CHARS,
          isEnd: end + AROUND_CHARS >= text.length,
        },
        200,
        { 'cache-control': 'no-store' },
      );
    } catch (thrown) {
      return errorResponse(thrown);
    }
  });
}
