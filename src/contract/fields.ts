import { z } from 'zod';
import { countryCode } from '../core/countries.ts';
import { LIMITS } from '../core/limits.ts';
import { OUTCOMES } from '../core/outcome.ts';
import { asOfTime } from '../core/scope.ts';

/** An integer in a range; `"5"` is accepted for 5, a boolean is not. */
export const integer = (min: number, max: number) =>
  z.preprocess(
    (value) => (typeof value === 'string' && /^\s*[+-]?\d+\s*$/.test(value) ? Number(value) : value),
    z.int({ error: notWhole }).min(min).max(max),
  );

/** A number in a range; a numeric string is accepted. */
export const number = (min: number, max: number) =>
  z.preprocess(
    (value) => (typeof value === 'string' && /^\s*\d+(\.\d+)?\s*$/.test(value) ? Number(value) : value),
    z.number().min(min).max(max),
  );

/** A boolean; `"true"` and `"false"` are accepted in any case, 0 and 1 are not. */
export const flag = () =>
  z.preprocess((value) => {
    const text = typeof value === 'string' ? value.trim().toLowerCase() : value;
    return text === 'true' ? true : text === 'false' ? false : value;
  }, z.boolean());

/** One of several words. Case is ignored, and `_` equals `-`. */
export const word = <const Words extends readonly [string, ...string[]]>(words: Words) =>
  z.preprocess((value) => {
    if (typeof value !== 'string') return value;
    const asked = value.trim().toLowerCase().replaceAll('_', '-');
    return words.find((known) => known.toLowerCase().replaceAll('_', '-') === asked) ?? value;
  }, z.enum(words));

/** A list of strings. A single string becomes a list of one; null is treated as absent. */
export const strings = (max: number) =>
  z.preprocess(
    (value) => (typeof value === 'string' ? [value] : value),
    z.array(z.string().trim().min(1)).max(max),
  );

/**
 * A search query: not blank, bounded, no control characters. Limits are reported on violation and kept out of
 * the JSON Schema, which saves tokens.
 */
export const query = (max: number = LIMITS.queryCharsMax) =>
  z
    .string()
    .trim()
    .refine((text) => text !== '', { error: 'is blank. Say what to look for.', abort: true })
    .refine((text) => text.length <= max, { error: `at most ${max} characters. Shorten it.`, abort: true })
    .refine((text) => !/[\u0000-\u0008\u000E-\u001F\u007F]/.test(text), {
      error: 'contains control characters. Send plain text.',
    });

/**
 * A country as ISO code or English name. Unknown names are refused, because every provider would ignore them.
 */
export const country = () =>
  z
    .string()
    .trim()
    .refine((text) => text === '' || countryCode(text) !== undefined, {
      error: 'is not a country. Send an ISO 3166-1 code such as JP, or an English name.',
    });

export const isoDateField = () =>
  z.string().refine((text) => /^\d{4}-\d{2}-\d{2}$/.test(text) && isRealDate(text), {
    error: 'must be a date such as 2026-01-31.',
  });

/** Fields of every answer: outcome, attempts, warnings. */
export const account = {
  cost: z
    .object({
      credits: z.number().describe('Credits that were booked.'),
      charged: z.number().describe('Millionths of a dollar that were charged.'),
      free: z.boolean().describe('True when everything was within the free allowance or had no price.'),
      balance_after: z.number().optional().describe('Millionths of a dollar that are left.'),
      calls_left: z
        .number()
        .nullable()
        .optional()
        .describe('Free calls that are left; null without a limit.'),
      budget: z
        .object({
          level: z.string().describe('`workspace`, `agent`, `key` or `person`.'),
          subject: z.string(),
          unit: z.enum(['credits', 'money']),
          left: z.number().describe('Credits, or millionths of a dollar.'),
          amount: z.number(),
          renews_in: z.number().nullable().describe('Seconds until it renews.'),
        })
        .optional()
        .describe('The budget with the least left.'),
    })
    .optional()
    .describe('What was booked for this call; absent where nothing is metered.'),
  outcome: z.enum(OUTCOMES).describe('How the call went.'),
  attempts: z
    .array(
      z.object({
        provider: z.string(),
        key: z.string().optional(),
        ms: z.number(),
        outcome: z.enum(OUTCOMES),
        reason: z.string().optional(),
        why: z.string().optional(),
        replayed: z
          .enum(['canonical', 'frozen'])
          .optional()
          .describe(
            'In a replay: the answer was recorded for the same question in other words or order, or was found by searching the snapshot.',
          ),
      }),
    )
    .describe('Every request to a provider and its outcome.'),
  warnings: z.array(z.string()).describe('What was changed, dropped or cut.'),
};

/** The day, or the moment, whose web a replay shows. */
export const asOf = z
  .string()
  .refine((text) => !Number.isNaN(asOfTime(text)), {
    error: 'must be a date such as 2026-01-31, or a time such as 2026-01-31T12:00:00Z.',
  })
  .optional()
  .describe(
    'In a replay: shows the web as it was recorded up to this date, and counts from it. Needs a snapshot.',
  );

const notWhole = (issue: { code?: string }): string | undefined =>
  issue.code === 'invalid_type' ? 'must be a whole number.' : undefined;

function isRealDate(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/** `auto`, one provider, or a chain of them. */
export const providerChoice = z
  .union([z.string().trim().min(1), z.array(z.string().trim().min(1)).min(1).max(8)])
  .describe('The provider: `auto`, one ID, or a list of IDs to try in order.');

/** How a call uses the cache of its gateway. */
export const cacheFields = {
  max_age: integer(0, 86_400)
    .optional()
    .describe('The age in seconds up to which a cached answer is used; 0 asks the providers again.'),
  no_store: flag().optional().describe('Whether the answer is left out of the cache.'),
};
