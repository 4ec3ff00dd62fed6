import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';
import { HeadgateError } from '../core/errors.ts';
import type { OwnText } from '../core/text.ts';
import { own } from '../core/own-text.ts';

type Decoder = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const decoders = {
  gzip: promisify(gunzip),
  deflate: promisify(inflate),
  raw: promisify(inflateRaw),
  br: promisify(brotliDecompress),
} satisfies Record<string, Decoder>;

/** The encodings that `decodeBody` supports, for the Accept-Encoding header. */
export const ACCEPT_ENCODING = 'gzip, br, deflate';

/**
 * Decodes one layer of content encoding, never more: layers are how small bodies become huge. A truncated
 * body is an error, not a shorter page. The caller passes the errors for "too large" and "not decodable".
 */
export async function decodeBody(
  bytes: Buffer,
  encoding: string | undefined,
  bytesMax: number,
  failures: { tooLarge(): Error; unreadable(reason: OwnText): Error },
): Promise<Buffer> {
  const layers = layersOf(encoding);
  if (layers.length > 1) {
    throw failures.unreadable(
      own`the body is encoded more than once; one layer of Content-Encoding is the limit.`,
    );
  }
  const [layer] = layers;
  if (layer === undefined || bytes.length === 0) return bytes;
  const decode = decoderOf(layer, bytes);
  if (decode === undefined) {
    throw failures.unreadable(own`its Content-Encoding is not supported; ${ACCEPT_ENCODING} are.`);
  }
  try {
    return await decode(bytes, { maxOutputLength: bytesMax });
  } catch (thrown) {
    if ((thrown as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE') throw failures.tooLarge();
    throw new HeadgateError('network_error', 'The encoded body is broken or was cut.', { cause: thrown });
  }
}

function layersOf(encoding: string | undefined): string[] {
  return (encoding ?? '')
    .toLowerCase()
    .split(',')
    .map((layer) => layer.trim())
    .filter((layer) => layer !== '' && layer !== 'identity');
}

function decoderOf(layer: string, bytes: Buffer): Decoder | undefined {
  if (layer === 'gzip' || layer === 'x-gzip') return decoders.gzip;
  if (layer === 'br') return decoders.br;
  if (layer === 'deflate') return isZlib(bytes) ? decoders.deflate : decoders.raw;
  return undefined;
}

/** True for a zlib header. Deflate bodies should have one (RFC 9110), but some servers omit it. */
function isZlib(bytes: Buffer): boolean {
  const first = bytes[0] ?? 0;
  return (first & 0x0f) === 8 && (first * 256 + (bytes[1] ?? 0)) % 31 === 0;
}
