import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findChromium, createRenderer, type Renderer } from '../../src/browser/renderer.ts';
import { loadConfig } from '../../src/config/load.ts';
import { systemClock } from '../../src/core/clock.ts';
import { silentLogger } from '../../src/core/log.ts';
import { createEngine, type Engine } from '../../src/engine/engine.ts';
import { htmlToMarkdown } from '../../src/extract/html.ts';
import type { Connect } from '../../src/net/dial.ts';
import { createGuardedFetch } from '../../src/net/fetch.ts';
import { createGuardPolicy } from '../../src/net/guard.ts';
import { diagnose } from '../../src/operations/doctor.ts';
import { extract } from '../../src/operations/extract/extract.ts';
import { createCall, perform } from '../../src/operations/perform.ts';
import { simUpstreams } from '../../src/sim/index.ts';
import { startSim, type Sim } from '../../src/sim/server.ts';
import { sayNotRun } from '../support/not-run.ts';
import { readingThreads } from '../support/reading-threads.ts';

/** `extract_depth: "advanced"` runs a page's scripts, and the guard stands before every request they make. */
const chromium = findChromium({ configured: undefined, path: process.env['PATH'], exists: existsSync });
if (chromium === undefined) sayNotRun('rendering', 'Debian’s chromium');

const PUBLIC = '198.185.159.144';
const never = new AbortController().signal;

let sim: Sim;
let secret: Server;
/** What reached the host that nobody may reach. */
let reached: string[] = [];

beforeAll(async () => {
  sim = await startSim({ upstreams: simUpstreams });
  secret = createServer((request, response) => {
    reached.push(`${request.method} ${request.url}`);
    response.setHeader('access-control-allow-origin', '*').end('the secret');
  }).on('upgrade', (request, socket) => {
    reached.push(`upgrade ${request.url}`);
    socket.destroy();
  });
  await new Promise<void>((resolve) => secret.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  secret.close();
  await sim.close();
});
beforeEach(() => {
  reached = [];
  sim.reset();
});

const secretPort = (): number => (secret.address() as AddressInfo).port;

async function withEngine<Value>(
  flags: Record<string, unknown>,
  use: (engine: Engine) => Promise<Value>,
): Promise<Value> {
  const settings = { 'guard.allow': ['127.0.0.1'], 'guard.ports': [sim.port], ...flags };
  const engine = createEngine(loadConfig({ flags: settings }).config, {
    log: silentLogger,
    pool: readingThreads,
  });
  try {
    return await use(engine);
  } finally {
    await engine.close();
  }
}

const readAdvanced = (engine: Engine, url: string) =>
  perform(
    extract,
    { urls: [url], extract_depth: 'advanced' },
    { call: createCall(engine.services, {}), services: engine.services },
  );

describe('without a browser', () => {
  test('the plain reading stands, with a warning that says what is missing', async () => {
    const output = await withEngine({ 'extract.chromium': '/nowhere/chromium' }, (engine) =>
      readAdvanced(engine, `${sim.url}/web/mill`),
    );
    expect(output.results[0]?.raw_content).toContain('since 1742');
    expect(output.warnings.join('\n')).toMatch(
      /not rendered: \[extract\] chromium: \/nowhere\/chromium does not exist/,
    );
  });

  test('doctor says that a browser named in the configuration is not there', async () => {
    const findings = await withEngine({ 'extract.chromium': '/nowhere/chromium' }, (engine) =>
      diagnose(engine.services, { online: false, signal: never }),
    );
    expect(findings.find((one) => one.subject === 'Chromium')).toMatchObject({ level: 'problem' });
  });

  test('a browser is looked for on the PATH, and one that was named is the only one', () => {
    const exists = (file: string): boolean => file === join('/some/bin', 'google-chrome');
    expect(findChromium({ configured: undefined, path: '/some/bin', exists })).toBe(
      join('/some/bin', 'google-chrome'),
    );
    expect(findChromium({ configured: '/opt/mine', path: '/some/bin', exists })).toBeUndefined();
  });

  test('a program that is no browser costs the rendering, not the page', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'headgate-no-browser-'));
    const file = join(folder, 'chromium');
    writeFileSync(file, '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    const output = await withEngine({ 'extract.chromium': file }, (engine) =>
      readAdvanced(engine, `${sim.url}/web/mill`),
    );
    rmSync(folder, { recursive: true });
    expect(output.results[0]?.raw_content).toContain('since 1742');
    expect(output.warnings.join('\n')).toContain('not rendered: Chromium ended early');
  });
});

