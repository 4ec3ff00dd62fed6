import { own } from '../../../core/own-text.ts';
import type { OwnText } from '../../../core/text.ts';

/**
 * Every warning in Japanese, by the template that `warned` makes it from. `{0}` is the first value, `{0#}` the number in it. A test compares
 * the keys with the source, so that no warning is without a Japanese text and no text without a warning.
 */
export const WARNINGS_JA: Record<string, string> = {
  'rendered: {0} of the page’s requests were refused by the guard':
    'ページのリクエスト{0}件は、保護のため拒否されました。',
  'rendered: the page did not come to rest within {0} s; this is how it looked then':
    'ページの読み込みが{0}秒以内に終わらなかったため、その時点の内容です。',
  'rendered: without the sandbox of Chromium, which does not work here':
    'Chromiumのサンドボックスが使えないため、サンドボックスなしで表示しました。',
  'truncated: {0} of {1} entries are shown': '全{1}件のうち{0}件のみ表示しています。',
  'rescued: the text comes from data embedded in the page, because it shows none':
    '本文がないため、ページに埋め込まれたデータから抽出しました。',
  'charset_guess: read as {0}': '文字コードを{0}と推定しました。',
  'truncated: pages 1–{0} of {1} were read': '全{1}ページのうち1～{0}ページを読み取りました。',
  'The entry matches the query only in part; it may be about something else.':
    '項目は検索語と一部しか一致しません。別の対象の可能性があります。',
  'No answer is given: the results do not match the question.':
    '結果が質問と一致しないため、回答はありません。',
  'The results match the question only in part. Check the answer against them.':
    '結果は質問と一部しか一致しません。回答を結果と照合してください。',
  'The provider’s answer is not supported by its results. Check it before you use it.':
    'プロバイダーの回答は結果で裏付けられていません。使う前に確認してください。',
  'The model did not write the answer ({0}); it is quoted from the results instead.':
    'モデルが回答を作成できなかったため、結果から引用しました。',
  '{0} of the model’s answer left out: the results do not support them.':
    '結果で裏付けられないため、モデルの回答から{0#}文を除外しました。',
  'The query was condensed to {0}\'s limit of {1} characters: "{2}".':
    '検索クエリを{0}の上限（{1}文字）に合わせて短縮しました: "{2}"',
  'Page {0} of {1} failed: {2}': '{1}の{0}ページ目を取得できなかったため、結果は一部のみです。',
  '"{0}" is not in the library; names like it were searched for instead.':
    'ライブラリに"{0}"がないため、似た名前を検索しました。',
  'The library: {0}': 'ライブラリの一部を読み取れませんでした。',
  '{0} more pages were found; raise limit to list them.':
    'ほかに{0}ページ見つかりました。表示するには limit を増やしてください。',
  'The time ran out over the sitemap; this is what the links show.':
    'サイトマップの読み取り中に時間切れになったため、リンクから得た結果です。',
  'The time ran out; this is what was found by then.': '時間切れになったため、それまでに見つかった結果です。',
  '{0} did not walk through the site: {1}': '{0}はサイトを巡回できませんでした。',
  '{0}: the page matches the query only in part.': '{0}: ページは検索語と一部しか一致しません。',
  '{0}: nothing on the page matches the query; {1} is returned.':
    '{0}: 検索語に一致する内容がないため、最も近い部分または冒頭を返しました。',
  '{0}: {1} of text hidden from readers left out.':
    '{0}: 画面に表示されないテキスト（{1#}文字）を除外しました。',
  'not rendered: {0}': 'スクリプトを実行せずに読み取りました。',
  '{0} could not be read, so the snippet is used.':
    '{0#}件のページを読み取れなかったため、概要のみを表示しています。',
  '{0} without content: max_tokens went to better passages.':
    'max_tokens はより関連性の高い箇所に使われたため、{0#}件の結果には内容がありません。',
  'What looked like a secret was taken out of the call and replaced by [secret].':
    '秘密情報と思われる部分を[secret]に置き換えました。',
  '{0} left out by the policy.': 'ポリシーにより結果{0#}件を除外しました。',
  '{0} outside the asked domains dropped.': '指定されたドメイン以外の結果{0#}件を除外しました。',
  'Nobody on the web answered ({0}); only the local library did.':
    'Webから応答がありませんでした。ローカルライブラリのみ応答しました。',
  'No search provider is set up. Without a key these are asked: {0}. [search] keyless limits them.':
    '検索プロバイダーが設定されていません。キーなしで次に問い合わせます: {0}。[search] keyless で制限できます。',
  'General search did not answer ({0}); these results are only what {1} found.':
    '一般のWeb検索から応答がなかったため、{1}の結果のみを表示しています。',
  'No source of the topic "{0}" knew anything; these results are from general search.':
    'トピック"{0}"の情報源に結果がなかったため、一般のWeb検索の結果を表示しています。',
  '{0} did not answer: {1}': '{0}から応答がありませんでした。',
  'Brave searched for another spelling of the query.': 'Braveは別の綴りで検索しました。',
  'Brave does not know the language "{0}"; it was ignored.':
    'Braveは言語"{0}"に対応していないため、無視しました。',
  'Brave takes dates only as a range with two ends; its results were filtered instead.':
    'Braveは開始日と終了日の両方が必要なため、結果を絞り込みました。',
  'Brave prefers quoted phrases but does not insist on them.':
    'Braveは引用符の語句を優先しますが、必須とはしません。',
  'DuckDuckGo has no region for the country "{0}"; it was ignored.':
    'DuckDuckGoには国"{0}"の地域がないため、無視しました。',
  'DuckDuckGo has no region "{0}" in "{1}"; it searched "{2}".':
    'DuckDuckGoには地域"{0}"の言語"{1}"がないため、"{2}"を検索しました。',
  'DuckDuckGo filters by region, not by language; {0}.':
    'DuckDuckGoは言語ではなく地域で絞り込みます。指定された言語はそのまま使えません。',
  'Searched for as text, not obeyed as a command: {0}.': 'コマンドではなく文字列として検索しました: {0}',
  'DuckDuckGo has no topic "{0}"; it searched all pages{1}.':
    'DuckDuckGoにはトピック"{0}"がないため、すべてのページを検索しました。',
  'DuckDuckGo knows the dates of few pages; undated results are kept unless filtered out.':
    'DuckDuckGoは多くのページの日付がわからないため、日付のない結果も含みます。',
  'DuckDuckGo may ignore safe_search on this page.': 'DuckDuckGoは safe_search を無視することがあります。',
  'DuckDuckGo prefers quoted phrases but does not insist on them.':
    'DuckDuckGoは引用符の語句を優先しますが、必須とはしません。',
  '{0} does not say what it left out of pages.': '{0}は、ページから取り除いたものを示しません。',
  'Jina does not support include_favicon; it was ignored.':
    'Jinaは include_favicon に対応していないため、無視しました。',
  '{0}: Jina warns that the page may not be complete.':
    '{0}: Jinaによると、ページ全体ではない可能性があります。',
  '"{0}" is no country; it was ignored.': '"{0}"という国はないため、無視しました。',
  '"{0}" is no ISO 639-1 language; it was ignored.': '"{0}"は ISO 639-1 の言語ではないため、無視しました。',
  'The results were not reranked: {0}': '再ランキングできなかったため、元の順位のままです。',
  '{0} has no topic "{1}"; it searched all pages.':
    '{0}にはトピック"{1}"がないため、すべてのページを検索しました。',
  '{0} does not know the country "{1}"; it was ignored.': '{0}は国"{1}"に対応していないため、無視しました。',
  '{0} takes no dates; its dated results were filtered, undated ones kept unless filtered out.':
    '{0}は日付を指定できないため、日付のある結果を絞り込みました。日付のない結果も含みます。',
  '{0} cannot prefer domains; include_domains was ignored.':
    '{0}はドメインを優先できないため、include_domains を無視しました。',
  'The list of domains is too long for {0}; its results were filtered instead.':
    'ドメインの一覧が{0}には長すぎるため、結果を絞り込みました。',
  'OpenSearch may have found less than there is: {0}.': 'OpenSearchの結果は一部のみの可能性があります。',
  'SearXNG got no answer from {0}.': 'SearXNGの一部の検索エンジンから応答がありませんでした: {0}',
  'SearXNG takes a country only with a language; it was ignored.':
    'SearXNGの国の指定には言語も必要なため、無視しました。',
  'Tavily makes chunks only for a query; chunks_per_source was ignored.':
    'Tavilyの chunks_per_source には query が必要なため、無視しました。',
  '{0} returns at most {1} results.': '{0}の結果は最大{1}件です。',
  'Tavily takes at most {0} for chunks_per_source on search; {1} was sent.':
    'Tavilyの chunks_per_source は最大{0}のため、{1}を送りました。',
  'Tavily has no chunks at depth ultra-fast; chunks_per_source was ignored.':
    'Tavilyは ultra-fast では chunks_per_source に対応しないため、無視しました。',
  'Tavily takes a country only with topic general, not {0}; it was ignored.':
    'Tavilyの国の指定はトピック general のみ有効なため、無視しました（指定: {0}）。',
  'Tavily takes either time_range or dates; the dates were used.':
    'Tavilyは time_range と日付を併用できないため、日付を使いました。',
  'Tavily cannot prefer domains with topic news or depth fast; include_domains was ignored.':
    'Tavilyはトピック news と depth fast ではドメインを優先できないため、include_domains を無視しました。',
  'filter_by_language needs a language; it was ignored.':
    'filter_by_language には言語が必要なため、無視しました。',
  'Tavily has no safe_search at depth {0}; it was ignored.':
    'Tavilyは depth {0} では safe_search に対応しないため、無視しました。',
  '{0} does not support {1}; it was ignored.': '{0}は {1} に対応していないため、無視しました。',
};

