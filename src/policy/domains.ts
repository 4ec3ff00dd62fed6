/** Hosts that a rule names. */
export interface DomainSet {
  /** The entry that names the host of this address, if one does. */
  match(url: URL): string | undefined;
}

/**
 * An entry in the form in which it is compared: `example.com` names a host and everything below it,
 * `*.example.com` only what is below, `example.com:8443` one port, `*` every host. Undefined when it names none.
 */
export function domainEntry(raw: string): string | undefined {
  const text = raw.trim().toLowerCase();
  if (text === '*') return text;
  const isBelow = /^\*?\./.test(text);
  const host = text.replace(/^\*?\./, '');
  // The parser would drop an encoded or misplaced separator; whoever writes one means something else.
  if (host === '' || /[\s/\\?#@%*]/.test(host)) return undefined;
  const url = URL.parse(`ws://${host}`);
  if (url === null) return undefined;
  // A scheme hides its own port, so two are asked.
  const port = url.port || URL.parse(`wss://${host}`)?.port || '';
  const name = hostName(url);
  if (name === '' || (isBelow && isLiteral(name))) return undefined;
  return `${isBelow ? '*.' : ''}${name}${port === '' ? '' : `:${port}`}`;
}

/** Makes a set of entries that `domainEntry` accepts. */
export function createDomainSet(entries: readonly string[]): DomainSet {
  const known = new Set(entries.map((entry) => domainEntry(entry) ?? entry));
  const hasPorts = [...known].some((entry) => /:\d+$/.test(entry));
  return {
    match: (url) => {
      if (known.size === 0) return undefined;
      if (known.has('*')) return '*';
      const host = hostName(url);
      const port = hasPorts ? portOf(url) : '';
      const find = (name: string): string | undefined =>
        known.has(name) ? name : hasPorts && known.has(`${name}:${port}`) ? `${name}:${port}` : undefined;
      const exact = find(host);
      if (exact !== undefined || isLiteral(host)) return exact;
      for (let dot = host.indexOf('.'); dot !== -1; dot = host.indexOf('.', dot + 1)) {
        const parent = host.slice(dot + 1);
        const found = find(`*.${parent}`) ?? find(parent);
        if (found !== undefined) return found;
      }
      return undefined;
    },
  };
}

/** The host of an address, as names are compared: without a trailing dot. */
const hostName = (url: URL): string => url.hostname.replace(/\.$/, '');

const portOf = ({ port, protocol }: URL): string =>
  port === '' ? (protocol === 'https:' ? '443' : '80') : port;

const isLiteral = (host: string): boolean => host.startsWith('[') || /^\d+(\.\d+){3}$/.test(host);
