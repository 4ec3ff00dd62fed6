import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

export type Extract = (html: string, url: string) => string | Promise<string>;
export type Convert = (html: string, url: string) => string;

/** What the others need; installed into a temporary folder, never into the project. */
const PACKAGES = [
  'jsdom@26.1',
  '@mozilla/readability@0.6',
  'linkedom@0.18.12',
  'defuddle@0.19',
  'turndown@7',
  'turndown-plugin-gfm@1',
  'unified@11',
  'remark-parse@11',
  'remark-gfm@4',
  'rehype-parse@9',
];
const folder = join(tmpdir(), 'headgate-benchmark-extraction');

/** Installs the libraries to compare with; says so and returns false when that fails. */
export function installOthers(): boolean {
  if (existsSync(join(folder, 'installed'))) return true;
  mkdirSync(folder, { recursive: true });
  // linkedom 0.18.15 depends on a package that not every registry has.
  writeFileSync(
    join(folder, 'package.json'),
    '{"private":true,"type":"module","overrides":{"linkedom":"0.18.12"}}',
  );
  try {
    execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...PACKAGES], {
      cwd: folder,
      stdio: 'ignore',
    });
    writeFileSync(join(folder, 'installed'), '');
    return true;
  } catch {
    console.error('The libraries to compare with could not be installed; they are skipped.');
    return false;
  }
}

/** Our own code as it is published, bundled: the others come so, too, and a loader of TypeScript in between costs time of its own. */
const ours = (): Promise<typeof import('../../src/extract.ts')> => (bundled ??= bundle());
let bundled: ReturnType<typeof bundle> | undefined;

async function bundle(): Promise<typeof import('../../src/extract.ts')> {
  const outfile = join(folder, 'headgate.mjs');
  await build({
    entryPoints: [join(import.meta.dirname, '../../src/extract.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    external: ['unpdf'],
    minify: true,
    logLevel: 'error',
  });
  return (await import(pathToFileURL(outfile).href)) as typeof import('../../src/extract.ts');
}

/** Imports a package from the temporary folder, by way of a file that stands in it. */
export async function other<T>(name: string): Promise<T> {
  const door = join(folder, 'door.mjs');
  writeFileSync(door, 'export const load = (name) => import(name);\n');
  const { load } = (await import(pathToFileURL(door).href)) as { load(name: string): Promise<T> };
  return load(name);
}

interface DomNode {
  nodeType: number;
  nodeName: string;
  nodeValue: string | null;
  firstChild: DomNode | null;
  nextSibling: DomNode | null;
}

const BREAKS =
  /^(address|article|aside|blockquote|br|dd|div|dl|dt|figcaption|figure|footer|h[1-6]|header|hr|li|main|ol|p|pre|section|table|td|th|tr|ul)$/i;

/** Text with line breaks between blocks: better for the others than `textContent`. */
function domText(node: DomNode): string {
  if (node.nodeType === 3) return node.nodeValue ?? '';
  if (node.nodeType !== 1 || /^(script|style|noscript|template)$/i.test(node.nodeName)) return '';
  let inner = '';
  for (let child = node.firstChild; child !== null; child = child.nextSibling) inner += domText(child);
  return BREAKS.test(node.nodeName) ? `\n${inner}\n` : inner;
}

type Reader = new (document: unknown, options: object) => { parse(): { content: DomNode } | null };

const AS_NODE = { serializer: (node: unknown): unknown => node };

/** Extractors by name; each is made when it is asked for. */
export const EXTRACTORS: Record<string, () => Promise<Extract>> = {
  headgate: async () => {
    const { extractHtml } = await ours();
    return (html, url) => extractHtml(html, { url }).text;
  },
  'headgate, with Markdown': async () => {
    const { extractHtml } = await ours();
    return (html, url) => {
      const { markdown, text } = extractHtml(html, { url });
      return markdown === '' ? '' : text;
    };
  },
  'readability+jsdom': async () => {
    const { Readability } = await other<{ Readability: Reader }>('@mozilla/readability');
    const { JSDOM, VirtualConsole } = await other<{
      JSDOM: new (html: string, options: object) => { window: { document: unknown; close(): void } };
      VirtualConsole: new () => object;
    }>('jsdom');
    const virtualConsole = new VirtualConsole();
    return (html, url) => {
      const page = new JSDOM(html, { url, virtualConsole });
      const found = new Readability(page.window.document, AS_NODE).parse();
      const text = found === null ? '' : domText(found.content);
      page.window.close();
      return text;
    };
  },
  'readability+linkedom': async () => {
    const { Readability } = await other<{ Readability: Reader }>('@mozilla/readability');
    const { parseHTML } = await other<{ parseHTML(html: string): { document: unknown } }>('linkedom');
    return (html) => {
      const found = new Readability(parseHTML(html).document, AS_NODE).parse();
      return found === null ? '' : domText(found.content);
    };
  },
  'defuddle+linkedom': async () => {
    const { Defuddle } = await other<{
      Defuddle(document: unknown, url: string, options: object): Promise<{ content?: string }>;
    }>('defuddle/node');
    const { parseHTML } = await other<{
      parseHTML(html: string): { document: { documentElement: DomNode } };
    }>('linkedom');
    return async (html, url) => {
      const found = await Defuddle(parseHTML(html).document, url, { useAsync: false });
      return domText(parseHTML(`<html><body>${found.content ?? ''}</body></html>`).document.documentElement);
    };
  },
};

/** Converters of whole pages to Markdown. */
export const CONVERTERS: Record<string, () => Promise<Convert>> = {
  headgate: async () => {
    const { htmlToMarkdown } = await ours();
    return (html, url) => htmlToMarkdown(html, { url });
  },
  'turndown+gfm': async () => {
    const { default: Turndown } = await other<{
      default: new (options: object) => { use(plugin: unknown): void; turndown(html: string): string };
    }>('turndown');
    const { gfm } = await other<{ gfm: unknown }>('turndown-plugin-gfm');
    const service = new Turndown({ headingStyle: 'atx', codeBlockStyle: 'fenced', bulletListMarker: '-' });
    service.use(gfm);
    return (html) => service.turndown(html);
  },
};
