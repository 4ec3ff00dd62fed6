import { LIMITS } from '../../core/limits.ts';
import { clip, oneLine } from '../../core/text.ts';
import type { FeatureTable } from '../features/row.ts';
import type { Block, ElementNode, Tree } from '../parse/nodes.ts';
import type { Pass, PassPage } from './pass.ts';

/** Why a page was extracted the way it was: what each pass did to each block. All texts come from the page. */
export interface Explanation {
  /** The passes in order, with the number of blocks that each of them kept, dropped and rewrote. */
  passes: ExplainedPass[];
  /** The blocks in the order of the page, at most `LIMITS.explainBlocksMax`. */
  blocks: ExplainedBlock[];
  /** The number of blocks that are not listed. */
  omitted: number;
}

export interface ExplainedPass {
  name: string;
  why: string;
  madeFor: string;
  kept: number;
  dropped: number;
  rewritten: number;
}

export interface ExplainedBlock {
  /** Whether it is in the result. */
  isKept: boolean;
  /** The probability that it is content; absent where the model was not asked. */
  probability?: number;
  /** Its element and the two around it, such as `main > ul > li`. */
  path: string;
  /** The beginning of its text. */
  excerpt: string;
  /** Why readers cannot see it. */
  hidden?: string;
  steps: { pass: string; did: Did }[];
  /** What the model was given, without the values that are 0. */
  features?: Record<string, number>;
}

type Did = 'kept' | 'dropped' | 'rewritten';

/** Watches a page on its way through the passes. */
export interface Explainer {
  seeFeatures(table: FeatureTable): void;
  run(pass: Pass, page: PassPage): void;
  explain(): Explanation;
}

/** Creates the explainer of one page. It compares the page before and after each pass, so that passes need not report. */
export function createExplainer(): Explainer {
  const passes: ExplainedPass[] = [];
  const replaced: ExplainedBlock[] = [];
  let blocks: ExplainedBlock[] = [];
  let texts: string[] = [];
  let tree: Tree | undefined;
  let table: FeatureTable | undefined;
  const begin = (page: PassPage): void => {
    // The model saw the first tree only.
    const isFirst = tree === undefined;
    replaced.push(...blocks);
    tree = page.tree;
    texts = tree.blocks.map(({ text }) => text);
    blocks = tree.blocks.map((block, index) => ({
      ...describe(block),
      ...(isFirst ? { probability: round(page.chances[index] ?? 0), ...featuresOf(table, index) } : {}),
    }));
  };
  const run = (pass: Pass, page: PassPage): void => {
    const { name, why, madeFor } = pass;
    const summary: ExplainedPass = { name, why, madeFor, kept: 0, dropped: 0, rewritten: 0 };
    passes.push(summary);
    const note = (block: ExplainedBlock, did: Did): void => {
      if (did !== 'rewritten') block.isKept = did === 'kept';
      block.steps.push({ pass: name, did });
      summary[did] += 1;
    };
    if (tree === undefined) begin(page);
    pass.run(page);
    if (page.tree !== tree) {
      for (const block of blocks) if (block.isKept) note(block, 'dropped');
      begin(page);
    }
    for (const [index, block] of blocks.entries()) {
      const isKept = page.keep[index] === 1;
      if (block.steps.length === 0 || isKept !== block.isKept) note(block, isKept ? 'kept' : 'dropped');
      const { text } = page.tree.blocks[index] as Block;
      if (text !== texts[index]) note(block, 'rewritten');
      texts[index] = text;
    }
  };
  return {
    seeFeatures: (seen) => void (table = seen),
    run,
    explain: () => {
      const all = [...replaced, ...blocks];
      const listed = all.slice(0, LIMITS.explainBlocksMax);
      return { passes, blocks: listed, omitted: all.length - listed.length };
    },
  };
}

function describe({ element, text }: Block): ExplainedBlock {
  return {
    isKept: false,
    path: pathOf(element),
    excerpt: clip(oneLine(text.slice(0, 4 * LIMITS.explainExcerptChars)), LIMITS.explainExcerptChars),
    ...(element.hidden === '' ? {} : { hidden: element.hidden }),
    steps: [],
  };
}

const PATH_ELEMENTS = 3;

function pathOf(start: ElementNode): string {
  const tags: string[] = [];
  for (
    let at: ElementNode | undefined = start;
    at?.parent !== undefined && tags.length < PATH_ELEMENTS;
    at = at.parent
  )
    tags.unshift(clip(at.tag, LIMITS.explainExcerptChars));
  return tags.join(' > ');
}

function featuresOf(table: FeatureTable | undefined, row: number): Pick<ExplainedBlock, 'features'> {
  if (table === undefined) return {};
  const entries = table.names.map((name, at): [string, number] => [
    name,
    round(table.values[row * table.width + at] ?? 0),
  ]);
  return { features: Object.fromEntries(entries.filter(([, value]) => value !== 0)) };
}

const round = (value: number): number => Math.round(value * 1_000) / 1_000;
