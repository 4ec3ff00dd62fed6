import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { contractTypes } from '../../scripts/reference/contract-types.ts';
import { root } from '../../scripts/sources-hash.mjs';

const cache = join(root, 'node_modules/.cache');

test('the types printed for the package and those inferred from the schemas fit each other', () => {
  const printed = contractTypes();
  const names = [...printed.matchAll(/^export type (\w+)/gm)].map(([, name = '']) => name);
  expect(names).toContain('SearchRequest');
  const lines = names.map(
    (name) => `export const ${name}: [Inferred.${name}, Printed.${name}] =
      null as never as [Printed.${name}, Inferred.${name}];`,
  );
  const mistake = `// @ts-expect-error A difference is found.
    export const mistake: Inferred.SearchHit = null as never as Omit<Printed.SearchHit, 'score'>;`;
  expect(compile(printed, [...lines, mistake])).toBe('');
});

/** What the compiler says. */
function compile(printed: string, lines: string[]): string {
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'contract-types-'));
  try {
    writeFileSync(join(folder, 'printed.ts'), printed.replace('../core', join(root, 'src/core')));
    const head = `import type * as Inferred from '${root}/src/contract/types.ts';
      import type * as Printed from './printed.ts';`;
    writeFileSync(join(folder, 'agree.ts'), [head, ...lines].join('\n'));
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ extends: join(root, 'tsconfig.json'), include: [], files: ['agree.ts'] }),
    );
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    return execFileSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' });
  } catch (thrown) {
    return String((thrown as { stdout?: string }).stdout ?? thrown);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
