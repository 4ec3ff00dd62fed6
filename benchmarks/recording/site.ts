import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const page = `<!doctype html><title>Mills</title>${'<p>The mill was built in 1843 by the brothers of the valley.</p>'.repeat(330)}`;

/** A site whose pages have 20 KB each. */
export async function startSite() {
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'text/html').end(`${page}${request.url}`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { port, base: `http://127.0.0.1:${port}`, close: () => server.close() };
}
