import { LIMITS } from '../core/limits.ts';
import type { CallResult } from './tool.ts';

/** A response of `fetch`, also of another implementation, which is no instance of ours. */
type WebResponse = Pick<Response, 'status' | 'statusText' | 'headers' | 'body'>;

/**
 * Replaces a web response or blob that a tool returned by its body: JSON as data, an image or sound as a
 * content block, anything else as text. An error status is a failure of the tool.
 */
export async function readWebBody(value: unknown): Promise<unknown> {
  // Naming `Response` loads Node's whole web client, so what is no body is returned before.
  if (typeof (value as Partial<Blob> | null | undefined)?.arrayBuffer !== 'function') return value;
  const response = value instanceof Blob ? new Response(value) : value;
  if (!isResponse(response)) return value;
  const { status, statusText, headers } = response;
  const bytes = await readBytes(response);
  if (status >= 400) {
    const message = [`HTTP ${status} ${statusText}`.trim(), bytes.toString()].filter((part) => part !== '');
    throw new Error(message.join(': '));
  }
  const [type = ''] = (headers.get('content-type') ?? '').split(';');
  const [family] = type.split('/');
  if (family === 'image' || family === 'audio') {
    const block = { type: family, data: bytes.toString('base64'), mimeType: type };
    return { content: [block] } satisfies CallResult;
  }
  return /\bjson$/.test(type) ? parsed(bytes.toString()) : bytes.toString();
}

const isResponse = (value: unknown): value is WebResponse =>
  typeof (value as Partial<Response>).status === 'number';

async function readBytes({ body }: WebResponse): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > LIMITS.toolAnswerBytesMax) {
      const message = `The response has more than ${LIMITS.toolAnswerBytesMax} bytes. Ask for less at a time.`;
      throw Object.assign(new Error(message), { name: 'ToolOutputError' });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A body that does not match its header is still the tool's result.
    return text;
  }
}
