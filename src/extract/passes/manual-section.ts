import { attributeOf, type ElementNode, isText, shortText } from '../parse/nodes.ts';
import { HEADING_TAGS } from '../parse/tags.ts';

/**
 * Whether an element is a section of a manual whose id is derived from its heading, like that of its parent
 * or a sibling. A section about comments is not a comment section, unless it contains a form or comments.
 */
export function isManualSection(element: ElementNode): boolean {
  const { parent, tag } = element;
  if (parent === undefined || !isNamedByHeading(element) || holdsComments(element)) return false;
  if (isNamedByHeading(parent)) return true;
  return parent.children
    .slice(0, SIBLINGS_MAX)
    .some(
      (other) =>
        !isText(other) &&
        other.tag === tag &&
        !/comment|respond/i.test(attributeOf(other, 'id') ?? '') &&
        isNamedByHeading(other),
    );
}

const SIBLINGS_MAX = 50;

const LEADING_MAX = 4;

function isNamedByHeading(element: ElementNode): boolean {
  const id = lettersOf(attributeOf(element, 'id') ?? '');
  if (id === '') return false;
  const heading = HEADING_TAGS.has(element.tag)
    ? element
    : element.children.slice(0, LEADING_MAX).find(({ tag }) => HEADING_TAGS.has(tag));
  return heading !== undefined && !isText(heading) && lettersOf(shortText(heading)) === id;
}

const ID_CHARS_MAX = 100;

/** Letters alone: the number of a section is in its heading only. */
const lettersOf = (text: string): string =>
  text
    .slice(0, ID_CHARS_MAX)
    .toLowerCase()
    .replace(/[^\p{L}]+/gu, '');

const NODES_MAX = 500;

function holdsComments(element: ElementNode): boolean {
  const waiting = [element];
  for (const holder of waiting)
    for (const child of holder.children) {
      // Classes of inline elements belong to highlighted code.
      if (isText(child) || !child.isBlock) continue;
      if (child.tag === 'form' || isNamedForComment(child)) return true;
      if (waiting.length >= NODES_MAX) return false;
      waiting.push(child);
    }
  return false;
}

const isNamedForComment = (element: ElementNode): boolean =>
  /comment|respond|reply|disqus/i.test(attributeOf(element, 'class') ?? '') ||
  /^(?:li-)?comment[_-]?\d|^respond$|^disqus/i.test(attributeOf(element, 'id') ?? '');
