import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import { HeadgateError } from '../core/errors.ts';
import { named, own } from '../core/own-text.ts';
import { sql, type Database } from './database.ts';
import { hashOfToken } from './key-format.ts';
import { integerColumn, textOrNull } from './rows.ts';

/** Codes of an authenticator app (TOTP, RFC 6238) and recovery codes, as the second factor beside a password. */
export interface SecondFactors {
  /** Switches the second factor on for somebody who shows a code of this secret. Returns the recovery codes, once. */
  enable(admin: string, secret: string, code: string): Promise<string[] | undefined>;
  /** Uses a code of the app or a recovery code. Each is accepted once. */
  use(admin: string, code: string): Promise<boolean>;
  /** How many recovery codes are left. */
  recoveryCodes(admin: string): Promise<number>;
  /** Switches it off, by name: for somebody who has lost the app and the codes. */
  reset(name: string): Promise<{ name: string }>;
}

const STEP_MS = 30_000;
const RECOVERY_CODES = 10;

/** A new secret in the letters that authenticator apps expect. */
export const newFactorSecret = (): string => base32(randomBytes(20));

export function createSecondFactors(database: Database, clock: Clock): SecondFactors {
  const stepOf = (secret: string, code: string): number | undefined => {
    const now = Math.floor(clock.now() / STEP_MS);
    // Clocks of phones differ a little.
    return [now - 1, now, now + 1].find((step) => isSameCode(codeAt(secret, step), code));
  };
  return {
    enable: async (admin, secret, code) => {
      const step = stepOf(secret, plain(code));
      if (step === undefined) return undefined;
      const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
      await database.write([
        sql`UPDATE admins SET factor = ${secret}, factor_step = ${step} WHERE id = ${admin}`,
        sql`DELETE FROM recovery_codes WHERE admin = ${admin}`,
        ...codes.map(
          (one) =>
            sql`INSERT INTO recovery_codes (admin, hash) VALUES (${admin}, ${hashOfToken(plain(one))})`,
        ),
        sql`UPDATE sessions SET limited = 0 WHERE admin = ${admin}`,
      ]);
      return codes;
    },
    use: async (admin, given) => {
      const code = plain(given);
      const [row] = await database.read('SELECT factor FROM admins WHERE id = ?', admin);
      const secret = row === undefined ? null : textOrNull(row, 'factor');
      if (secret === null) return false;
      const step = stepOf(secret, code);
      const [used = []] = await database.write([
        step === undefined
          ? sql`DELETE FROM recovery_codes WHERE admin = ${admin} AND hash = ${hashOfToken(code)}
              RETURNING hash`
          : // Of two who show the same code, the second is refused; so is an older one.
            sql`UPDATE admins SET factor_step = ${step} WHERE id = ${admin} AND factor_step < ${step}
              RETURNING id`,
      ]);
      return used.length > 0;
    },
    recoveryCodes: async (admin) => {
      const [row] = await database.read(
        'SELECT count(*) AS left_over FROM recovery_codes WHERE admin = ?',
        admin,
      );
      return row === undefined ? 0 : integerColumn(row, 'left_over');
    },
    reset: async (name) => {
      const [, changed = []] = await database.write([
        sql`DELETE FROM recovery_codes WHERE admin IN (SELECT id FROM admins WHERE name = ${name})`,
        sql`UPDATE admins SET factor = NULL WHERE name = ${name} RETURNING id`,
      ]);
      if (changed.length > 0) return { name };
      throw new HeadgateError('not_found', own`There is nobody called ${named(name)}.`, {
        remediation: 'List people with `headgate person list`.',
      });
    },
  };
}

/** The code that an app shows for a step of 30 seconds. */
export function codeAt(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac('sha1', fromBase32(secret)).update(counter).digest();
  const offset = (digest.at(-1) ?? 0) & 15;
  const number = digest.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 1_000_000).padStart(6, '0');
}

const isSameCode = (wanted: string, given: string): boolean =>
  given.length === wanted.length && timingSafeEqual(Buffer.from(wanted), Buffer.from(given));

/** Codes are typed in groups, in capitals or not, on any keyboard. */
const plain = (code: string): string =>
  code
    .normalize('NFKC')
    .replace(/[\s-]/g, '')
    .toLowerCase()
    .replace(/[^\x21-\x7e]/g, '?');

const newRecoveryCode = (): string => (base32(randomBytes(10)).toLowerCase().match(/.{4}/g) ?? []).join('-');

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{5}/g) ?? []).map((five) => LETTERS[parseInt(five, 2)]).join('');
}

function fromBase32(text: string): Buffer {
  const bits = [...text].map((letter) => LETTERS.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((eight) => parseInt(eight, 2)));
}
