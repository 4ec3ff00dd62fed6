import { closeSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs';
import { HeadgateError } from '../../core/errors.ts';
import { named, own } from '../../core/own-text.ts';

const DIGITS = 20;

/**
 * The watermark: a small file beside the database with the number of the last acknowledged transaction. It is
 * written after every COMMIT without fsync, so it can be behind the database but never ahead. A database
 * behind its watermark has lost acknowledged work (a damaged or deleted WAL, an older file in its place),
 * which SQLite alone would not notice.
 */
export function openWatermark(databasePath: string, sequenceMin: number) {
  const path = `${databasePath}.mark`;
  const least = Math.max(sequenceMin, readWatermark(path));
  if (least > 0 && !existsSync(databasePath)) {
    throw lost(databasePath, 'is missing although it was in use');
  }
  const descriptor = openSync(path, existsSync(path) ? 'r+' : 'w', 0o600);
  const digits = Buffer.alloc(DIGITS);
  return {
    verify(sequence: number): void {
      if (sequence >= least) return;
      closeSync(descriptor);
      throw lost(databasePath, `is at transaction ${sequence}, but ${least} were acknowledged`);
    },
    write(sequence: number): void {
      digits.write(String(sequence).padStart(DIGITS, '0'), 'latin1');
      writeSync(descriptor, digits, 0, DIGITS, 0);
    },
    close: () => closeSync(descriptor),
  };
}

/** The number of the last acknowledged transaction; 0 without a watermark. */
export function readWatermark(path: string): number {
  if (!existsSync(path)) return 0;
  const text = readFileSync(path, 'latin1');
  return /^\d{20}$/.test(text) ? Number(text) : 0;
}

function lost(databasePath: string, what: string): HeadgateError {
  return new HeadgateError('storage_unavailable', own`The database ${named(databasePath)} ${named(what)}.`, {
    remediation:
      'Put the right file back, or accept that later work is lost: `headgate store restore FILE --force`.',
  });
}
