// Verdicts are made on bytes, never on text: every notation (octal, hex, short, mapped …) ends in the same
// bytes. IPv6 is an allow-list (what is not global unicast today is refused), IPv4 follows the IANA
// special-purpose registry.

/** An IP address: 4 bytes for IPv4, 16 for IPv6. An IPv4-mapped IPv6 address is stored as its 4 bytes. */
export type Address = Uint8Array;

export interface AddressRange {
  base: Address;
  bits: number;
}

/** Why an address is not public, or undefined when it is. */
export function notPublic(address: Address): string | undefined {
  return address.length === 4 ? notPublic4(address) : notPublic6(address);
}

/** Parses an address strictly: four decimal numbers, or IPv6 as in RFC 4291 without a zone. */
export function parseAddress(text: string): Address | undefined {
  return text.includes(':') ? unmap(parse6(text)) : parse4(text);
}

/** Parses `10.0.0.0/8`, `fd00::/8`, or a single address. */
export function parseRange(text: string): AddressRange | undefined {
  const [, start = '', length] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const base = parseAddress(start);
  if (base === undefined) return undefined;
  const bits = length === undefined ? base.length * 8 : Number(length);
  return bits <= base.length * 8 ? { base, bits } : undefined;
}

export function inRange(address: Address, range: AddressRange): boolean {
  if (address.length !== range.base.length) return false;
  return address.every((byte, index) => {
    const bits = Math.min(8, Math.max(0, range.bits - index * 8));
    const mask = (0xff << (8 - bits)) & 0xff;
    return (byte & mask) === ((range.base[index] ?? 0) & mask);
  });
}

export const sameAddress = (left: Address, right: Address): boolean =>
  left.length === right.length && left.every((byte, index) => byte === right[index]);

const MAPPED = Uint8Array.from([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0, 0, 0]);

const SPECIAL4 = ranges({
  '0.0.0.0/8': 'this network',
  '10.0.0.0/8': 'private network',
  '100.64.0.0/10': 'carrier network',
  '127.0.0.0/8': 'loopback',
  '168.63.129.16/32': 'cloud metadata',
  '169.254.0.0/16': 'link-local and cloud metadata',
  '172.16.0.0/12': 'private network',
  '192.0.0.0/24': 'protocol assignments',
  '192.0.2.0/24': 'documentation',
  '192.31.196.0/24': 'AS112 service',
  '192.52.193.0/24': 'multicast relay',
  '192.88.99.0/24': '6to4 relay',
  '192.168.0.0/16': 'private network',
  '192.175.48.0/24': 'AS112 service',
  '198.18.0.0/15': 'benchmarking',
  '198.51.100.0/24': 'documentation',
  '203.0.113.0/24': 'documentation',
  '224.0.0.0/4': 'multicast',
  '240.0.0.0/4': 'reserved or broadcast',
});

/** Global unicast ranges that are not for the web. Teredo, ORCHID and benchmarking are in 2001::/23. */
const SPECIAL6 = ranges({
  '2001::/23': 'protocol assignments, Teredo',
  '2001:db8::/32': 'documentation',
  '2002::/16': '6to4',
  '3fff::/20': 'documentation',
});

const GLOBAL6 = range('2000::/3');
const NAT64 = range('64:ff9b::/96');

function notPublic4(address: Address): string | undefined {
  return SPECIAL4.find((special) => inRange(address, special.range))?.reason;
}

function notPublic6(address: Address): string | undefined {
  // On IPv6-only networks every public site has such an address (DNS64), so the embedded address decides.
  if (inRange(address, NAT64)) return notPublic4(address.subarray(12));
  if (!inRange(address, GLOBAL6)) return 'not global unicast';
  const special = SPECIAL6.find((candidate) => inRange(address, candidate.range));
  if (special !== undefined) return special.reason;
  return isIsatap(address) ? notPublic4(address.subarray(12)) : undefined;
}

/** True for ISATAP addresses, which carry an IPv4 address after `:0:5efe:` or `:200:5efe:` in any prefix. */
const isIsatap = (address: Address): boolean =>
  (address[8] === 0 || address[8] === 2) && address[9] === 0 && address[10] === 0x5e && address[11] === 0xfe;

function parse4(text: string): Address | undefined {
  if (!/^(0|[1-9]\d{0,2})(\.(0|[1-9]\d{0,2})){3}$/.test(text)) return undefined;
  const bytes = text.split('.').map(Number);
  return bytes.every((byte) => byte <= 255) ? Uint8Array.from(bytes) : undefined;
}

function parse6(text: string): Address | undefined {
  const [left = '', right, ...more] = text.split('::');
  if (more.length > 0) return undefined;
  const head = groups(left, right === undefined);
  const tail = groups(right ?? '', true);
  if (head === undefined || tail === undefined) return undefined;
  const missing = 16 - head.length - tail.length;
  if (right === undefined ? missing !== 0 : missing < 2) return undefined;
  return Uint8Array.from([...head, ...Array.from({ length: missing }, () => 0), ...tail]);
}

/** The bytes of colon-separated groups. The last part of an address may be written as IPv4. */
function groups(text: string, endsAddress: boolean): number[] | undefined {
  if (text === '') return [];
  const bytes: number[] = [];
  const parts = text.split(':');
  for (const [index, part] of parts.entries()) {
    const embedded = endsAddress && index === parts.length - 1 ? parse4(part) : undefined;
    if (embedded === undefined && !/^[\da-f]{1,4}$/i.test(part)) return undefined;
    const value = Number.parseInt(part, 16);
    bytes.push(...(embedded ?? [value >> 8, value & 0xff]));
  }
  return bytes;
}

function unmap(address: Address | undefined): Address | undefined {
  return address !== undefined && inRange(address, { base: MAPPED, bits: 96 }) ? address.slice(12) : address;
}

function range(text: string): AddressRange {
  const parsed = parseRange(text);
  if (parsed === undefined) throw new Error(`Not a range: ${text}`);
  return parsed;
}

function ranges(table: Record<string, string>): { range: AddressRange; reason: string }[] {
  return Object.entries(table).map(([text, reason]) => ({ range: range(text), reason }));
}
