import type { Millionths } from '../core/money.ts';
import type { EndedRow, HoldState } from '../store/ledger/types.ts';

/** How a hold ended. */
export interface Settlement {
  credits: number;
  charged: Millionths;
  /** The balance after it; absent when nothing was written. */
  balance?: Millionths;
  /** The hold had expired before. */
  late: boolean;
  /** The provider did not say what it used; the estimate was kept. */
  assumed: boolean;
  /** It had been ended before; this is what happened then. */
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

/** The end of a call that is free of limits and money: nothing was written. */
export const unwritten = (credits: number): Settlement => ({
  credits,
  charged: 0,
  late: false,
  assumed: false,
  already: false,
  state: 'settled',
});
