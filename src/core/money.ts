/** Money is an integer number of millionths of a US dollar; there are no fractions and no floats. */
export type Millionths = number;

/** What one Tavily credit costs. */
export const CREDIT_MILLIONTHS: Millionths = 8_000;

/** True for amounts that can be added and compared without losing a unit. */
export const isMillionths = (value: unknown): value is Millionths =>
  typeof value === 'number' && Number.isSafeInteger(value);

/** `$0.008` for 8,000: at least two and at most six decimals, exact. */
export function formatUsd(amount: Millionths): string {
  const sign = amount < 0 ? '-' : '';
  const whole = Math.trunc(Math.abs(amount) / 1_000_000);
  const fraction = String(Math.abs(amount) % 1_000_000).padStart(6, '0');
  return `${sign}$${whole}.${fraction.slice(0, 2)}${fraction.slice(2).replace(/0+$/, '')}`;
}
