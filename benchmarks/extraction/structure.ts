import { htmlStructures, type HtmlStructures } from './html-structures.ts';
import { other } from './libraries.ts';
import { markdownStructures } from './markdown-structures.ts';
import { mean, scoreBags } from './metric.ts';
import type { Structures, SyntaxNode } from './syntax.ts';

const KINDS = ['heading', 'code', 'link', 'image', 'table', 'cell', 'item', 'emphasis', 'inlineCode'];

interface Sample {
  html: string;
  url: string;
  markdown: string;
}

export interface StructureScores {
  /** F1 by kind, each averaged over the pages that have it, and the mean of the kinds. */
  meanF1: number;
  kinds: Record<string, number>;
  /** The same when nothing is free: neither what GFM has no place for, nor what is a matter of taste. */
  strictF1: number;
  strictKinds: Record<string, number>;
}

/** How well the structures of pages survive in their Markdown, read back with remark-gfm. */
export async function compareStructures(samples: Sample[]): Promise<StructureScores> {
  const read = await readers();
  const pairs = samples.map(({ html, url, markdown }): [HtmlStructures, Structures] => [
    htmlStructures(read.html(html), url),
    markdownStructures(read.markdown(markdown), url),
  ]);
  const kinds = byKind(pairs, ({ wanted, free, allowed }, found, kind) => {
    const [must, may] = [wanted[kind] ?? [], [...(free[kind] ?? []), ...(allowed[kind] ?? [])]];
    return [must, without(found, must, may)];
  });
  const strictKinds = byKind(pairs, ({ wanted, free }, found, kind) => [
    [...(wanted[kind] ?? []), ...(free[kind] ?? [])],
    found,
  ]);
  return {
    meanF1: mean(Object.values(kinds)),
    kinds,
    strictF1: mean(Object.values(strictKinds)),
    strictKinds,
  };
}

/** The bags to compare, of one page and kind. */
type Bags = (page: HtmlStructures, found: string[], kind: string) => [wanted: string[], found: string[]];

function byKind(pairs: [HtmlStructures, Structures][], bags: Bags): Record<string, number> {
  const scored = KINDS.map((kind): [string, number[]] => {
    const compared = pairs.map(([page, found]) => bags(page, found[kind] ?? [], kind));
    const present = compared.filter(([wanted, found]) => wanted.length > 0 || found.length > 0);
    return [kind, present.map(([wanted, found]) => scoreBags(wanted, found).f1)];
  });
  return Object.fromEntries(
    scored.flatMap(([kind, scores]) =>
      scores.length === 0 ? [] : [[kind, Number(mean(scores).toFixed(4))]],
    ),
  );
}

/** What was found, less what may be and need not. */
function without(found: string[], wanted: string[], allowed: string[]): string[] {
  const [left, free] = [[...wanted].sort(), [...allowed].sort()];
  const take = (list: string[], item: string): boolean => {
    const place = list.indexOf(item);
    if (place >= 0) list.splice(place, 1);
    return place >= 0;
  };
  return found.filter((item) => take(left, item) || !take(free, item));
}

async function readers(): Promise<Record<'html' | 'markdown', (text: string) => SyntaxNode>> {
  type Processor = { use(plugin: unknown, options?: unknown): Processor; parse(text: string): SyntaxNode };
  const { unified } = await other<{ unified(): Processor }>('unified');
  const plugin = async (name: string): Promise<unknown> => (await other<{ default: unknown }>(name)).default;
  const html = unified().use(await plugin('rehype-parse'));
  const markdown = unified()
    .use(await plugin('remark-parse'))
    .use(await plugin('remark-gfm'));
  return { html: (text) => html.parse(text), markdown: (text) => markdown.parse(text) };
}
