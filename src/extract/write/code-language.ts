import { attributeOf, type ElementNode, isText } from '../parse/nodes.ts';

/** What highlighters put before the name of a language in a class. */
const NAMED =
  /(?:^|\s)(?:language-|lang-|mw-highlight-lang-|highlight-source-|highlight-|gatsby-code-|brush:\s*|sourceCode\s+|hljs\s+)([A-Za-z][\w+#.-]{0,20})/;
/** Languages that stand in a class by themselves. */
const BARE =
  /(?:^|\s)(?:sp-)?(bash|c|cpp|csharp|css|diff|dockerfile|elixir|go|graphql|haskell|html|ini|java|javascript|js|json|jsx|julia|kotlin|lua|makefile|perl|php|powershell|python|ruby|rust|scala|scss|shell|sql|swift|toml|tsx|typescript|xml|yaml)(?=\s|$)/;
const NOT_LANGUAGES = new Set([
  'default',
  'none',
  'plain',
  'text',
  'plaintext',
  'nohighlight',
  'notranslate',
  'source',
]);

/** The language of a piece of code as the page names it: at the code, or at what stands around it. Empty when it does not. */
export function codeLanguage(pre: ElementNode): string {
  const code = pre.children.find((child): child is ElementNode => !isText(child) && child.tag === 'code');
  for (const place of [code, pre, pre.parent, pre.parent?.parent]) {
    if (place === undefined) continue;
    const names = attributeOf(place, 'class') ?? '';
    const said = attributeOf(place, 'data-lang') ?? attributeOf(place, 'data-language');
    const found = said ?? NAMED.exec(names)?.[1] ?? (isCode(place) ? BARE.exec(names)?.[1] : undefined);
    if (found !== undefined && /^[\w+#.-]{1,20}$/.test(found))
      return NOT_LANGUAGES.has(found.toLowerCase()) ? '' : found.toLowerCase();
  }
  return '';
}

const isCode = ({ tag }: ElementNode): boolean => tag === 'pre' || tag === 'code';