/** Templates with most words of their own first. */
const PATTERNS = Object.entries(WARNINGS_JA)
  .map(([template, text]): [RegExp, string] => [patternOf(template), text])
  .sort(([a], [b]) => b.source.length - a.source.length);

function patternOf(template: string): RegExp {
  const escaped = template.replace(/[.*+?^$()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replace(/\{\d\}/g, '(.*?)')}$`, 's');
}

/** A warning about a page names its address first. */
const ABOUT_PAGE = /^(\S+): (.+)$/s;

/** One warning in Japanese; undefined when it is none of ours. */
export function warningJa(warning: string): string | undefined {
  for (const [pattern, text] of PATTERNS) {
    const found = pattern.exec(warning);
    if (found !== null)
      return text.replace(/\{(\d)(#?)\}/g, (_, index: string, isNumber: string) => {
        const value = found[Number(index) + 1] ?? '';
        return isNumber === '' ? value : (/\d[\d,.]*/.exec(value)?.[0] ?? value);
      });
  }
  const [, url = '', rest = ''] = ABOUT_PAGE.exec(warning) ?? [];
  const said = rest === '' ? undefined : warningJa(rest);
  return said === undefined ? undefined : `${url}: ${said}`;
}

/** Warnings in Japanese. What a provider or a page added in its own words is counted; a program finds it in `_meta`. */
export function warningsJa(warnings: OwnText[]): OwnText[] {
  const known = warnings.map((warning) => warningJa(warning) as OwnText | undefined);
  const rest = known.filter((text) => text === undefined).length;
  return [
    ...known.filter((text) => text !== undefined),
    ...(rest === 0 ? [] : [own`ほかに${rest}件の注意があります（_meta の warnings を参照）。`]),
  ];
}
