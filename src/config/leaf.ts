import { z } from 'zod';
import { integer } from '../contract/fields.ts';

/**
 * Leaf types of the configuration. Environment variables are strings, so every leaf also accepts its string
 * form.
 */

export const textLeaf = () => z.string().trim().min(1);

/** A text that nobody may see: it is hidden in `headgate config`, in logs, traces and errors. */
export const secret = () => textLeaf().meta({ secret: true });

export const booleanLeaf = () =>
  z.preprocess((value) => {
    const word = typeof value === 'string' ? value.trim().toLowerCase() : value;
    if (word === 'true' || word === '1' || word === 'yes' || word === 'on') return true;
    if (word === 'false' || word === '0' || word === 'no' || word === 'off') return false;
    return value;
  }, z.boolean());

/** A list. A string is split at commas, including full-width and ideographic ones. */
export const list = () => z.preprocess(splitList, z.array(z.string().min(1)).max(1_000));

/** A list of secrets. */
export const secrets = () => list().meta({ secret: true });

/** A list of integers. */
export const integers = (min: number, max: number) =>
  z.preprocess(splitList, z.array(integer(min, max)).max(100));

function splitList(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  return value
    .split(/[,，、\n]/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** A ratio between 0 and 1. */
export const ratio = () =>
  z.preprocess(
    (value) => (typeof value === 'string' && value.trim() !== '' ? Number(value) : value),
    z.number().min(0).max(1),
  );
