import { HeadgateError } from '../core/errors.ts';
import type { OwnText } from '../core/text.ts';
import { listed, named, own } from '../core/own-text.ts';
import { LIMITS } from '../core/limits.ts';
import { inRange, notPublic, parseAddress, parseRange, type Address } from './address.ts';

/** What the operator, never a caller, allows beyond the public web. */
export interface GuardPolicy {
  allowsName(host: string): boolean;
  allowsAddress(address: Address): boolean;
  ports: ReadonlySet<number>;
}

/** A URL that passed every check that needs no network. */
export interface CheckedUrl {
  url: URL;
  /** The host without brackets and trailing dot. */
  host: string;
  port: number;
  /** Set when the host is an address literal. */
  address: Address | undefined;
}

const PORTS = [80, 443, 8080, 8443];

/**
 * Builds the policy from `[guard]`. `allow` takes names (`searx.lan`), suffixes (`.corp.example`), addresses
 * and ranges (`10.1.0.0/16`); `ports` are added to 80, 443, 8080 and 8443.
 */
export function createGuardPolicy(settings: { allow?: string[]; ports?: number[] } = {}): GuardPolicy {
  const entries = (settings.allow ?? []).map((entry) => entry.trim().toLowerCase());
  const wrong = entries.find((entry) => parseRange(entry) === undefined && !NAME_ENTRY.test(entry));
  if (wrong !== undefined) {
    throw new HeadgateError(
      'invalid_config',
      own`[guard] allow: ${named(JSON.stringify(wrong))} is neither a name nor a range.`,
      {
        remediation: 'Use a host (searx.lan), a suffix (.corp.example), an address or a range (10.1.0.0/16).',
      },
    );
  }
  const allowedRanges = entries.flatMap((entry) => parseRange(entry) ?? []);
  const names = new Set(entries.filter((entry) => !entry.startsWith('.') && !entry.startsWith('*.')));
  const suffixes = entries
    .filter((entry) => entry.startsWith('.') || entry.startsWith('*.'))
    .map((entry) => entry.replace(/^\*/, ''));
  return {
    allowsName: (host) => names.has(host) || suffixes.some((suffix) => host.endsWith(suffix)),
    allowsAddress: (address) => allowedRanges.some((allowed) => inRange(address, allowed)),
    ports: new Set([...PORTS, ...(settings.ports ?? [])]),
  };
}

const NAME_ENTRY = /^(\*?\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*$/;

/** Steps 1 and 2 of the guard: checks the raw text, then parses it once; everything else uses that result. */
export function checkUrl(raw: string, policy: GuardPolicy): CheckedUrl {
  checkText(raw, policy);
  const url = URL.parse(raw);
  if (url === null) throw refuseUrl(own`it is not a valid URL.`);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw refuseUrl(SCHEME);
  if (url.username !== '' || url.password !== '') throw refuseUrl(USER);
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  const address = parseAddress(host);
  // Checked again, because the parser decodes what the text may have hidden.
  if (!url.hostname.startsWith('[')) checkNumber(host, policy);
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
  if (!policy.ports.has(port)) {
    const allowed = listed(policy.ports);
    throw refuseHost(
      own`port ${port} is not allowed (only ${allowed}).`,
      own`Only the operator can add one, in [guard] ports.`,
    );
  }
  if (address === undefined) {
    if (!policy.allowsName(host)) checkName(host);
    // A trailing dot means the same host, but not to servers and certificates.
    url.hostname = host;
  } else {
    checkAddress(address, host, policy);
  }
  return { url, host, port, address };
}

/** Step 3 of the guard: checks one address that `host` is or resolves to. */
export function checkAddress(address: Address, host: string, policy: GuardPolicy): void {
  const reason = notPublic(address);
  if (reason === undefined || policy.allowsName(host) || policy.allowsAddress(address)) return;
  // The address is not reported: what a name resolves to internally is none of the caller's business.
  throw refuseHost(own`it is not on the public Internet (${named(reason)}).`, ONLY_OPERATOR);
}

const SCHEME = own`only http:// and https:// are fetched.`;
const USER = own`user names and passwords in URLs are not accepted.`;
const ONLY_OPERATOR = own`Only the operator can allow such hosts, in [guard] allow.`;

/** Refuses characters on which parsers disagree, before any parser sees them. */
export function checkText(raw: string, policy: GuardPolicy): void {
  if (raw.length > LIMITS.urlCharsMax)
    throw refuseUrl(own`it is longer than ${LIMITS.urlCharsMax} characters.`);
  if (/[\u0000-\u0020\u007F-\u009F\\]/.test(raw)) {
    throw refuseUrl(own`it contains a space, control character or backslash.`);
  }
  const authority = /^https?:\/\/([^/?#]+)/i.exec(raw)?.[1];
  if (authority === undefined) {
    throw refuseUrl(/^https?:/i.test(raw) ? own`it has no host after http:// or https://.` : SCHEME);
  }
  if (authority.includes('@')) throw refuseUrl(USER);
  if (!authority.startsWith('[')) checkNumber(authority.replace(/:\d*$/, ''), policy);
}

/**
 * Refuses numeric hosts in any notation but four decimal numbers. No public name ends in a label that begins
 * with a digit, and parsers disagree about octal, hexadecimal, short and broken forms (`127.0.0.0xg`).
 */
function checkNumber(host: string, policy: GuardPolicy): void {
  const name = host.toLowerCase().replace(/[.。．｡]$/, '');
  const last = name.split(/[.。．｡]/).at(-1) ?? '';
  if (!/^\d/.test(last) || parseAddress(name) !== undefined || policy.allowsName(name)) return;
  throw refuseHost(
    own`its last part is a number, and it is not an address of four decimal numbers.`,
    own`Use the name of the host, or its address like 192.0.2.1.`,
  );
}

/**
 * Suffixes that are never public sites: special-use names (RFC 6761, IANA), customary internal names,
 * clusters.
 */
const INTERNAL_SUFFIXES = new Set(
  (
    'alt arpa consul corp docker home internal intranet invalid kubernetes lan local localdomain localdomain4 ' +
    'localdomain6 localhost onion private svc test'
  ).split(' '),
);

/** Metadata services under names in public zones; one of them even has a public address. */
const METADATA_NAMES = new Set([
  'metadata.packet.net',
  'metadata.platformequinix.com',
  'metadata.tencentyun.com',
]);

function checkName(host: string): void {
  const labels = host.split('.');
  const last = labels.at(-1) ?? '';
  if (host.length > 253 || labels.some((label) => label === '' || label.length > 63)) {
    throw refuseUrl(own`its host is not a valid name (labels of 1 to 63 characters, 253 in all).`);
  }
  if (labels.length < 2 || INTERNAL_SUFFIXES.has(last) || METADATA_NAMES.has(host)) {
    throw refuseHost(own`it has the name of an internal host.`, ONLY_OPERATOR);
  }
}

const refuseUrl = (rule: OwnText): HeadgateError =>
  new HeadgateError('invalid_url', own`This URL cannot be fetched: ${rule}`);

const refuseHost = (rule: OwnText, remediation: OwnText): HeadgateError =>
  new HeadgateError('blocked_host', own`This host is not fetched: ${rule}`, { remediation });
