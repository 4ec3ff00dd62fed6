import { HeadgateError } from '../core/errors.ts';
import type { OwnText } from '../core/text.ts';
import { named, own } from '../core/own-text.ts';

/** Prefixes that cover the many codes of OpenSSL and Node for certificate problems. */
const TLS_CODE =
  /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|HOSTNAME_MISMATCH|INVALID_(CA|PURPOSE)|PATH_LENGTH|EPROTO)/;

const WORDS: Record<string, string> = {
  ECONNREFUSED: 'refused the connection',
  ECONNRESET: 'reset the connection',
  EPIPE: 'closed the connection',
  ERR_STREAM_PREMATURE_CLOSE: 'closed the connection before the answer was complete',
  HPE_HEADER_OVERFLOW: 'sent more headers than are accepted',
  ENOTFOUND: 'has no address in DNS',
  EAI_AGAIN: 'could not be looked up because DNS did not answer',
  ERR_PROXY_TUNNEL: 'could not be reached through the proxy',
  EHOSTUNREACH: 'is unreachable',
  ENETUNREACH: 'is unreachable',
};

/** Codes of a machine without a network, or of a mistyped host. */
const UNREACHED = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

/**
 * How messages refer to the host of a page. Its name may come from a page, a redirect or a feed, so it is not
 * repeated.
 */
export const SITE = 'The site';

/** Converts a network error into a failure. `name` is `SITE` or a provider. */
export function networkFailure(
  thrown: unknown,
  name: OwnText | typeof SITE,
  provider?: string,
): HeadgateError {
  if (thrown instanceof HeadgateError) return thrown;
  const code = codeOf(thrown);
  const details = { cause: thrown, ...(provider === undefined ? {} : { provider }) };
  if (code !== '' && TLS_CODE.test(code)) {
    return new HeadgateError('tls_error', own`${name} has no valid TLS: ${tlsReason(code)}.`, {
      ...details,
      remediation: 'Check the address and its certificate; Headgate never skips this check.',
    });
  }
  if (code === 'ETIMEDOUT') {
    return new HeadgateError('upstream_timeout', own`${name} did not accept a connection in time.`, details);
  }
  const words =
    named(WORDS[code] ?? '') || (code.startsWith('HPE_') ? 'did not answer in valid HTTP' : 'failed');
  return new HeadgateError('network_error', own`${name} ${words}${code === '' ? '' : own` (${code})`}.`, {
    ...details,
    ...(UNREACHED.has(code) && {
      remediation: 'Check the address, and the network of the machine that Headgate runs on.',
    }),
  });
}

/** Failures in which no connection was made. */
const UNCONNECTED = new Set([...UNREACHED, 'ECONNREFUSED', 'ENETDOWN', 'ETIMEDOUT', 'ERR_PROXY_TUNNEL']);

/** True when the other side cannot have received anything, because there was no connection. */
export const isNothingSent = ({ code, cause }: HeadgateError): boolean =>
  code === 'tls_error' || UNCONNECTED.has(codeOf(cause));

/**
 * Converts the reason of a signal: a failure of ours is kept, a timeout is a deadline, anything else a
 * cancellation.
 */
export const abortFailure = (signal: AbortSignal): HeadgateError => {
  const reason: unknown = signal.reason;
  if (reason instanceof HeadgateError) return reason;
  const timedOut = reason instanceof Error && reason.name === 'TimeoutError';
  return timedOut
    ? HeadgateError.from(reason)
    : new HeadgateError('cancelled', 'The call was cancelled.', { cause: reason });
};

/** An error code of Node or the system. */
function codeOf(thrown: unknown): OwnText | '' {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    const code: unknown = (error as { code?: unknown }).code;
    if (typeof code === 'string' && /^[\w-]{1,60}$/.test(code)) return named(code);
    if (error instanceof AggregateError) return codeOf(error.errors[0]);
  }
  return '';
}

function tlsReason(code: OwnText) {
  if (code === 'CERT_HAS_EXPIRED') return 'its certificate has expired';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'its certificate is for another host';
  if (/SELF_SIGNED/.test(code)) return 'its certificate is self-signed';
  if (/PROTOCOL|VERSION/.test(code)) return 'it offers no accepted TLS version';
  return code;
}
