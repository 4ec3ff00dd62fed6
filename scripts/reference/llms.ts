// llms.txt, an index of the documentation for language models (llmstxt.org), and llms-full.txt, its pages in one file. Both are
// made from docs/README.md, so that a page is listed once.
import { posix } from 'node:path';

/** References that are long and for people who look something up; they are linked, not included. */
const LEFT_OUT =
  /^docs\/(?:reference\/(?:commands|configuration|limits|providers)|specs\/|examples\/|faults|ja\/)/;

export function llmsFiles(read: (file: string) => string): Record<string, string> {
  const index = read('docs/README.md');
  const body = index
    .slice(index.indexOf('## Start'), index.indexOf('\nNext:'))
    .replace(/\]\(([^)]+)\)/g, (_, link: string) => `](${posix.join('docs', link)})`)
    .trim();
  const [sentence = ''] = /\*\*The gate.+/.exec(read('README.md')) ?? [];
  const start = `# Headgate

> ${sentence.replaceAll('**', '')}

Not on npm yet: clone the repository, then \`npm start\` for the gateway on http://127.0.0.1:8787, or \`npm run build && npm i -g .\` and \`headgate mcp\` for MCP clients. No key is needed. A running gateway
has its own /llms.txt, /llms-full.txt, /docs and /openapi.json.
`;
  const linked = [...body.matchAll(/\]\(([^)#]+\.md)\)/g)].map((match) => match[1] ?? '');
  const pages = [...new Set(['README.md', ...linked])].filter(
    (file) => /^(?:README|docs\/)/.test(file) && !LEFT_OUT.test(file),
  );
  return {
    'llms.txt': `${start}\n${body}\n`,
    'llms-full.txt': `${start}\n${pages.map((file) => `<!-- ${file} -->\n\n${read(file).trim()}\n`).join('\n')}`,
  };
}
