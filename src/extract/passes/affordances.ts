import { attributeOf, type ElementNode, shortText, skip } from '../parse/nodes.ts';
import { HEADING_TAGS } from '../parse/tags.ts';
import type { Pass, PassPage } from './pass.ts';

/** The permalink signs of documentation, after headings and definitions. */
const SIGN = /^[¶#§∞🔗⚓]\uFE0F?$/u;
/** Characters that only a font of icons can show. */
const ICON = /^[\uE000-\uF8FF]+$/;
const EDIT = /(^|\s)mw-editsection(\s|$)/;
const COPIES = /copy|copied|clipboard/i;
const COPY =
  /^((copy|copied!?)( code| text| snippet| command| block| to| the| clipboard){0,4}|コピー|复制(代码)?|複製|kopieren|copier|copiar)$/i;

/**
 * Removes UI affordances: heading permalinks, wiki edit links and copy-code buttons. Only what can be removed from the
 * text of the block as well is removed.
 */
export const affordances = {
  name: 'affordances',
  why: 'Permalinks, edit links and copy buttons say nothing about the content and cost a reader a line each.',
  madeFor: 'documentation and wikis',
  run: dropAffordances,
} satisfies Pass;

function dropAffordances({ tree }: Pick<PassPage, 'tree'>): void {
  for (const element of tree.elements) {
    if (element.skipped) continue;
    if (!isPermalink(element) && !isCopyButton(element)) {
      if (isOwnLink(element)) element.attributes = [];
      continue;
    }
    const block = tree.blocks[element.first];
    const text = shortText(element);
    if (block === undefined || text === '' || !(block.text.endsWith(text) || block.text.startsWith(text)))
      continue;
    block.text = block.text.endsWith(text)
      ? block.text.slice(0, -text.length).trimEnd()
      : block.text.slice(text.length).trimStart();
    skip(element);
  }
}

function isPermalink(element: ElementNode): boolean {
  if (element.tag === 'span') return EDIT.test(attributeOf(element, 'class') ?? '');
  if (element.tag !== 'a' || element.holdsBlocks) return false;
  const href = attributeOf(element, 'href') ?? '';
  const text = shortText(element);
  return ICON.test(text) || (SIGN.test(text) && (href.includes('#') || isInHeading(element)));
}

const isInHeading = ({ parent }: ElementNode): boolean =>
  HEADING_TAGS.has(parent?.tag ?? '') || HEADING_TAGS.has(parent?.parent?.tag ?? '');

/**
 * Whether a link in a heading only links to the heading itself. A number in parentheses is a link back from
 * a footnote.
 */
const isOwnLink = (element: ElementNode): boolean =>
  element.tag === 'a' &&
  HEADING_TAGS.has(element.parent?.tag ?? '') &&
  attributeOf(element, 'href')?.startsWith('#') === true &&
  !/^\(\d{1,4}\)$/.test(shortText(element));

function isCopyButton(element: ElementNode): boolean {
  const { tag } = element;
  if (tag !== 'button' && tag !== 'span' && tag !== 'div' && tag !== 'a') return false;
  const isNamed = tag === 'button' || COPIES.test(attributeOf(element, 'class') ?? '');
  return isNamed && COPY.test(shortText(element));
}
