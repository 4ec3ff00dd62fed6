import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { configRows } from '../../src/config/rows.ts';
import { RESEARCH_PHASES } from '../../src/contract/research.ts';
import { SURFACES } from '../../src/core/call-row.ts';
import { KEY_SCOPES } from '../../src/core/grant.ts';
import { OUTCOMES } from '../../src/core/outcome.ts';
import { ROLES } from '../../src/core/roles.ts';
import { BUDGET_LEVELS } from '../../src/store/ledger/budget.ts';
import { CALL_GROUPS } from '../../src/store/calls.ts';
import { LEDGER_KINDS } from '../../src/store/ledger/types.ts';
import { LEDGER_SORTS } from '../../src/store/ledger-pages.ts';
import { openapiOf } from '../../src/gateway/openapi.ts';
import { operations } from '../../src/gateway/operations.ts';
import { createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';

const folder = resolve(import.meta.dirname, '../../src/gateway/console/static');
const scripts = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.js'),
);
const dictionary = async (name: string) =>
  ((await import(join(folder, `${name}.js`))) as Record<string, Record<string, string>>)[name] ?? {};
const [en, ja] = [await dictionary('en'), await dictionary('ja')];
const read = (name: string) => readFileSync(join(folder, name), 'utf8');

describe('the dictionaries', () => {
  test('have the same texts with the same values in both languages', () => {
    expect(Object.keys(ja).sort()).toEqual(Object.keys(en).sort());
    const valuesOf = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(String).sort();
    const different = Object.entries(en).filter(
      ([key, text]) => String(valuesOf(text)) !== String(valuesOf(ja[key] ?? '')),
    );
    expect(different).toEqual([]);
  });

  test('know every text that the pages use, and nothing else', () => {
    const code = scripts
      .filter((name) => !/^(en|ja)\.js$/.test(name))
      .map(read)
      .join('\n');
    const used = [...code.matchAll(/\bt\(\s*'([\w.]+)'/g)].map(([, key]) => key ?? '');
    expect(used.length).toBeGreaterThan(150);
    expect(used.filter((key) => !(key in en))).toEqual([]);
    const made = [...code.matchAll(/\bt\(`([\w.]+)\.\$\{/g)].map(([, start]) => `${start}.`);
    const named = new Set([...code.matchAll(/'([\w.]+)'/g)].map(([, key]) => key));
    const unused = Object.keys(en).filter(
      (key) => !named.has(key) && !made.some((start) => key.startsWith(start)),
    );
    expect(unused).toEqual([]);
  });
});

test('offers what the product has, and nothing else', async () => {
  const lists = (await import(join(folder, 'lists.js'))) as Record<string, string[]>;
  expect({ ...lists }).toEqual({
    OUTCOMES,
    SURFACES,
    ROLES,
    SCOPES: KEY_SCOPES,
    PHASES: RESEARCH_PHASES,
    LEVELS: BUDGET_LEVELS,
    LEDGER_KINDS,
    LEDGER_SORTS,
    CALL_GROUPS,
  });
});

test('every kind of ledger entry has a word in both languages', () => {
  for (const kind of LEDGER_KINDS)
    expect([en[`ledger.${kind}`], ja[`ledger.${kind}`]]).not.toContain(undefined);
});

test('every parameter and operation of the forms has Japanese words', async () => {
  const { LABELS, HELPS } = (await import(join(folder, 'params-ja.js'))) as Record<
    string,
    Record<string, string>
  >;
  const { paths } = openapiOf(operations) as { paths: Record<string, { post?: Form }> };
  interface Form {
    description: string;
    requestBody?: {
      content: Record<string, { schema: { properties: Record<string, { description?: string }> } }>;
    };
  }
  const forms = Object.entries(paths).flatMap(([path, { post }]) =>
    path.lastIndexOf('/') === 0 && path !== '/research_session' && post?.requestBody ? [post] : [],
  );
  expect(forms.length).toBeGreaterThan(5);
  const fields = forms.flatMap((form) =>
    Object.entries(form.requestBody?.content['application/json']?.schema.properties ?? {}),
  );
  const sentences = [
    ...forms.map((form) => form.description),
    ...fields.map(([, field]) => field.description ?? ''),
  ];
  expect(fields.map(([name]) => name).filter((name) => !(name in (LABELS ?? {})))).toEqual([]);
  expect(sentences.filter((text) => text !== '' && !(text in (HELPS ?? {})))).toEqual([]);
});

test('every setting is described in Japanese', () => {
  const known = JSON.parse(read('config-ja.json')) as Record<string, string>;
  const keys = configRows(loadConfig({}).config, {})
    .filter(({ description }) => description !== '')
    .map(({ key }) => key.replace(/^(providers|tiers)\.\w+/, '$1.*'));
  expect(new Set(Object.keys(known))).toEqual(new Set(keys));
});

test('nothing of the console makes markup from text or code from strings', () => {
  expect(scripts.length).toBeGreaterThan(15);
  const risky =
    /innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|document\.write|\beval\(|new Function|srcdoc/;
  expect(scripts.filter((name) => risky.test(read(name)))).toEqual([]);
});

describe('the console’s files', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await createTestGateway();
  });
  afterAll(() => gateway.close());
  const get = (path: string, headers: Record<string, string> = {}) =>
    gateway.app.request(`http://127.0.0.1${path}`, { headers });

  test('come with a policy that lets only them run, and that nothing may frame', async () => {
    for (const path of ['/', '/console/app.js', '/console/style.css']) {
      const { headers, status } = await get(path);
      expect(status).toBe(200);
      const policy = headers.get('content-security-policy') ?? '';
      for (const rule of [
        "default-src 'self'",
        "frame-ancestors 'none'",
        "object-src 'none'",
        "base-uri 'none'",
      ])
        expect(policy).toContain(rule);
      expect(policy).not.toMatch(/unsafe|\*|http/);
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
    }
  });

  test('no path leads to another file', async () => {
    for (const path of [
      '/console/../auth.ts',
      '/console/%2e%2e/auth.ts',
      '/console/..%2fauth.ts',
      '/console/vendor.json',
      '/console/',
    ])
      expect([path, (await get(path)).status]).toEqual([path, 404]);
  });

  test('are asked for again and not sent again', async () => {
    const first = await get('/console/app.js');
    const again = await get('/console/app.js', { 'if-none-match': first.headers.get('etag') ?? '' });
    expect([again.status, await again.text()]).toEqual([304, '']);
  });

  const files = new Map<string, { bytes: number; links: string[] }>();
  async function file(path: string) {
    const response = await get(path, { 'accept-encoding': 'gzip' });
    expect([path, response.status]).toEqual([path, 200]);
    const text = await (await get(path)).text();
    const links = [...text.matchAll(/(?:from|src=|href=)\s*["']([./][^"']*\.(?:js|css|svg))["']/g)];
    return {
      bytes: (await response.arrayBuffer()).byteLength,
      links: links.map(([, link = '']) => new URL(link, `http://x${path}`).pathname),
    };
  }
  /** What a browser loads for these files, compressed. */
  async function weigh(paths: string[]): Promise<number> {
    const wanted = new Set(paths);
    let total = 0;
    for (const path of wanted) {
      const found = files.get(path) ?? (await file(path));
      files.set(path, found);
      total += found.bytes;
      for (const link of found.links) wanted.add(link);
    }
    return total;
  }

  test('every page is at most 65 kB, compressed, in both languages, and all together 140 kB', async () => {
    const pages = scripts.filter((name) => name.startsWith('pages/')).map((name) => `/console/${name}`);
    expect(pages.length).toBeGreaterThan(15);
    const weights: { page: string; language: string; bytes: number }[] = [];
    for (const language of ['en', 'ja'])
      for (const page of pages)
        weights.push({ page, language, bytes: await weigh(['/', `/console/${language}.js`, page]) });
    expect(weights.filter(({ bytes }) => bytes > 65_000)).toEqual([]);
    expect(await weigh(['/', ...scripts.map((name) => `/console/${name}`)])).toBeLessThan(140_000);
  });
});
