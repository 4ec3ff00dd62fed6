/** An amount of money: an integer number of millionths of a US dollar. No fractions, no floats. */
export type Millionths = number;

/** The price of one Tavily credit. */
export const CREDIT_MILLIONTHS: Millionths = 8_000;

/** True for amounts that can be added and compared exactly. */
export const isMillionths = (value: unknown): value is Millionths =>
  typeof value === 'number' && Number.isSafeInteger(value);

/** Formats an amount: `$0.008` for 8,000. At least two and at most six decimals, always exact. */
export function formatUsd(amount: Millionths): string {
  const sign = amount < 0 ? '-' : '';
  const whole = Math.trunc(Math.abs(amount) / 1_000_000);
  const fraction = String(Math.abs(amount) % 1_000_000).padStart(6, '0');
  return `${sign}$${whole}.${fraction.slice(0, 2)}${fraction.slice(2).replace(/0+$/, '')}`;
}
