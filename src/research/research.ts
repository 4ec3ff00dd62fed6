import type { Ctx } from '../routing/services.ts';
import type { OwnText } from '../core/text.ts';
import {
  researchContract,
  researchSessionContract,
  type ResearchInput,
  type ResearchOutput,
  type ResearchSessionInput,
  type ResearchSessionOutput,
} from '../contract/research.ts';
import { FAILURES, HeadgateError, type FailureCode } from '../core/errors.ts';
import { named, own } from '../core/own-text.ts';
import { LIMITS } from '../core/limits.ts';
import { defineOperation } from '../operations/operation.ts';
import { perform } from '../operations/perform.ts';
import type { Services } from '../operations/services.ts';
import type { ResearchEvent } from '../contract/research-event.ts';
import { progressOf } from './progress.ts';

/** Researches a question: waits for the report, or returns at once with `background`. */
export const research = defineOperation({
  contract: researchContract,
  scope: 'research',
  webTools: ['search', 'fetch'],
  run: runResearch,
});

/** Manages research that was started earlier. */
export const researchSession = defineOperation({
  contract: researchSessionContract,
  scope: 'research',
  webTools: ['search', 'fetch'],
  run: runSession,
});

async function runResearch(input: ResearchInput, ctx: Ctx<Services>): Promise<ResearchOutput> {
  const { call, services } = ctx;
  const { research: sessions, clock } = services;
  if (input.background === true)
    return { session: await sessions.start(input, ctx), report: null, warnings: [] };
  // A waiting caller gets the report so far when the call must end.
  const leftMs = call.deadline - clock.now() - LIMITS.researchWriteUpMs;
  const timeout = Math.max(1, Math.min(input.timeout, Math.floor(leftMs / 1_000)));
  const { research_id: id } = await sessions.start({ ...input, timeout }, ctx);
  return follow(id, ctx);
}

/** Research as a stream of events; ending the iteration cancels it. */
export async function* researchEvents(raw: unknown, ctx: Ctx<Services>): AsyncGenerator<ResearchEvent> {
  const { call, services } = ctx;
  const request = { ...(raw as Record<string, unknown>), background: true };
  const { session } = await perform(research, request, ctx);
  let isDone = false;
  try {
    for await (const event of services.research.watch(session.research_id, call)) {
      isDone = event.type === 'done';
      yield event;
    }
  } finally {
    if (!isDone) await services.research.cancel(session.research_id, call);
  }
}

/** Follows a session to its end; when the caller disconnects, the session is cancelled. */
export async function follow(id: string, { call, services }: Ctx<Services>): Promise<ResearchOutput> {
  const { research: sessions } = services;
  const warnings: OwnText[] = [];
  const hear = (event: ResearchEvent): void => {
    if (event.type === 'warning') warnings.push(event.message);
    const progress = progressOf(event);
    if (progress !== undefined) call.progress?.({ ...progress, event });
  };
  try {
    for await (const event of sessions.watch(id, call)) hear(event);
  } catch (thrown) {
    await sessions.cancel(id, call);
    throw thrown;
  }
  const session = await sessions.status(id, call);
  if (session.status === 'failed')
    throw new HeadgateError(
      isFailureCode(session.failure_code) ? session.failure_code : 'upstream_unavailable',
      own`The research failed: ${session.failure_error ?? ''}`,
      {
        remediation: own`Resume ${named(id)} to try the failed steps again.`,
        data: { research_id: id },
      },
    );
  return { session, report: await sessions.report(id, call), warnings };
}

const isFailureCode = (code: string | null): code is FailureCode =>
  code !== null && Object.hasOwn(FAILURES, code);

async function runSession(input: ResearchSessionInput, ctx: Ctx<Services>): Promise<ResearchSessionOutput> {
  const { call, services } = ctx;
  const { research: sessions } = services;
  const { action, cursor, limit } = input;
  if (action === 'list') return { action, ...(await sessions.list({ cursor, limit }, call)) };
  const id = input.research_id;
  if (id === undefined || id === '')
    throw new HeadgateError(
      'invalid_request',
      'research_id: is missing. Send the id that the start returned.',
    );
  switch (action) {
    case 'status':
      return { action, session: await sessions.status(id, call, { counts: true }) };
    case 'report':
      return { action, session: await sessions.status(id, call), report: await sessions.report(id, call) };
    case 'resume': {
      const { max_iterations, timeout } = input;
      const changes = {
        ...(max_iterations === undefined ? {} : { max_iterations }),
        ...(timeout === undefined ? {} : { timeout }),
      };
      return { action, session: await sessions.resume(id, changes, ctx) };
    }
    case 'cancel':
      return { action, session: await sessions.cancel(id, call) };
    case 'delete':
      await sessions.delete(id, call);
      return { action };
  }
}
