/** What one line of the index says. */
export interface Indexed {
  method: string;
  url: string;
  body?: string;
  at: number;
  status: number;
  mime: string;
  digest: string;
  offset: number;
  length: number;
  filename: string;
}

/**
 * A line of the CDXJ index that other tools read. Its key folds case and flattens what is posted, as they expect; ours is in
 * `headgate/exchanges.jsonl`.
 */
export function cdxjLine(indexed: Indexed): string {
  const { method, url, body, at, status, mime, digest, offset, length, filename } = indexed;
  const time = new Date(at).toISOString().replaceAll(/\D/g, '').slice(0, 14);
  const posted = method === 'GET' ? undefined : flattened(method, body ?? '');
  const fields = {
    url,
    mime,
    status,
    digest,
    length,
    offset,
    filename,
    ...(posted === undefined ? {} : { method, requestBody: posted }),
  };
  return `${surt(posted === undefined ? url : `${url}${url.includes('?') ? '&' : '?'}${posted}`)} ${time} ${JSON.stringify(fields)}`;
}

/** `com,example)/path?query`, in lower case. */
function surt(text: string): string {
  const url = new URL(text);
  const host = url.hostname
    .replace(/^www\d*\./, '')
    .split('.')
    .toReversed()
    .join(',');
  const port = url.port === '' ? '' : `:${url.port}`;
  return `${host}${port})${url.pathname}${sortedSearch(url)}`.toLowerCase();
}

const sortedSearch = ({ search }: URL): string =>
  search === '' ? '' : `?${search.slice(1).split('&').sort().join('&')}`;

/** A posted body as parameters of an address. */
function flattened(method: string, body: string): string {
  const parameters = new URLSearchParams();
  try {
    collect(JSON.parse(body), '', parameters);
  } catch {
    for (const [name, value] of new URLSearchParams(body)) parameters.append(name, value);
  }
  return `__wb_method=${method.toLowerCase()}&${parameters.toString()}`;
}

function collect(value: unknown, name: string, into: URLSearchParams): void {
  if (typeof value === 'object' && value !== null)
    for (const [key, below] of Object.entries(value)) collect(below, Array.isArray(value) ? name : key, into);
  else into.append(name, String(value));
}
