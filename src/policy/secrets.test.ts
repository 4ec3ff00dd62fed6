import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { benignQueries } from '../../tests/support/benign-queries.ts';
import { nearMissesOf, sampleOf, textOf } from '../../tests/support/secret-samples.ts';
import { seededRandom } from '../../tests/support/seeded-random.ts';
import { createKnownValues } from './known-values.ts';
import { SECRET_KINDS } from './secret-kinds.ts';
import { findSecrets, readings, readText, withoutSecrets } from './secrets.ts';

const kindsIn = (text: string): string[] => findSecrets(readText(text)).map(({ kind }) => kind);
const clean = (text: string): string => withoutSecrets(text, findSecrets(readText(text)));

test('every kind is found by its format and nothing that is only nearly one', () => {
  const random = seededRandom(31);
  const missed: string[] = [];
  const wrong: string[] = [];
  for (const kind of SECRET_KINDS) {
    for (let round = 0; round < 10; round += 1) {
      const sample = sampleOf(kind, random);
      if (!kindsIn(`why is ${sample} refused`).includes(kind.name)) missed.push(`${kind.name} ${sample}`);
      const near = nearMissesOf(kind, random).filter((text) => kindsIn(text).length > 0);
      wrong.push(...near.map((text) => `${kind.name} ${text}`));
    }
  }
  expect({ kinds: SECRET_KINDS.length, missed, wrong }).toEqual({
    kinds: expect.any(Number),
    missed: [],
    wrong: [],
  });
  expect(new Set(SECRET_KINDS.map(({ name }) => name)).size).toBe(SECRET_KINDS.length);
  expect(SECRET_KINDS.length).toBeGreaterThanOrEqual(80);
});

test('none of 10,000 benign queries looks like a secret', () => {
  const queries = benignQueries(seededRandom(32));
  const wrong = queries.map((query) => [kindsIn(query), query]).filter(([kinds]) => (kinds?.length ?? 0) > 0);
  expect([queries.length, wrong]).toEqual([10_000, []]);
});

describe('a secret', () => {
  const random = seededRandom(33);
  const kind = SECRET_KINDS.find(({ name }) => name === 'github-token');
  const secret = kind === undefined ? '' : sampleOf(kind, random);
  const password = textOf('[a-z]{4}[0-9]{3}[A-Z]{3}[0-9]{4}[a-z]{4}', random);
  const letters: Record<string, string> = { a: 'а', e: 'е', o: 'о', p: 'р', c: 'с' };
  const hidden: [name: string, text: string][] = [
    ['in percent escapes', [...secret].map((one) => `%${Buffer.from(one).toString('hex')}`).join('')],
    ['escaped twice', encodeURIComponent(encodeURIComponent(` ${secret}`))],
    ['in base64', Buffer.from(secret).toString('base64')],
    ['in base64url, within other text', Buffer.from(`note ${secret}?~ end`).toString('base64url')],
    ['in base64 twice', Buffer.from(Buffer.from(secret).toString('base64')).toString('base64')],
    ['in hexadecimal numbers', Buffer.from(secret).toString('hex')],
    [
      'in base64, then in hexadecimal numbers',
      Buffer.from(Buffer.from(secret).toString('base64')).toString('hex'),
    ],
    ['packed', gzipSync(secret).toString('base64')],
    ['between invisible characters', [...secret].join('\u200b')],
    [
      'in invisible tags',
      [...secret].map((one) => String.fromCodePoint((one.codePointAt(0) ?? 0) + 0xe0000)).join(''),
    ],
    ['in letters that look alike', secret.replaceAll(/[aeopc]/g, (one) => letters[one] ?? one)],
    [
      'in wide letters',
      [...secret].map((one) => String.fromCodePoint((one.codePointAt(0) ?? 0) + 0xfee0)).join(''),
    ],
    ['in the path of an address', `https://a.example/log/${secret}/x`],
    ['in the query of an address', `https://a.example/?q=1&k=${encodeURIComponent(secret)}`],
    ['as the user of an address', `https://${secret}@a.example/`],
    ['after the fragment of an address', `https://a.example/#${secret}`],
    ['that is called one', `DB_PASSWORD="${password}"`],
    ['in a header', `Authorization: Bearer ${password}`],
    ['in the credentials of an address', `postgres://app:${password}@db.example/app`],
  ];
  test.each(hidden)('%s is found and taken out', (_name, text) => {
    const query = `why does ${text} fail`;
    expect(kindsIn(query)).toHaveLength(1);
    const rest = clean(query);
    expect(rest).toMatch(/^why does .*\[secret\].* fail$/);
    expect(kindsIn(rest)).toEqual([]);
    expect([rest.includes(secret), rest.includes(password)]).toEqual([false, false]);
  });
});

describe('a known value', () => {
  const random = seededRandom(34);
  const value = textOf('[a-z0-9]{8}-[A-Z0-9]{12}', random);
  const words = 'the otter sleeps at noon';
  const known = createKnownValues(['unused value 1', value, words]);
  const found = (text: string): number | undefined => known.find(readings(readText(text)));
  const bytes = Buffer.from(`x${value}`);
  const rotated = value.replaceAll(/[a-z]/gi, (one) => {
    const first = one < 'a' ? 65 : 97;
    return String.fromCodePoint((((one.codePointAt(0) ?? 0) - first + 13) % 26) + first);
  });
  const forms: [name: string, text: string][] = [
    ['as it is', value],
    ['in labels of a host', `https://${value.slice(0, 7)}.${value.slice(7).toLowerCase()}.a.example/`],
    ['without its end', value.slice(0, -3)],
    ['rotated', rotated],
    ['backwards', [...value].toReversed().join('')],
    [
      'in base64, in the small letters of a host',
      `https://${bytes.toString('base64url').toLowerCase()}.a.example/`,
    ],
    ['in hexadecimal numbers, apart', bytes.toString('hex').replaceAll(/(..)/g, '$1 ')],
    ['between invisible characters', [...value].join('\u2063')],
    ['escaped and in base64', encodeURIComponent(Buffer.from(encodeURIComponent(value)).toString('base64'))],
  ];
  test.each(forms)('%s is found', (_name, text) => {
    expect(found(`look up ${text} please`)).toBe(1);
  });
  test('of words is found as a whole only', () => {
    expect([found('does the-otter-sleeps_at NOON'), found('the otter sleeps at night')]).toEqual([
      2,
      undefined,
    ]);
  });
  test('is not found in benign queries', () => {
    expect(benignQueries(seededRandom(35), 2_000).filter((query) => found(query) !== undefined)).toEqual([]);
  });
});
