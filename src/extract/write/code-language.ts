import { attributeOf, type ElementNode, isText } from '../parse/nodes.ts';

/** Class prefixes of syntax highlighters before the name of a language. */
const NAMED =
  /(?:^|\s)(?:language-|lang-|mw-highlight-lang-|highlight-source-|highlight-|gatsby-code-|brush:\s*|sourceCode\s+|hljs\s+(?!lang))([A-Za-z][\w+#.-]{0,20})/;
/** Languages that are a class of their own, without a prefix. */
const BARE =
  /(?:^|\s)(?:sp-)?(bash|c|cpp|csharp|css|diff|dockerfile|elixir|go|graphql|haskell|html|ini|java|javascript|js|json|jsx|julia|kotlin|lua|makefile|perl|php|powershell|python|ruby|rust|scala|scss|shell|sql|swift|toml|tsx|typescript|xml|yaml)(?=\s|$)/;
/** Hexo names the language beside the only other class of the frame. */
const FRAME = /^highlight ([\w+#.-]{1,20})$/;
const NOT_LANGUAGES = new Set(
  'default none plain text plaintext nohighlight notranslate source wrap wrapper'.split(' '),
);

/**
 * The language of a code listing, from the attributes of the code or of the elements around it. Empty if
 * unknown.
 */
export function codeLanguage(pre: ElementNode): string {
  const code = pre.children.find((child): child is ElementNode => !isText(child) && child.tag === 'code');
  for (const place of [code, pre, pre.parent, pre.parent?.parent, ...framesOf(pre)]) {
    if (place === undefined) continue;
    const names = attributeOf(place, 'class') ?? '';
    const found = saidAt(place) ?? NAMED.exec(names)?.[1] ?? OF_TAG[place.tag]?.exec(names)?.[1];
    if (found !== undefined && /^[\w+#.-]{1,20}$/.test(found))
      return NOT_LANGUAGES.has(found.toLowerCase()) ? '' : found.toLowerCase();
  }
  return '';
}

const OF_TAG: Record<string, RegExp> = { pre: BARE, code: BARE, figure: FRAME };

function saidAt(place: ElementNode): string | undefined {
  for (const name of ['data-lang', 'data-language', 'language']) {
    const said = attributeOf(place, name);
    if (said !== undefined) return said;
  }
  return undefined;
}

const FRAMES_MAX = 4;

/** The elements around the table that puts line numbers beside the code. */
function framesOf(pre: ElementNode): ElementNode[] {
  if (pre.parent?.tag !== 'td') return [];
  let frame: ElementNode | undefined = pre.parent;
  while (frame !== undefined && frame.tag !== 'table') frame = frame.parent;
  const frames: ElementNode[] = [];
  for (frame = frame?.parent; frame !== undefined && frames.length < FRAMES_MAX; frame = frame.parent)
    frames.push(frame);
  return frames;
}