describe.runIf(chromium !== undefined)('with a browser', { timeout: 60_000 }, () => {
  test('a page that only its script draws becomes readable', async () => {
    const [plain, drawn] = await withEngine({}, async (engine) => [
      await perform(
        extract,
        { urls: [`${sim.url}/web/drawn`] },
        { call: createCall(engine.services, {}), services: engine.services },
      ),
      await readAdvanced(engine, `${sim.url}/web/drawn`),
    ]);
    expect(plain?.outcome).toBe('degraded');
    expect(drawn?.outcome).toBe('ok');
    expect(drawn?.results[0]).toMatchObject({ title: 'The Weir', outcome: 'ok' });
    expect(drawn?.results[0]?.raw_content).toContain('raised by forty centimetres in 1934');
  });

  test('what a page loads is recorded with it, and replayed without the site', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'headgate-drawn-'));
    const flags = (mode: string) => ({
      'extract.chromium': chromium,
      'web.mode': mode,
      'web.snapshot': join(folder, 'drawn.wacz'),
    });
    const read = (mode: string) =>
      withEngine(flags(mode), (engine) => readAdvanced(engine, `${sim.url}/web/drawn`));
    const recorded = await read('record');
    expect(recorded.results[0]?.raw_content).toContain('forty centimetres');
    sim.reset();
    expect(await read('replay')).toEqual(recorded);
    expect(sim.requests).toEqual([]);
    rmSync(folder, { recursive: true });
  });

  test('doctor says where Chromium was found', async () => {
    const findings = await withEngine({}, (engine) =>
      diagnose(engine.services, { online: false, signal: never }),
    );
    expect(findings.find((one) => one.subject === 'Chromium')).toMatchObject({
      level: 'ok',
      text: expect.stringContaining(String(chromium)),
    });
  });
});

