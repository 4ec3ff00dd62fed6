import { LIMITS } from '../../core/limits.ts';
import { own } from '../../core/own-text.ts';
import { createCall, identified } from '../../operations/perform.ts';
import type { Services } from '../../operations/services.ts';
import type { Ctx } from '../../routing/services.ts';
import { createAudit } from './audit.ts';
import type { SessionRegistry } from './registry.ts';
import type { LeftSession } from './session-store.ts';
import type { SessionRecord } from './session.ts';

/** Sessions that are taken over at a look, so that several gateways share what one has left. */
const TAKEN_MAX = 4;

/** Goes on with sessions that other gateways left, as many as this one may run, until the signal fires. */
export async function takeOverUntil(
  signal: AbortSignal,
  { store, running, wire, clock }: SessionRegistry,
  services: Services,
  launch: (left: LeftSession, ctx: Ctx<Services>) => Promise<void>,
): Promise<void> {
  const { log } = services;
  const goOn = async (left: LeftSession): Promise<void> => {
    const { record, lease, caller, deaths } = left;
    log.warn('research_taken_over', { research: record.id, deaths });
    const end = endOf(left);
    if (end !== undefined) {
      await lease.save({ ...record, ...end, updatedAt: clock.now() });
      return lease.release(false);
    }
    // Who watches it is told only once what happened before.
    const audit = createAudit(record, lease, services);
    if (record.status === 'running') audit.note({ type: 'done', session: wire({ record, isHeld: false }) });
    await audit.flushed();
    const call = createCall(services, { caller, surface: 'http' });
    call.end();
    const named = { name: 'research', input: record.input };
    await identified(named, { call, services }, (_named, ctx) => launch(left, ctx));
  };
  while (!signal.aborted) {
    try {
      const free = Math.min(TAKEN_MAX, LIMITS.researchRunningMax - running.size);
      const taken = free > 0 ? await store.takeOver?.(free) : [];
      await Promise.all((taken ?? []).map(goOn));
    } catch (thrown) {
      log.warn('research_not_taken_over', { cause: thrown });
    }
    await clock.sleep(LIMITS.researchBeatMs, signal).catch(() => undefined);
  }
}

type End = Pick<SessionRecord, 'status' | 'error'> & { errorCode: string | null };

/** How a session ends that nobody goes on with. */
function endOf({ deaths, isCancelled, isAllowed }: LeftSession): End | undefined {
  if (isCancelled) return { status: 'cancelled', error: null, errorCode: null };
  if (!isAllowed)
    return {
      status: 'failed',
      error: own`The key that started the research is no longer valid.`,
      errorCode: 'unauthenticated',
    };
  if (deaths > LIMITS.researchTakeoversMax)
    return {
      status: 'failed',
      error: own`${deaths} gateways died while they ran this research, so it is not continued.`,
      errorCode: 'internal',
    };
  return undefined;
}
