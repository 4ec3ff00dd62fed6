import { type Context, createContext, Script } from 'node:vm';
import { HeadgateError } from '../../core/errors.ts';
import { named, own } from '../../core/own-text.ts';

const PATTERN_CHARS_MAX = 300;
const TIME_MAX_MS = 100;
const TRIES_MAX = 5;

/** Tests many texts against a caller's regular expressions: for each, whether any matches. */
export type Patterns = (texts: string[]) => boolean[];

/**
 * Compiles a caller's regular expressions. They run in a context with a time limit: catastrophic backtracking
 * is reported as the caller's error and does not block the process.
 */
export function createPatterns(field: string, patterns: string[] | undefined): Patterns | undefined {
  if (patterns === undefined || patterns.length === 0) return undefined;
  for (const pattern of patterns) checkPattern(field, pattern);
  const context = createContext({ patterns, texts: [] as string[] });
  const compile = new Script('globalThis.compiled = patterns.map((pattern) => new RegExp(pattern, "u"))');
  runBriefly(compile, context);
  const run = new Script('texts.map((text) => compiled.some((pattern) => pattern.test(text)))');
  return (texts) => {
    context['texts'] = texts;
    try {
      return [...(runBriefly(run, context) as boolean[])];
    } catch (cause) {
      throw new HeadgateError('invalid_request', own`${named(field)}: matching took too long.`, {
        remediation: 'Use simpler patterns, without repetitions inside repetitions.',
        cause,
      });
    }
  };
}

/** The limit is wall-clock time. A timeout without CPU use means that the machine is busy, so it is retried. */
function runBriefly(script: Script, context: Context): unknown {
  for (let tries = 1; ; tries += 1) {
    const before = process.cpuUsage();
    try {
      return script.runInContext(context, { timeout: TIME_MAX_MS });
    } catch (thrown) {
      const { user, system } = process.cpuUsage(before);
      if (tries === TRIES_MAX || (user + system) / 1_000 > TIME_MAX_MS / 2) throw thrown;
    }
  }
}

function checkPattern(field: string, pattern: string): void {
  if (pattern.length > PATTERN_CHARS_MAX) {
    throw new HeadgateError(
      'invalid_request',
      own`${named(field)}: a pattern may have at most ${PATTERN_CHARS_MAX} characters.`,
    );
  }
  try {
    RegExp(pattern, 'u');
  } catch (cause) {
    throw new HeadgateError(
      'invalid_request',
      own`${named(field)}: "${named(pattern)}" is not a regular expression.`,
      {
        remediation: 'Escape special characters, for example \\\\. for a dot.',
        cause,
      },
    );
  }
}
