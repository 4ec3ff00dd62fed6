import type { Asked, Committed, Receipt, UnitOfWork } from '../core/unit-of-work.ts';
import type { Books, Hold, Work } from './books.ts';

/** A unit that runs, or the answer of the one that ran before it under the same key. */
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

type Opened = Exclude<Awaited<ReturnType<Books['open']>>, { replay: string }>;

function createUnit(meter: Books, work: Work, opened: Opened): UnitOfWork {
  const { workspace, agent, key } = work.caller;
  const keepsAnswer = opened.kept !== null;
  const waits: Promise<unknown>[] = [];
  let pending: Pending[] = [];
  let running = 0;
  let isOver = false;
  let drained = () => {};

  const ask: UnitOfWork['ask'] = async (request) => {
    const hold = await meter.hold({ workspace, agent, key, ...request, asks: true });
    running += 1;
    const ended = (): void => {
      running -= 1;
      if (running === 0) drained();
    };
    let isEnded = false;
    /** Whoever ends it first decides. */
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
          // What is answered after the unit was booked is booked alone.
          if (isOver) return meter.settle(hold, credits).finally(ended);
          const written = new Promise<void>((booked, failed) => {
            pending.push({ hold, credits, booked, failed });
          });
          // Somebody waits for it, or nobody.
          written.catch(() => undefined);
          ended();
          return written;
        }),
    };
    return asked;
  };
  const book = async (answer: string | undefined, failed: boolean): Promise<Committed> => {
    isOver = true;
    const charges = pending;
    pending = [];
    try {
      const kept = opened.kept === null ? null : { ...opened.kept, answer: answer ?? null, failed };
      const committed = await meter.commit({ id: opened.id, charges, kept });
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
      // The key stays taken until everybody who was asked has ended.
      const ended = new Promise<void>((resolve) => (drained = resolve));
      void meter.hearing.add(ended.then(() => book(undefined, true))).catch(() => undefined);
      return undefined;
    },
  };
}
