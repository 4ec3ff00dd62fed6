import { GAP } from '../parse/block-text.ts';
import { groupBit } from '../parse/class-groups.ts';
import { attributeOf, type ElementNode, isText, type Tree } from '../parse/nodes.ts';

const APART =
  groupBit('comment') |
  groupBit('related') |
  groupBit('navigation') |
  groupBit('newsletter') |
  groupBit('cookie') |
  groupBit('search') |
  groupBit('ads');
const APART_TAGS = new Set(['aside', 'nav', 'label', 'select', 'textarea']);

const COMMENT = groupBit('comment');
const NEAR = 3;

/**
 * Whether an element belongs to a comment, teaser, form or menu and not to the page itself. Elements that
 * contain the heading or most of the page never do, and elements next to the heading only if they are
 * comments.
 */
export function standsApart(element: ElementNode, tree: Tree, heading: ElementNode | undefined): boolean {
  const isNear = standsNear(element, heading);
  for (let holder: ElementNode | undefined = element; holder !== undefined; holder = holder.parent) {
    if (isOfPage(holder, tree, heading)) return false;
    if ((holder.groups & (isNear ? COMMENT : APART)) !== 0 || holder.tag === 'form') return true;
    if (!isNear && (APART_TAGS.has(holder.tag) || isPageFooter(holder))) return true;
  }
  return false;
}

const standsNear = (element: ElementNode, heading: ElementNode | undefined): boolean =>
  heading !== undefined && Math.abs(element.first - heading.end) <= NEAR;

const isOfPage = (holder: ElementNode, tree: Tree, heading: ElementNode | undefined): boolean =>
  holder.end - holder.first > tree.blocks.length / 2 ||
  (heading !== undefined && holder.first <= heading.first && holder.end >= heading.end);

const TESTIMONIAL = /testimonial|customer|blockquote/i;
/** Who checked an article is another matter. */
const REVIEW = /review(?!ed|er)/i;

/**
 * Whether an element is part of a testimonial or a quote. Next to the heading, `review` refers to the page
 * itself.
 */
export function isTestimonial(element: ElementNode, tree: Tree, heading: ElementNode | undefined): boolean {
  const isNear = standsNear(element, heading);
  for (let holder: ElementNode | undefined = element; holder !== undefined; holder = holder.parent) {
    if (isOfPage(holder, tree, heading)) return false;
    const names =
      `${holder.tag} ${attributeOf(holder, 'class') ?? ''} ${attributeOf(holder, 'id') ?? ''}`.slice(
        0,
        NAMES_CHARS_MAX,
      );
    if (TESTIMONIAL.test(names) || (!isNear && REVIEW.test(names))) return true;
  }
  return false;
}

const NAMES_CHARS_MAX = 300;

function isPageFooter(element: ElementNode): boolean {
  if (element.tag !== 'footer') return false;
  for (let holder = element.parent; holder !== undefined; holder = holder.parent)
    if (holder.tag === 'article' || holder.tag === 'main') return false;
  return true;
}

const NODES_MAX = 300;

/** The beginning of an element's text. Block-level elements start a new line. */
export function innerText(element: ElementNode, charsMax: number): string {
  let text = '';
  let nodes = 0;
  const add = (holder: ElementNode): void => {
    for (const child of holder.children) {
      if (text.length > charsMax || nodes++ > NODES_MAX) return;
      if (isText(child)) text += child.text;
      else if (!child.skipped) {
        if (child.isBlock || child.tag === 'br') text += '\n';
        add(child);
        if (child.isBlock) text += '\n';
      }
    }
  };
  add(element);
  return text.slice(0, charsMax).replaceAll(GAP, ' ').trim();
}
