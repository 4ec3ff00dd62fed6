import { STATUS_CODES } from 'node:http';
import { warcFields, type ReadRecord } from './warc.ts';

// Requests and answers as the HTTP messages that a WARC holds, in pieces: a large body is not copied.

export interface KeptAnswer {
  status: number;
  headers: Record<string, string>;
  bytes: Buffer;
}

export function requestMessage(
  method: string,
  url: string,
  headers: Record<string, string>,
  body = '',
): Buffer[] {
  const { pathname, search, host } = new URL(url);
  const bytes = Buffer.from(body);
  const size: Record<string, string> = bytes.length === 0 ? {} : { 'content-length': String(bytes.length) };
  return message(`${method} ${pathname}${search} HTTP/1.1`, { host, ...headers, ...size }, bytes);
}

export const answerMessage = ({ status, headers, bytes }: KeptAnswer): Buffer[] =>
  message(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Unknown'}`,
    { ...headers, 'content-length': String(bytes.length) },
    bytes,
  );

function message(first: string, headers: Record<string, string>, body: Buffer): Buffer[] {
  const lines = Object.entries(headers).map(
    ([name, value]) => `${name}: ${value.replaceAll(/[\r\n]+/g, ' ')}`,
  );
  return [Buffer.from(`${[first, ...lines].join('\r\n')}\r\n\r\n`), body];
}

/** First line, headers and body of a message. */
export function parseMessage(block: Buffer): {
  first: string;
  headers: Record<string, string>;
  body: Buffer;
} {
  const end = block.indexOf('\r\n\r\n');
  const head = block.toString('utf8', 0, end < 0 ? block.length : end);
  const { 'content-length': _length, ...headers } = warcFields(head);
  return {
    first: head.split('\r\n', 1)[0] ?? '',
    headers,
    body: end < 0 ? Buffer.alloc(0) : block.subarray(end + 4),
  };
}

/** An answer as text, one character for each byte, whatever it is; undefined where there is none. */
export const latinAnswer = ({ fields, block }: ReadRecord): string | undefined =>
  fields['warc-type'] === 'response' ? block.toString('latin1') : undefined;

/** Whether the length of an answer matters to those who read it, as in a picture or a PDF. */
export const isBinary = ({ block }: ReadRecord): boolean =>
  /^(image|audio|video|font)\/|pdf|zip|octet-stream/i.test(
    parseMessage(block).headers['content-type'] ?? 'text/html',
  );
