// Writes what is generated from the code: the table that the MCP front answers from, the reference pages, and what hosts and
// registries read. `--check` fails when something is stale.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { frontTable } from './reference/front-table.ts';
import { clientFiles } from './reference/clients.ts';
import { commandPage } from './reference/commands.ts';
import { referencePages } from './reference/pages.ts';

const root = join(import.meta.dirname, '..');
const files: Record<string, string> = {
  'src/mcp/front-table.json': `${JSON.stringify(frontTable(), null, 2)}\n`,
  ...clientFiles(),
  ...referencePages(),
  'docs/reference/commands.md': await commandPage(),
};

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

function readOr(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
