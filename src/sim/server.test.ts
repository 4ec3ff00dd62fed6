import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startSim, type Sim } from './server.ts';
import type { SimUpstream } from './upstream.ts';

const echo: SimUpstream = {
  id: 'echo',
  handle: ({ method, url, body }) =>
    url.pathname === '/missing'
      ? undefined
      : {
          status: 200,
          headers: { 'content-type': 'text/plain' },
          body: `${method} ${url.pathname}${url.search} ${body}`,
        },
};

let sim: Sim;
beforeAll(async () => {
  sim = await startSim({ upstreams: [echo] });
});
afterAll(() => sim.close());
beforeEach(() => sim.reset());

test('an upstream is mounted under its id and sees the path without it', async () => {
  const response = await fetch(`${sim.url}/echo/a/b?c=1`, { method: 'POST', body: 'hello' });
  expect(await response.text()).toBe('POST /a/b?c=1 hello');
  expect(sim.requests.map((request) => request.url.pathname)).toEqual(['/echo/a/b']);
});

test('what no upstream knows is a 404 that lists the upstreams', async () => {
  const responses = await Promise.all([fetch(`${sim.url}/echo/missing`), fetch(`${sim.url}/nobody/x`)]);
  expect(responses.map((response) => response.status)).toEqual([404, 404]);
  expect(await responses[1].text()).toContain('/echo/');
});

test('matching requests take one fault each, in order, and then all is well', async () => {
  sim.script('/echo/a', [
    { kind: 'status', status: 503, times: 2 },
    { kind: 'pass' },
    { kind: 'status', status: 429 },
  ]);
  const statuses = [];
  for (const path of ['a', 'b', 'a', 'a', 'a', 'a'])
    statuses.push((await fetch(`${sim.url}/echo/${path}`)).status);
  expect(statuses).toEqual([503, 200, 503, 200, 429, 200]);
});

test('a script can be for one method or for requests that hold a text', async () => {
  sim.script({ path: '/echo', method: 'POST' }, [{ kind: 'status', status: 500, times: 'always' }]);
  sim.script({ path: '/echo', contains: 'q=bad' }, [{ kind: 'status', status: 400 }]);
  const get = await fetch(`${sim.url}/echo/`);
  const post = await fetch(`${sim.url}/echo/`, { method: 'POST' });
  const bad = await fetch(`${sim.url}/echo/?q=bad`);
  expect([get.status, post.status, bad.status]).toEqual([200, 500, 400]);
});

test('scripts can be given from outside over HTTP, and mistakes are explained', async () => {
  const send = (body: string) => fetch(`${sim.url}/__script`, { method: 'POST', body });
  expect((await send('{"match":"/echo","faults":[{"kind":"status","status":418}]}')).status).toBe(200);
  expect((await fetch(`${sim.url}/echo/`)).status).toBe(418);
  for (const wrong of ['', '[]', '{"match":1,"faults":[]}', '{"match":"/","faults":[{"kind":"explode"}]}']) {
    const answer = await send(wrong);
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('gzip-bomb');
  }
  expect(await (await fetch(`${sim.url}/__requests`)).json()).toHaveLength(1);
});

test('the log of requests is bounded', async () => {
  for (let round = 0; round < 100; round += 1)
    await Promise.all(Array.from({ length: 10 }, () => fetch(`${sim.url}/echo/`)));
  await fetch(`${sim.url}/echo/last`);
  expect(sim.requests).toHaveLength(1_000);
  expect(sim.requests.at(-1)?.url.pathname).toBe('/echo/last');
});
