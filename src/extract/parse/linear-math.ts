import { attributeOf, type ElementNode, isText, type TreeNode } from './nodes.ts';

/** A part of a formula in one line. */
interface Part {
  text: string;
  /** A `row` has several parts and needs parentheses where one part is expected. */
  kind: 'one' | 'row' | 'fraction' | 'operator' | 'matrix';
}

/** A formula in one line as a person would type it, where `x²` and `x₂` do not both become `x2`: `x^2`, `x_2`, `(a+b)/2`, `sqrt(x)`. */
export const writeLinearMath = (math: ElementNode): string => standing(writeRow(math.children)).trim();

const RELATION = /^[=<>≠≤≥≈≡∼≅∝∈∉⊂⊆⊃⊇→←↔⇒⇐⇔↦≪≫≔∣]$/u;
const OPERATOR = /^[^\p{L}\p{N}\s]{1,3}$/u;
const OPENING = /[([{⟨⌊⌈]$/u;
const CLOSING = /^[)\]}⟩⌋⌉]/u;
const WORD = /^\p{L}{2,}$/u;
const LARGE = /^(?:[∑∏∫∬∭∮⋃⋂⋁⋀]|lim|max|min|sup|inf)/u;

function writeRow(nodes: TreeNode[]): Part {
  const parts = nodes.map(writeNode).filter((part) => part.text !== '');
  if (parts.length === 1) return parts[0] as Part;
  const text = parts.map((part, index) => written(part, parts[index - 1], parts[index + 1])).join('');
  const isBracketed = /^[([{|⟨][^()[\]{}|⟨⟩]*[)\]}|⟩]$/u.test(text);
  return { text, kind: isBracketed || text === '' ? 'one' : 'row' };
}

/** A part with its separator. */
function written({ text, kind }: Part, before: Part | undefined, after: Part | undefined): string {
  if (kind === 'operator') {
    if (text === ',' || text === ';') return `${text} `;
    return RELATION.test(text) ? `${before === undefined ? '' : ' '}${text} ` : text;
  }
  if (kind === 'matrix') return OPENING.test(before?.text ?? '') ? text : standing({ text, kind });
  // `1/2mv^2` would be read as something else.
  const isTight = kind === 'fraction' && (isFactor(before, CLOSING) || isFactor(after, OPENING));
  if (isTight) return `(${text})`;
  return before !== undefined && before.kind !== 'operator' && needsSpace(before.text, text)
    ? ` ${text}`
    : text;
}

const isFactor = (part: Part | undefined, fence: RegExp): boolean =>
  part !== undefined && !LARGE.test(part.text) && (part.kind !== 'operator' || fence.test(part.text));

/** Words, numbers and scripts would run into what follows them; what is summed stands apart from the bounds of the sum. */
function needsSpace(before: string, after: string): boolean {
  if (LARGE.test(before)) return true;
  if (!/[\p{L}\p{N}]$/u.test(before) || !/^[\p{L}\p{N}]/u.test(after)) return false;
  return (
    WORD.test(before) ||
    WORD.test(after) ||
    /[_^]/.test(before) ||
    /\d \d/.test(`${before.slice(-1)} ${after[0]}`)
  );
}

function writeNode(node: TreeNode): Part {
  if (isText(node) || node.skipped) return nothing();
  const write = WRITERS[node.tag];
  return write === undefined ? writeRow(node.children) : write(node, elementsOf(node));
}

const elementsOf = (node: ElementNode): ElementNode[] =>
  node.children.filter((child): child is ElementNode => !isText(child) && !child.skipped);

const one = (text: string): Part => ({ text, kind: 'one' });
const nothing = (): Part => one('');
const partOf = (node: ElementNode | undefined): Part => (node === undefined ? nothing() : writeNode(node));

/** In parentheses when it is more than one thing. */
const grouped = (node: ElementNode | undefined): string => {
  const part = partOf(node);
  if (part.kind === 'matrix') return standing(part);
  const [text, kind] = [part.text.trim(), /\s/.test(part.text.trim()) ? 'row' : part.kind];
  return kind === 'one' || (kind === 'operator' && text.length === 1) ? text : `(${text})`;
};

