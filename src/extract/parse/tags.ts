/** Block-level elements. All others are inline and do not interrupt a block of text. */
const BLOCK_TAGS = words(
  'html body address article aside blockquote center dd details dialog dir div dl dt fieldset figcaption figure footer form frameset h1 h2 h3 h4 ' +
    'h5 h6 header hgroup hr legend li main menu nav noscript ol p pre section summary search table caption colgroup tbody td tfoot th thead tr ul ' +
    'video audio optgroup',
);

const VOID_TAGS = words(
  'area base br col embed frame hr img input link meta param source track wbr basefont bgsound keygen',
);

/** Elements whose text is never content. */
const SKIPPED_TAGS = words(
  'script style template svg select option optgroup datalist textarea input iframe object embed applet canvas noembed noframes head map progress meter ' +
    'rp title frameset annotation annotation-xml',
);

export const HEADING_TAGS = words('h1 h2 h3 h4 h5 h6');

/** Elements whose start tag ends an open paragraph. */
const ENDS_PARAGRAPH = words(
  'address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr main ' +
    'menu nav ol p pre section search table ul li dd dt',
);

/** A start tag on the left ends open elements of `closes`, looking up no further than `within`. */
export const IMPLIED_END: Map<string, { closes: Set<string>; within: Set<string> }> = new Map([
  ['li', { closes: words('li'), within: words('ul ol menu dir') }],
  ['dt', { closes: words('dt dd'), within: words('dl') }],
  ['dd', { closes: words('dt dd'), within: words('dl') }],
  ['tr', { closes: words('tr td th caption'), within: words('table thead tbody tfoot') }],
  ['td', { closes: words('td th'), within: words('tr table') }],
  ['th', { closes: words('td th'), within: words('tr table') }],
  ['thead', { closes: words('thead tbody tfoot tr td th caption'), within: words('table') }],
  ['tbody', { closes: words('thead tbody tfoot tr td th caption'), within: words('table') }],
  ['tfoot', { closes: words('thead tbody tfoot tr td th caption'), within: words('table') }],
  ['option', { closes: words('option'), within: words('select datalist') }],
  ['a', { closes: words('a'), within: words('td th table li article section') }],
]);

export const TAG = { block: 1, void: 2, skipped: 4, heading: 8, endsParagraph: 16, impliesEnd: 32 } as const;

const FLAGS = new Map<string, number>();
for (const [bit, tags] of [
  [TAG.block, BLOCK_TAGS],
  [TAG.void, VOID_TAGS],
  [TAG.skipped, SKIPPED_TAGS],
  [TAG.heading, HEADING_TAGS],
  [TAG.endsParagraph, ENDS_PARAGRAPH],
  [TAG.impliesEnd, IMPLIED_END],
] as const)
  for (const tag of tags.keys()) FLAGS.set(tag, (FLAGS.get(tag) ?? 0) | bit);

/** Common tags, which are found without copying their names. */
export const KNOWN_TAGS = new Set([
  ...FLAGS.keys(),
  ...words(
    'a abbr b bdi bdo big button cite code data del dfn em font i ins kbd label mark math nobr output picture',
  ),
  ...words(
    'path g rect circle line polygon polyline use defs q rb rt ruby s samp slot small span strike strong sub sup time tt u var',
  ),
]);

/** The properties of a tag as bits of `TAG`. */
export const tagFlags = (tag: string): number => FLAGS.get(tag) ?? 0;

/** An end tag inside a cell does not reach beyond the cell, unless it belongs to the table. */
export const CELL_TAGS = words('td th caption');
export const ROW_HOLDERS = words('table thead tbody tfoot');
export const TABLE_TAGS = words('table thead tbody tfoot tr td th caption');

function words(list: string): Set<string> {
  return new Set(list.split(' '));
}
