/** Streams lines, or bytes, as they are read, so that an export of any size needs little memory. */
export function lineStream(lines: AsyncGenerator<string | Uint8Array>): ReadableStream {
  const encoder = new TextEncoder();
  return new ReadableStream({
    pull: async (stream) => {
      const { value, done } = await lines.next();
      if (done === true) return stream.close();
      stream.enqueue(typeof value === 'string' ? encoder.encode(value) : value);
    },
    cancel: async () => void (await lines.return(undefined)),
  });
}