const WRITERS: Record<string, (node: ElementNode, parts: ElementNode[]) => Part> = {
  mi: (node) => one(tokenText(node)),
  mn: (node) => one(tokenText(node)),
  ms: (node) => one(`"${tokenText(node)}"`),
  mtext: (node) => one(` ${tokenText(node)} `),
  mo: writeOperator,
  mphantom: nothing,
  semantics: (_, [first]) => partOf(first),
  maction: (_, [first]) => partOf(first),
  mfrac: writeFraction,
  msqrt: ({ children }) => one(`sqrt(${writeRow(children).text})`),
  mroot: (_, [base, index]) => one(`root(${partOf(base).text}, ${partOf(index).text})`),
  msup: (_, [base, above]) => one(grouped(base) + superscript(above)),
  msub: (_, [base, below]) => one(grouped(base) + script('_', below)),
  msubsup: (_, [base, below, above]) => one(grouped(base) + script('_', below) + superscript(above)),
  munder: (_, [base, below]) => one(grouped(base) + script('_', below)),
  mover: (_, [base, above]) =>
    one(accented(grouped(base), partOf(above).text) ?? grouped(base) + superscript(above)),
  munderover: (_, [base, below, above]) => one(grouped(base) + script('_', below) + superscript(above)),
  mmultiscripts: writeScripts,
  mfenced: writeFenced,
  mtable: writeMatrix,
};

/** Signs that are not seen: a function applied to something, a product, a list, a sum. */
const INVISIBLE = /[\u2061-\u2064]/g;

const tokenText = (node: ElementNode): string =>
  node.children
    .map((child) => (isText(child) ? child.text : tokenText(child)))
    .join('')
    .replace(INVISIBLE, '')
    .replace(/\s+/g, ' ')
    .trim();

function writeOperator(node: ElementNode): Part {
  const text = tokenText(node);
  return { text, kind: OPERATOR.test(text) ? 'operator' : 'one' };
}

function writeFraction(node: ElementNode, [above, below]: ElementNode[]): Part {
  const [over, under] = [grouped(above), grouped(below)];
  if (attributeOf(node, 'linethickness')?.startsWith('0') === true)
    return { text: `${over} choose ${under}`, kind: 'row' };
  return { text: `${over}/${under}`, kind: 'fraction' };
}

const PRIMES = /^[′″‴'*°†]+$/u;

function superscript(node: ElementNode | undefined): string {
  const { text } = partOf(node);
  if (text === '∘') return '°';
  return PRIMES.test(text) && text !== '*' ? text : script('^', node);
}

const script = (sign: string, node: ElementNode | undefined): string => {
  const text = grouped(node);
  return text === '' ? '' : sign + text;
};

const ACCENTS: Record<string, string> = {
  '^': '\u0302',
  ˆ: '\u0302',
  '~': '\u0303',
  '˜': '\u0303',
  '¯': '\u0304',
  '‾': '\u0304',
  '―': '\u0304',
  '˙': '\u0307',
  '.': '\u0307',
  '¨': '\u0308',
  '→': '\u20D7',
};

const accented = (base: string, accent: string): string | undefined => {
  const mark = ACCENTS[accent];
  return mark === undefined || !/^\p{L}$/u.test(base) ? undefined : base + mark;
};

/** Scripts after what they belong to and, behind a mark, before it; below and above in turn. */
function writeScripts(_: ElementNode, parts: ElementNode[]): Part {
  const mark = parts.findIndex((part) => part.tag === 'mprescripts');
  const [base, ...after] = mark < 0 ? parts : parts.slice(0, mark);
  const before = mark < 0 ? [] : parts.slice(mark + 1);
  const pairs = (list: ElementNode[]): string =>
    list.map((part, index) => (index % 2 === 0 ? script('_', part) : superscript(part))).join('');
  return one(pairs(before) + grouped(base) + pairs(after));
}

function writeFenced(node: ElementNode, parts: ElementNode[]): Part {
  const separators = [...(attributeOf(node, 'separators') ?? ',').replace(/\s/g, '')];
  let text = attributeOf(node, 'open') ?? '(';
  for (const [index, part] of parts.entries()) {
    const separator = separators[Math.min(index, separators.length) - 1];
    text += (index === 0 ? '' : separator === undefined ? ' ' : `${separator} `) + partOf(part).text;
  }
  return one(text + (attributeOf(node, 'close') ?? ')'));
}

/** Rows of a matrix have a semicolon between them; the lines of a calculation follow each other. */
function writeMatrix(_: ElementNode, rows: ElementNode[]): Part {
  const lines = rows.map((row) => elementsOf(row).map((cell) => partOf(cell).text.trim()));
  const isAligned = lines.some((cells) => cells.slice(1).some((cell) => RELATION.test(cell.slice(0, 1))));
  const text = lines.map((cells) => cells.join(isAligned ? ' ' : ', ').trim()).join('; ');
  return { text, kind: isAligned ? 'one' : 'matrix' };
}

/** A part as it stands by itself: a matrix in brackets, unless the formula has put some around it. */
const standing = ({ text, kind }: Part): string => (kind === 'matrix' ? `[${text}]` : text);
