import { createHmac, randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { asOfTime, currentScope, inScope, type EnterScope } from '../core/scope.ts';

/** What a recording says of itself, beside its exchanges. */
export interface Recording {
  /** The key of all ids. No page knows it when it is recorded. */
  salt: string;
  /** How many keys each provider had that was set up. */
  providers: Record<string, number>;
}

const FILE = 'recording.json';
const SALT = /^[0-9a-f]{64}$/;

/** The recording that the processes of a run share: the first of them begins it. */
export function shareRecording(spool: string, recording: Recording): Recording {
  const path = join(spool, FILE);
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  writeFileSync(draft, JSON.stringify(recording), { mode: 0o600 });
  try {
    linkSync(draft, path);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown;
  } finally {
    rmSync(draft);
  }
  return readRecording(spool) ?? recording;
}

export function readRecording(spool: string): Recording | undefined {
  try {
    return toRecording(JSON.parse(readFileSync(join(spool, FILE), 'utf8')));
  } catch {
    return undefined;
  }
}

/** Checked, because a snapshot may come from anybody. */
export function toRecording(value: unknown): Recording | undefined {
  const { salt, providers } = (value ?? {}) as Partial<Record<keyof Recording, unknown>>;
  if (typeof salt !== 'string' || !SALT.test(salt)) return undefined;
  const counted = Object.entries(typeof providers === 'object' && providers !== null ? providers : {});
  return {
    salt,
    providers: Object.fromEntries(
      counted
        .filter(([, keys]) => Number.isInteger(keys) && keys >= 0)
        .map(([id, keys]) => [id, Math.min(keys as number, KEYS_MAX)]),
    ),
  };
}

const KEYS_MAX = 100;

/** The salt of a recording whose ids a test wants to know, or one that nobody knows. */
export const saltOf = (seed: string | undefined): string =>
  seed === undefined
    ? randomBytes(32).toString('hex')
    : createHmac('sha256', 'headgate recording').update(seed).digest('hex');

/** How many different requests are counted. */
const COUNTED_MAX = 100_000;

/** Gives every call its scope, and its time by `timeOf`. With `isBound`, no call sees anything later than `asOfDefault`. */
export function createScopes(
  salt: string,
  timeOf: (id: string) => number,
  { asOfDefault = '', isBound = false }: { asOfDefault?: string | undefined; isBound?: boolean } = {},
): EnterScope {
  const made = new Map<string, number>();
  const asOfMax = isBound ? asOfTime(asOfDefault) : NaN;
  const isLimited = !Number.isNaN(asOfMax);
  const hash = (...parts: unknown[]): string =>
    createHmac('sha256', salt).update(JSON.stringify(parts)).digest('hex');
  return (name, input, work) => {
    if (currentScope() !== undefined) return work();
    const request = hash(name, input);
    const repetition = made.get(request) ?? 0;
    if (made.size >= COUNTED_MAX) made.clear();
    made.set(request, repetition + 1);
    const id = hash('call', request, repetition).slice(0, 32);
    const named = asOfTime(asOfIn(input) ?? asOfDefault);
    const asOf = isLimited ? Math.min(Number.isNaN(named) ? asOfMax : named, asOfMax) : named;
    const isPast = !Number.isNaN(asOf);
    return inScope(
      {
        id,
        repetition,
        now: isPast ? asOf : timeOf(id),
        ...(isPast ? { asOf } : {}),
        ...(isLimited ? { asOfMax } : {}),
        exchanges: new Map(),
        requestId: toUuid(hash('request', id)),
        // Few calls need one.
        get nonce() {
          return hash('nonce', id).slice(0, 32);
        },
      },
      work,
    );
  };
}

/** What is no text is refused where the input is checked. */
function asOfIn(input: unknown): string | undefined {
  const { as_of: asOf } = (input ?? {}) as { as_of?: unknown };
  return typeof asOf === 'string' ? asOf : undefined;
}

/** A UUID of version 4, as far as its form goes. */
const toUuid = (hex: string): string =>
  [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `a${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
