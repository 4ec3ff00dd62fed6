// A web of its own process, for crawls of many pages: `node --import tsx crawl-upstream.ts PAGES HOSTS PORT`. Page N links to pages 10 N + 1 to 10 N + 10; hosts are
// loopback addresses on one port, which it prints; 0 lets the system choose. It answers at once.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const [pages = 0, hosts = 1, port = 0] = process.argv.slice(2).map(Number);
const CHILDREN = 10;
const TEXT =
  'The mill on the river has ground wheat since 1742, and this paragraph is long enough to be read as content. ';

const server = createServer((request, response) => {
  const page = /^\/page\/(\d+)$/.exec(request.url ?? '')?.[1];
  if (page === undefined) {
    response.writeHead(404).end();
    return;
  }
  const links = Array.from({ length: CHILDREN }, (_, index) => Number(page) * CHILDREN + index + 1)
    .filter((child) => child < pages)
    .map(
      (child) =>
        `<li><a href="http://127.0.0.${1 + (child % hosts)}:${listensOn()}/page/${child}">Mill ${child}</a></li>`,
    );
  response.writeHead(200, { 'content-type': 'text/html' });
  response.end(`<html><head><title>Mill ${page}</title></head><body><main><h1>Mill ${page}</h1><p>${TEXT.repeat(5)}</p>
    <ul>${links.join('')}</ul></main></body></html>`);
}).listen(port, '0.0.0.0', () => {
  process.stdout.write(`${listensOn()}\n`);
});

const listensOn = (): number => (server.address() as AddressInfo).port;
