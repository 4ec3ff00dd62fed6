// Writes what is generated from the code: the table that the MCP front answers from, the reference pages, and what hosts and
// registries read. `--check` fails when something is stale.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { clientFiles } from './reference/clients.ts';
import { commandPage } from './reference/commands.ts';
import { frontTable } from './reference/front-table.ts';
import { llmsFiles } from './reference/llms.ts';
import { referencePages } from './reference/pages.ts';
import { pictures } from './reference/picture.ts';

const root = join(import.meta.dirname, '..');
const files: Record<string, string> = {
  'src/mcp/front-table.json': `${JSON.stringify(frontTable(), null, 2)}\n`,
  ...clientFiles(),
  ...withNext({ ...referencePages(), 'docs/reference/commands.md': await commandPage() }),
  ...pictures(),
};
Object.assign(
  files,
  llmsFiles((file) => files[file] ?? readOr(join(root, file))),
);

const stale = Object.entries(files).filter(([file, text]) => text !== readOr(join(root, file)));
if (process.argv.includes('--check')) {
  if (stale.length > 0) {
    console.error(`Stale: ${stale.map(([file]) => file).join(', ')}. Run \`npm run generate\`.`);
    process.exitCode = 1;
  }
} else {
  for (const [file, text] of stale) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
}

/** Every page ends with what to read next: the other references. */
function withNext(pages: Record<string, string>): Record<string, string> {
  const names = Object.keys(pages).map((file) => /([a-z]+)\.md$/.exec(file)?.[1] ?? file);
  return Object.fromEntries(
    Object.entries(pages).map(([file, text]) => {
      const others = names.filter((name) => !file.endsWith(`/${name}.md`)).sort();
      const links = others.map((name) => `[${name}](${name}.md)`);
      return [file, `${text.trimEnd()}\n\nNext: ${links.join(' · ')}\n`];
    }),
  );
}

function readOr(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
