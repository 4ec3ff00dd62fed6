/** What one line of the index says. */
export interface Indexed {
  method: string;
  url: string;
  /** What was posted, and as what. */
  body?: string;
  contentType?: string;
  at: number;
  status: number;
  mime: string;
  /** The payload's, without the name of the algorithm. */
  digest: string;
  offset: number;
  length: number;
  filename: string;
}

/** As in other tools: of what is posted, no more is in the index. */
const POSTED_MAX = 4_096;

/**
 * A line of the CDXJ index that other tools read, byte for byte as warcio writes it. Its key folds case and flattens what is posted;
 * ours is in `headgate/exchanges.jsonl`.
 */
export function cdxjLine(indexed: Indexed): string {
  const { method, url, at, status, mime, digest, offset, length, filename } = indexed;
  const time = new Date(at).toISOString().replaceAll(/\D/g, '').slice(0, 14);
  const posted = method === 'GET' ? undefined : flattened(indexed).slice(0, POSTED_MAX);
  const fields = {
    url,
    mime: mime === '' ? undefined : mime,
    status: String(status),
    digest,
    length: String(length),
    offset: String(offset),
    filename,
    ...(posted === undefined ? {} : { method, requestBody: posted === '' ? undefined : posted }),
  };
  const key =
    posted === undefined
      ? url
      : `${url}${url.includes('?') ? '&' : '?'}__wb_method=${method}&${decoded(posted)}`;
  return `${surt(key)} ${time} ${JSON.stringify(fields)}`;
}

/** `com,example)/path?query`, in lower case. */
function surt(text: string): string {
  const url = new URL(text.replace(/^(https?:\/\/)www\d*\./, '$1').toLowerCase());
  const host = url.hostname.split('.').toReversed().join(',');
  const port = url.port === '' ? '' : `:${url.port}`;
  const search = url.search === '' ? '' : `?${url.search.slice(1).split('&').sort().join('&')}`;
  return `${host}${port})${url.pathname}${search}`;
}

function decoded(query: string): string {
  try {
    return decodeURI(query);
  } catch {
    return '';
  }
}

/** A posted body as parameters of an address. */
function flattened({ body = '', contentType = '' }: Indexed): string {
  const [type = ''] = contentType.split(';', 1);
  if (type === 'application/x-www-form-urlencoded') return body;
  if (type !== 'application/json' && type !== 'text/plain')
    return `__wb_post_data=${Buffer.from(body).toString('base64')}`;
  const parameters = new URLSearchParams();
  try {
    collect(JSON.parse(body), '', parameters, new Map());
  } catch {
    // What is no JSON has no parameters.
  }
  return parameters.toString();
}

/** Lists repeat the name; the second of a name is called `name.2_`. */
function collect(value: unknown, name: string, into: URLSearchParams, counts: Map<string, number>): void {
  if (typeof value === 'object' && value !== null) {
    for (const [key, below] of Object.entries(value))
      collect(below, Array.isArray(value) ? name : key, into, counts);
    return;
  }
  const text = String(value);
  if (text === '') return;
  const count = (counts.get(name) ?? 0) + 1;
  counts.set(name, count);
  into.set(count === 1 ? name : `${name}.${count}_`, text);
}