describe.runIf(chromium !== undefined)('the guard, for a page’s scripts', { timeout: 60_000 }, () => {
  /** A browser whose names resolve as the test says. What is dialled at a public address is really the secret host: only the guard is in between. */
  function browserWith(answers: (host: string) => string[], allow: string[] = []) {
    const dialled: string[] = [];
    const toSecret: Connect = ({ address }) =>
      new Promise((done) => {
        dialled.push(address);
        const socket = connect(secretPort(), '127.0.0.1', () => done({ socket, remoteAddress: address }));
      });
    const make = (policy: ReturnType<typeof createGuardPolicy>) =>
      createGuardedFetch({
        policy,
        userAgent: 'headgate-test',
        resolve: async (host) => answers(host),
        connect: toSecret,
      });
    const [open, own] = [make(createGuardPolicy()), make(createGuardPolicy({ allow }))];
    const renderer = createRenderer({
      configured: chromium,
      path: undefined,
      userAgent: 'headgate-test',
      open: open.fetch,
      own: own.fetch,
      clock: systemClock,
    });
    return { renderer, dialled };
  }
  /** Renders a page at http://site.example/ whose script writes down what became of each attempt. */
  async function attempt(renderer: Renderer, script: string, signal = never) {
    const html = `<!doctype html><title>t</title><body><script>
      const note = (text) => document.body.append(Object.assign(document.createElement('p'), { textContent: text }));
      const tryFetch = (url) => fetch(url).then((r) => r.text()).then((t) => note(url + ' GOT ' + t), () => note(url + ' refused'));
      ${script}</script></body>`;
    const page = { url: 'http://site.example/', bytes: Buffer.from(html), contentType: 'text/html' };
    const drawn = await renderer.render(page, { caller: 'tests', gate: undefined }, signal);
    return { ...drawn, html: drawn.html.replace(/<script>[^]*?<\/script>/g, '') };
  }

  test('the metadata service, localhost, the loopback address and a file give nothing', async () => {
    const urls = [
      'http://169.254.169.254/latest/meta-data/',
      `http://localhost:${secretPort()}/`,
      `http://127.0.0.1:${secretPort()}/`,
      'file:///etc/passwd',
    ];
    const { renderer } = browserWith(() => [PUBLIC]);
    const drawn = await attempt(renderer, `${JSON.stringify(urls)}.forEach(tryFetch)`);
    expect(urls.filter((url) => !drawn.html.includes(`${url} refused`))).toEqual([]);
    expect(drawn.html).not.toContain('GOT');
    expect(reached).toEqual([]);
  });

  test('a redirect to a private address gives nothing', async () => {
    const redirecting = createServer((_request, response) => {
      response.writeHead(302, { location: 'http://10.0.0.7/inside' }).end();
    });
    await new Promise<void>((resolve) => redirecting.listen(0, '127.0.0.1', resolve));
    const dialled: string[] = [];
    const guarded = createGuardedFetch({
      policy: createGuardPolicy(),
      userAgent: 'headgate-test',
      resolve: async () => [PUBLIC],
      connect: ({ address }) =>
        new Promise((done) => {
          dialled.push(address);
          const { port } = redirecting.address() as AddressInfo;
          const socket = connect(port, '127.0.0.1', () => done({ socket, remoteAddress: address }));
        }),
    });
    const renderer = createRenderer({
      configured: chromium,
      path: undefined,
      userAgent: 'headgate-test',
      open: guarded.fetch,
      own: guarded.fetch,
      clock: systemClock,
    });
    const drawn = await attempt(renderer, `tryFetch('http://hop.example/')`);
    redirecting.close();
    expect(drawn.html).toContain('http://hop.example/ refused');
    expect(dialled).toEqual([PUBLIC]);
  });

  test('a name that resolves to a public address first and to a private one later gives nothing the second time', async () => {
    let looks = 0;
    const { renderer, dialled } = browserWith((host) =>
      host === 'rebind.example' && looks++ > 0 ? ['127.0.0.1'] : [PUBLIC],
    );
    const drawn = await attempt(
      renderer,
      `tryFetch('http://rebind.example/first').then(() => tryFetch('http://rebind.example/second'))`,
    );
    expect(drawn.html).toContain('http://rebind.example/first GOT the secret');
    expect(drawn.html).toContain('http://rebind.example/second refused');
    expect(dialled).toEqual([PUBLIC]);
    expect(reached).toEqual(['GET /first']);
  });

  test('what the operator allows is open to its own pages only, not to a page of the web', async () => {
    const { renderer } = browserWith(() => ['10.0.0.7'], ['intranet.example']);
    const drawn = await attempt(renderer, `tryFetch('http://intranet.example/')`);
    expect(drawn.html).toContain('http://intranet.example/ refused');
    expect(reached).toEqual([]);
  });

  test('sockets, frames, workers, beacons, downloads, pop-ups and going there reach nothing', async () => {
    const { renderer } = browserWith(() => [PUBLIC]);
    const host = `127.0.0.1:${secretPort()}`;
    const drawn = await attempt(
      renderer,
      `const at = (name) => 'http://${host}/' + name;
      new WebSocket('ws://${host}/socket').onerror = () => note('socket refused');
      new Worker(URL.createObjectURL(new Blob(["fetch('" + at('worker') + "').then(() => postMessage('GOT'), () => postMessage('refused'))"])))
        .onmessage = (event) => note('worker ' + event.data);
      document.body.append(Object.assign(document.createElement('iframe'), { src: at('frame') }));
      document.body.append(Object.assign(new Image(), { src: at('image') }));
      document.head.append(Object.assign(document.createElement('link'), { rel: 'preconnect', href: at('') }));
      document.head.append(Object.assign(document.createElement('link'), { rel: 'prefetch', href: at('prefetch') }));
      navigator.sendBeacon(at('beacon'), 'words');
      navigator.serviceWorker?.register('/worker.js').catch(() => note('service worker refused'));
      window.open(at('popup'));
      note('peer ' + typeof RTCPeerConnection);
      const link = Object.assign(document.createElement('a'), { href: at('download'), download: 'x' });
      document.body.append(link);
      link.click();
      setTimeout(() => { location.href = at('away'); }, 200);`,
    );
    expect(drawn.url).toBe('http://site.example/');
    expect(drawn.html).toContain('socket refused');
    expect(drawn.html).toContain('worker refused');
    expect(drawn.html).toContain('peer undefined');
    expect(drawn.html).not.toContain('GOT');
    expect(drawn.warnings.join('\n')).toMatch(/requests were refused by the guard/);
    expect(reached).toEqual([]);
  });

  test('a script without end is stopped, and no process or profile stays behind', async () => {
    const controller = new AbortController();
    const { renderer } = browserWith(() => {
      controller.abort();
      return [PUBLIC];
    });
    const before = profiles();
    // The name is looked up while the script runs on.
    const drawing = attempt(renderer, `tryFetch('http://begun.example/'); for (;;) {}`, controller.signal);
    const failure = drawing.catch((thrown: unknown) => thrown);
    expect(await failure).toMatchObject({ code: 'cancelled' });
    expect(profiles()).toEqual(before);
  });
});

