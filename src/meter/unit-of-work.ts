import type { CallRow } from '../core/call-row.ts';
import { HeadgateError } from '../core/errors.ts';
import { CHARGED_FIRST } from '../store/ledger/ledger.ts';
import type { Asked, Committed, Receipt, UnitOfWork } from '../core/unit-of-work.ts';
import type { Books, Hold, Work } from './books.ts';
import { answerNotKept } from './messages.ts';

/** A running unit, or the stored answer of an earlier one under the same key. */
export type Begun = { unit: UnitOfWork } | { replay: string; receipt: Receipt };

export async function beginUnitOfWork(meter: Books, work: Work): Promise<Begun> {
  const opened = await meter.open(work);
  return 'replay' in opened ? opened : { unit: createUnit(meter, work, opened) };
}

interface Pending {
  hold: Hold;
  credits: unknown;
  booked(): void;
  failed(thrown: unknown): void;
}

const NOT_WRITTEN = 'The provider answered, but the answer of the call could not be written.';

type Opened = Exclude<Awaited<ReturnType<Books['open']>>, { replay: string }>;

function createUnit(meter: Books, work: Work, opened: Opened): UnitOfWork {
  const { workspace, agent, key, person } = work.caller;
  const keepsAnswer = opened.kept !== null;
  const waits: Promise<unknown>[] = [];
  let pending: Pending[] = [];
  let running = 0;
  /** Why nothing more of the unit may be charged once it was committed, if there is a reason. */
  let committing: Promise<HeadgateError | undefined> | undefined;
  let drained = () => {};
  const late = createLateRow(meter);

  /** Nothing of a unit is charged or delivered when it could not be committed: its caller may try again. */
  const settleLate = async (hold: Hold, credits: unknown): Promise<unknown> => {
    const failure = await committing;
    if (failure === undefined) return meter.settle(hold, credits, late.take());
    await meter.doubt(hold, failure.code === 'conflict' ? CHARGED_FIRST : NOT_WRITTEN);
    throw failure;
  };

  const ask: UnitOfWork['ask'] = async (request) => {
    const hold = await meter.hold({ workspace, agent, key, person, ...request, asks: true });
    running += 1;
    const ended = (): void => {
      if ((running -= 1) > 0) return;
      drained();
      late.end();
    };
    const once = createOnce();
    const asked: Asked = {
      heard: hold.metered && hold.isPriced ? meter.hearing.signal : undefined,
      release: () => once(() => meter.release(hold).finally(ended)),
      doubt: (reason) => once(() => meter.doubt(hold, reason).finally(ended)),
      answered: (credits) =>
        once(() => {
          // Credits reported after the unit was committed are settled separately.
          if (committing !== undefined) return settleLate(hold, credits).finally(ended);
          ended();
          return addTo(pending, hold, credits);
        }),
    };
    return asked;
  };
  const book = async (answer: string | undefined, failed: boolean, call?: CallRow): Promise<Committed> => {
    const charges = pending;
    pending = [];
    const kept = opened.kept === null ? null : { ...opened.kept, answer: answer ?? null, failed };
    const commit = meter.commit({ id: opened.id, charges, kept, call });
    committing = commit.then(
      ({ replay }) => (replay === undefined ? undefined : answerNotKept()),
      (thrown: unknown) => HeadgateError.from(thrown),
    );
    try {
      const committed = await commit;
      for (const { booked } of charges) booked();
      return committed;
    } catch (thrown) {
      for (const { failed: fail } of charges) fail(thrown);
      throw thrown;
    }
  };
  return {
    keepsAnswer,
    ask,
    waitFor: (written) => {
      written.catch(() => undefined);
      waits.push(written);
    },
    commit: async (answer, call) => {
      const committed = await book(answer, false, call);
      await Promise.all(waits);
      return committed;
    },
    fail: async (call) => {
      const owes = pending.length > 0;
      if (!keepsAnswer || running === 0) {
        const isLate = running > 0 && !owes;
        if (isLate) late.keep(call);
        return receiptOf(book(undefined, true, isLate ? undefined : call), owes);
      }
      // The key stays reserved until every pending request has ended.
      const ended = new Promise<void>((resolve) => (drained = resolve));
      void meter.hearing.add(ended.then(() => book(undefined, true, call))).catch(() => undefined);
      return undefined;
    },
  };
}

/** Adds an answered request that is charged with the unit; resolves when it is written. */
function addTo(pending: Pending[], hold: Hold, credits: unknown): Promise<void> {
  const written = new Promise<void>((booked, failed) => {
    pending.push({ hold, credits, booked, failed });
  });
  // The caller may not wait for it; avoid an unhandled rejection.
  written.catch(() => undefined);
  return written;
}

/**
 * The row of a call that failed, or whose caller left, while a provider is still heard. It is logged with what
 * that provider charges, so that there is no charge without a row; or else when nobody is heard any more.
 */
function createLateRow(meter: Books) {
  let row: CallRow | undefined;
  const take = (): CallRow | undefined => {
    const taken = row;
    row = undefined;
    return taken;
  };
  return {
    keep: (call: CallRow | undefined): void => void (row = call),
    take,
    end: (): void => {
      const left = take();
      if (left !== undefined) meter.calls?.note(left);
    },
  };
}

/** What a failed unit cost. Where nothing is owed, nothing is lost; otherwise nobody knows whether it was charged. */
const receiptOf = (booked: Promise<Committed>, owes: boolean): Promise<Receipt | undefined> =>
  booked.then(
    ({ receipt }) => receipt,
    (thrown: unknown) => (owes ? Promise.reject(HeadgateError.from(thrown)) : undefined),
  );

/** The first end wins; the others do nothing. */
function createOnce(): (end: () => Promise<unknown>) => Promise<unknown> {
  let isEnded = false;
  return (end) => {
    if (isEnded) return Promise.resolve();
    isEnded = true;
    return end();
  };
}
