import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { expect, test } from 'vitest';
import { withSharedShapes } from '../../scripts/build/shapes.mjs';
import { root } from '../../scripts/sources-hash.mjs';

const dist = join(root, 'dist');

test('objects that are made by spreading have one shape in the built code', () => {
  const made = withSharedShapes('const made=(a,b)=>({...a,b});');
  const program = `${made} console.log(%HaveSameMap(made({ a: 1 }, 2), made({ a: 3 }, 4)));`;
  const said = execFileSync(process.execPath, ['--allow-natives-syntax', '-e', program], { encoding: 'utf8' });
  expect(said.trim()).toBe('true');
});

test('every object literal that begins with a spread begins as an empty object, and no text was changed', () => {
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.cjs'));
  const left: string[] = [];
  let found = 0;
  for (const file of files) {
    const code = readFileSync(join(dist, file), 'utf8').replace(/^#!.*/, '');
    if (!code.includes('{...')) continue;
    const literals = literalsIn(parseAst(code, { sourceType: 'script', lang: 'js' }));
    const begun = literals.filter(({ start }) => code.startsWith('{...null,', start));
    left.push(...literals.filter((one) => !begun.includes(one) && one.properties.length > 1).map(({ start }) => code.slice(start, start + 60)));
    expect(code.split('{...null,').length - 1).toBe(begun.length);
    found += begun.length;
  }
  expect(left).toEqual([]);
  expect(found).toBeGreaterThan(500);
});

interface Literal {
  start: number;
  properties: { type: string }[];
}

/** The object literals that begin with a spread. */
function literalsIn(node: unknown): Literal[] {
  if (Array.isArray(node)) return node.flatMap(literalsIn);
  if (typeof node !== 'object' || node === null) return [];
  const { type, properties } = node as { type?: string; properties?: { type: string }[] };
  const own = type === 'ObjectExpression' && properties?.[0]?.type === 'SpreadElement' ? [node as Literal] : [];
  return [...own, ...Object.values(node).flatMap(literalsIn)];
}