describe.runIf(chromium !== undefined)('text that a drawn page hides', { timeout: 60_000 }, () => {
  const SECRET = 'Eleven boats pass the lower weir before the bell rings twice.';
  const HIDDEN: [string, string][] = [
    ['display', '<div class="a">SECRET</div><style>.a{display:none}</style>'],
    ['a script', '<div id="b">SECRET</div><script>b.style.display = "none"</script>'],
    ['visibility', '<div class="c">SECRET</div><style>.c{visibility:hidden}</style>'],
    ['opacity', '<div style="opacity:.2"><div style="opacity:.2">SECRET</div></div>'],
    ['a box without height', '<div style="height:0;overflow:hidden">SECRET</div>'],
    ['size', '<div class="d">SECRET</div><style>.d{font-size:0}</style>'],
    ['place', '<div class="e">SECRET</div><style>.e{position:absolute;left:-9999px}</style>'],
    ['an indent', '<div style="text-indent:-9999px">SECRET</div>'],
    ['scale', '<div class="f">SECRET</div><style>.f{transform:scale(0)}</style>'],
    ['a move', '<div style="translate:-9999px">SECRET</div>'],
    ['a clip', '<div style="position:absolute;clip:rect(0,0,0,0)">SECRET</div>'],
    ['a shape', '<div class="g">SECRET</div><style>.g{clip-path:circle(0)}</style>'],
    ['a colour', '<div style="color:transparent">SECRET</div>'],
    ['a variable', '<div class="h">SECRET</div><style>:root{--x:none}.h{display:var(--x)}</style>'],
  ];
  const SHOWN: [string, string][] = [
    [
      'a script',
      '<div id="i" class="i">SECRET</div><style>.i{display:none}</style><script>i.className = ""</script>',
    ],
    [
      'visible inside invisible',
      '<div class="k"><p>SECRET</p></div><style>.k{visibility:hidden}.k p{visibility:visible}</style>',
    ],
    [
      'a section that waits for its reader',
      '<div style="height:3000px"></div><p id="j" style="opacity:0">SECRET</p><script>new IntersectionObserver((all) => all.forEach((one) => one.isIntersecting && (j.style.opacity = 1))).observe(j)</script>',
    ],
    ['a forged mark', '<div data-headgate="hidden">SECRET</div>'],
  ];
  const story =
    '<p>The mill stands at the bend of the river, and its wheel has turned there for two hundred years, through floods and frosts.</p>';

  /** Draws one page with all cases, whose script tries to undo every change that it sees. */
  async function draw(): Promise<string[]> {
    const guarded = createGuardedFetch({
      policy: createGuardPolicy(),
      userAgent: 'headgate-test',
      resolve: async () => [PUBLIC],
    });
    const renderer = createRenderer({
      configured: chromium,
      path: undefined,
      userAgent: 'headgate-test',
      open: guarded.fetch,
      own: guarded.fetch,
      clock: systemClock,
    });
    const undo = `<script>new MutationObserver((all) => { for (const { target } of all) if (target.style && target.id !== 'j') target.style.display = 'block'; })
      .observe(document.body, { attributes: true, childList: true, subtree: true });</script>`;
    const parts = [...HIDDEN, ...SHOWN].map(
      ([, html], index) => `<section>${html.replace('SECRET', `Case ${index}: ${SECRET}`)}</section>`,
    );
    const html = `<!doctype html><title>The mill</title><body><article><h1>The mill</h1>${story.repeat(4)}${parts.join('')}</article>${undo}</body>`;
    const page = { url: 'http://site.example/', bytes: Buffer.from(html), contentType: 'text/html' };
    const drawn = await renderer.render(page, { caller: 'tests', gate: undefined }, never);
    const markdown = htmlToMarkdown(drawn.html);
    return [...HIDDEN, ...SHOWN].flatMap(([name], index) =>
      markdown.includes(`Case ${index}:`) ? [name] : [],
    );
  }

  test('F65: it is left out whatever hides it, and what a reader sees stays', async () => {
    expect(await draw()).toEqual(SHOWN.map(([name]) => name));
  });
});

const profiles = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith('headgate-browser-'));
