import { HeadgateError } from '../core/errors.ts';
import { CHARGED_FIRST } from '../store/ledger/ledger.ts';
import type { Asked, Committed, Receipt, UnitOfWork } from '../core/unit-of-work.ts';
import type { Books, Hold, Work } from './books.ts';

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
  const { workspace, agent, key } = work.caller;
  const keepsAnswer = opened.kept !== null;
  const waits: Promise<unknown>[] = [];
  let pending: Pending[] = [];
  let running = 0;
  /** Why nothing more of the unit may be charged once it was committed, if there is a reason. */
  let committing: Promise<string | undefined> | undefined;
  let drained = () => {};

  /** Nothing of a unit is charged when it could not be committed: the caller got no answer and may try again. */
  const settleLate = async (hold: Hold, credits: unknown): Promise<unknown> => {
    const reason = await committing;
    return reason === undefined ? meter.settle(hold, credits) : meter.doubt(hold, reason);
  };

  const ask: UnitOfWork['ask'] = async (request) => {
    const hold = await meter.hold({ workspace, agent, key, ...request, asks: true });
    running += 1;
    const ended = (): void => {
      running -= 1;
      if (running === 0) drained();
    };
    let isEnded = false;
    /** The first end wins. */
    const once = (end: () => Promise<unknown>): Promise<unknown> => {
      if (isEnded) return Promise.resolve();
      isEnded = true;
      return end();
    };
    const asked: Asked = {
      heard: hold.metered && hold.isPriced ? meter.hearing.signal : undefined,
      release: () => once(() => meter.release(hold).finally(ended)),
      doubt: (reason) => once(() => meter.doubt(hold, reason).finally(ended)),
      answered: (credits) =>
        once(() => {
          // Credits reported after the unit was committed are settled separately.
          if (committing !== undefined) return settleLate(hold, credits).finally(ended);
          const written = new Promise<void>((booked, failed) => {
            pending.push({ hold, credits, booked, failed });
          });
          // The caller may not wait for it; avoid an unhandled rejection.
          written.catch(() => undefined);
          ended();
          return written;
        }),
    };
    return asked;
  };
  const book = async (answer: string | undefined, failed: boolean): Promise<Committed> => {
    const charges = pending;
    pending = [];
    const kept = opened.kept === null ? null : { ...opened.kept, answer: answer ?? null, failed };
    const commit = meter.commit({ id: opened.id, charges, kept });
    committing = commit.then(
      ({ replay }) => (replay === undefined ? undefined : CHARGED_FIRST),
      (thrown: unknown) => (HeadgateError.from(thrown).code === 'conflict' ? CHARGED_FIRST : NOT_WRITTEN),
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
    commit: async (answer) => {
      const committed = await book(answer, false);
      await Promise.all(waits);
      return committed;
    },
    fail: async () => {
      if (!keepsAnswer || running === 0) return (await book(undefined, true)).receipt;
      // The key stays reserved until every pending request has ended.
      const ended = new Promise<void>((resolve) => (drained = resolve));
      void meter.hearing.add(ended.then(() => book(undefined, true))).catch(() => undefined);
      return undefined;
    },
  };
}
