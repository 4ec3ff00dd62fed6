import { linkedObjects, textField } from './linked-data.ts';
import { createHiddenReader, FOLDED } from './hidden.ts';
import type { Block, ElementNode, Tree } from './nodes.ts';

/** Takes back that an element is hidden where the page says otherwise. */
export function unhide(tree: Tree): void {
  const hiddenRoots = tree.elements.filter(
    (element) => element.hidden !== '' && element.parent?.hidden === '',
  );
  if (hiddenRoots.length === 0) return;
  const all = countChars(tree.blocks);
  const body = readBody(tree);
  for (const root of hiddenRoots) {
    const own = tree.blocks.slice(root.first, root.end);
    if (isNearlyAll(own, all) || isBody(own, body)) unhideElement(tree, root);
  }
}

/** A page shows at least this share of its text; less means that a script shows the rest once the page is ready. */
const SHOWN_MIN = 0.1;

/** A hidden element with nearly all of the page's text is not hidden from readers. One with half of it may be a message for machines. */
const isNearlyAll = (own: Block[], all: number): boolean => all - countChars(own) < SHOWN_MIN * all;

const BODY_CHARS_MIN = 200;
const BODY_SHARE_MIN = 0.8;
const OPENING_CHARS = 60;
/** No article has more paragraphs, and each is looked for in the whole body. */
const BLOCKS_MAX = 500;

/** A hidden element whose text the page's own data calls the article: scripts of publishers hide it until they know the reader. */
function isBody(own: Block[], body: string): boolean {
  if (body === '' || own.length > BLOCKS_MAX) return false;
  const found = own.filter(({ text }) => body.includes(lettersOf(text).slice(0, OPENING_CHARS)));
  return countChars(found) >= Math.max(BODY_CHARS_MIN, BODY_SHARE_MIN * countChars(own));
}

function readBody({ head }: Tree): string {
  if (!head.linkedData.some((text) => text.includes('articleBody'))) return '';
  const bodies = linkedObjects(head).map((object) => textField(object, 'articleBody') ?? '');
  return lettersOf(bodies.join(' '));
}

/** Letters and digits alone, because markup and data space and punctuate differently. */
const lettersOf = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

const countChars = (blocks: Block[]): number => blocks.reduce((sum, { text }) => sum + text.length, 0);

function unhideElement({ elements }: Tree, root: ElementNode): void {
  const readHidden = createHiddenReader();
  root.hidden = '';
  for (let order = root.order + 1; order < elements.length; order++) {
    const element = elements[order] as ElementNode;
    if (element.depth <= root.depth) return;
    element.hidden = element.parent?.hidden || readHidden(element.attributes).replace(FOLDED, '');
  }
}
