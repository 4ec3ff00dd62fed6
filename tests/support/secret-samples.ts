import { crc32 } from 'node:zlib';
import type { SecretKind } from '../../src/policy/secret-kinds.ts';

/** Values in the formats of the table, made at run time: the repository contains none. */
export function sampleOf(kind: SecretKind, random: () => number, length?: 'shortest'): string {
  const given = pick(kind.prefixes, random);
  const prefix = given.startsWith('<') ? `${textOf('[0-9]{9}', random)}${given.slice(1)}` : given;
  if (kind.check === 'jwt') return tokenOf(random, length === 'shortest' ? 20 : 43);
  const body = textOf(kind.body, random, length);
  return `${prefix}${kind.check === 'crc' ? `${body.slice(0, -6)}${checksum(body.slice(0, -6))}` : body}`;
}

/** Texts that are nearly of a kind: too short, too long, in a word, with another alphabet, without randomness, from a manual. */
export function nearMissesOf(kind: SecretKind, random: () => number): string[] {
  const sample = sampleOf(kind, random, 'shortest');
  const [prefix = ''] = kind.prefixes.filter((one) => sample.includes(one.replace('<', '')));
  const start = sample.indexOf(prefix.replace('<', '')) + prefix.replace('<', '').length;
  const [head, body] = [sample.slice(0, start), sample.slice(start)];
  const half = Math.floor(body.length / 2);
  return [
    sample.slice(0, -1),
    sample.slice(0, head.length + half - 4),
    `${head}${'x'.repeat(body.length)}`,
    `${head}${body.slice(0, half)}… ${body.slice(half)}`,
    `${head}YOUR_KEY_HERE`,
    `${head}<your key>`,
    `${head}${body.slice(0, 6)}EXAMPLE${body.slice(13)}`,
    prefix.startsWith('<')
      ? sample.slice(9)
      : /^[A-Za-z0-9]/.test(sample)
        ? `x${sample}`
        : sample.slice(1, 20),
    ...(kind.check === 'crc' ? [`${sample.slice(0, -1)}${sample.endsWith('0') ? '1' : '0'}`] : []),
    ...(kind.check === 'jwt' ? [sample.replace(/^eyJ/, 'eyK')] : []),
  ];
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const pick = <One>(list: readonly One[], random: () => number): One =>
  list[Math.floor(random() * list.length)] as One;

function checksum(text: string): string {
  let [rest, digits] = [crc32(text), ''];
  for (; digits.length < 6; rest = Math.floor(rest / 62)) digits = `${BASE62[rest % 62]}${digits}`;
  return digits;
}

function tokenOf(random: () => number, signature: number): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ sub: textOf('[0-9]{9}', random) })}.${textOf(`[A-Za-z0-9_-]{${signature}}`, random)}`;
}

/** A text that a pattern matches: literals, classes, groups, alternatives and counts. */
export function textOf(pattern: string, random: () => number, length?: 'shortest'): string {
  let at = 0;
  const counted = (make: () => string): string => {
    const found = /^(?:\{(\d+)(,?)(\d*)\}|\?)/.exec(pattern.slice(at));
    if (found === null) return make();
    at += found[0].length;
    const min = Number(found[1] ?? 0);
    const most = found[0] === '?' ? 1 : found[2] === '' ? min : Number(found[3] || min + 8);
    const max = length === 'shortest' ? min : most;
    return Array.from({ length: min + Math.floor(random() * (max - min + 1)) }, make).join('');
  };
  const sequence = (): string => {
    const options: (() => string)[][] = [[]];
    while (at < pattern.length && pattern[at] !== ')') {
      if (pattern[at] === '|') {
        at += 1;
        options.push([]);
        continue;
      }
      const make = one();
      const text = counted(make);
      options.at(-1)?.push(() => text);
    }
    return pick(options, random)
      .map((part) => part())
      .join('');
  };
  const one = (): (() => string) => {
    if (pattern.startsWith('(?:', at)) {
      const begin = at + 3;
      at = begin;
      sequence();
      const inner = pattern.slice(begin, at);
      at += 1;
      return () => textOf(inner, random, length);
    }
    if (pattern[at] === '[') {
      const end = pattern.indexOf(']', at);
      const letters = classOf(pattern.slice(at, end + 1));
      at = end + 1;
      return () => pick(letters, random);
    }
    const escape = /^\\(?:x[0-9a-f]{2}|.)/.exec(pattern.slice(at))?.[0];
    const literal = escape ?? pattern.charAt(at);
    at += literal.length;
    const letters = escape === undefined ? [literal] : classOf(`[${literal}]`);
    return () => pick(letters, random);
  };
  return sequence();
}

const PRINTABLE = Array.from({ length: 95 }, (_, index) => String.fromCodePoint(index + 32));

const classOf = (source: string): string[] => {
  const matches = new RegExp(source);
  return PRINTABLE.filter((letter) => matches.test(letter));
};
