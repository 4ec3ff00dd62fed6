import type { Millionths } from '../core/money.ts';
import type { EndedRow, HoldState } from '../store/ledger/types.ts';

/** How a hold ended. */
export interface Settlement {
  credits: number;
  charged: Millionths;
  /** The balance after it; absent when nothing was written. */
  balance?: Millionths;
  /** Whether the hold had already expired. */
  late: boolean;
  /** The provider did not report its usage; the estimate was charged. */
  assumed: boolean;
  /** Whether it had been ended before; this is the earlier result. */
  already: boolean;
  state: HoldState;
}

export const settlementOf = (row: EndedRow, balance: Millionths): Settlement => ({
  credits: row.credits ?? 0,
  charged: row.charged,
  balance,
  late: row.late === 1,
  assumed: row.assumed === 1,
  already: row.already,
  state: row.state,
});

/** The settlement of a free, unlimited call: nothing was written. */
export const unwritten = (credits: number): Settlement => ({
  credits,
  charged: 0,
  late: false,
  assumed: false,
  already: false,
  state: 'settled',
});
