import { LIMITS } from './limits.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
export type LogFields = Record<string, unknown>;

export interface Logger {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
}

const ORDER: LogLevel[] = ['debug', 'info', 'warn', 'error'];

/**
 * A logger that writes one JSON object per line. `write` is stderr in production: stdout belongs to the
 * protocol.
 */
export function createLogger(options: {
  level: LogLevel;
  write(line: string): void;
  now(): number;
  /** Values that must never be written, whatever they look like. */
  secrets?: readonly string[];
}): Logger {
  const least = ORDER.indexOf(options.level);
  const at =
    (level: LogLevel) =>
    (event: string, fields: LogFields = {}) => {
      if (ORDER.indexOf(level) < least) return;
      const record = { time: new Date(options.now()).toISOString(), level, event, ...fields };
      options.write(`${hide(redact(JSON.stringify(record, plain)), options.secrets ?? [])}\n`);
    };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** Discards everything; for tests and for embedding. */
export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} };

const SECRET_FIELD =
  /^(authorization|cookie|set-cookie|x-api-key|x-subscription-token|password|secret|token|api_?key)$/i;

/** Makes errors printable, hides secret fields and truncates long ones. */
function plain(name: string, value: unknown): unknown {
  if (SECRET_FIELD.test(name) && value !== undefined && value !== null) return '[redacted]';
  if (value instanceof Error)
    return { name: value.name, message: value.message, stack: value.stack, cause: value.cause };
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'string' && value.length > LIMITS.logFieldCharsMax) {
    return `${value.slice(0, LIMITS.logFieldCharsMax)}… (${value.length} characters)`;
  }
  return value;
}

const SECRET_TEXT: [RegExp, string][] = [
  [
    /\b(tvly|jina|BSA|sk|hg_live|hg_setup|hg_admin|hg_oat|hg_ort|hg_oac|whsec)([-_])[A-Za-z0-9_+/-]{6,}/g,
    '$1$2[redacted]',
  ],
  [/\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{6,}/gi, '$1 [redacted]'],
  [
    /\b(api_?key|access_token|token|secret|password|x-api-key|x-subscription-token)(["']?\s*[:=]\s*["']?)[^\s"'&,;}]{3,}/gi,
    '$1$2[redacted]',
  ],
  // Bounded on both sides: `\w+` at every letter of a long word would take quadratic time.
  [/(\w{1,20}:\/\/)[^\s/?#"'<>]{1,1000}@/g, '$1[redacted]@'],
];

/**
 * The last filter before text leaves the process: removes key patterns, and credentials in URLs, headers and
 * bodies.
 */
export function redact(text: string): string {
  return SECRET_TEXT.reduce((rest, [pattern, replacement]) => rest.replace(pattern, replacement), text);
}

/**
 * Removes known values from a text. Very short values are skipped, because they would remove ordinary words.
 */
export const hide = (text: string, secrets: readonly string[]): string =>
  secrets.reduce((rest, secret) => (secret.length < 6 ? rest : rest.replaceAll(secret, '[redacted]')), text);
