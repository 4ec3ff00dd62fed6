import type { ExtractCode } from '../contract/extract.ts';
import type { FailureCode } from '../core/errors.ts';
import type { Attempt, Outcome } from '../core/outcome.ts';
import { titleOf } from '../operations/asking/chain.ts';

/**
 * What the tools say about how a call went, by code. English texts of failures and warnings come with them; the Japanese ones are
 * here, so that no Japanese answer contains an English sentence.
 */

interface Account {
  outcome: Outcome;
  attempts: Attempt[];
}

/** Why there are no results although nobody said that there are none, or undefined when the search really found nothing. */
export function unusable({ outcome, attempts }: Account): { en: string; ja: string } | undefined {
  if (outcome === 'ok' || outcome === 'empty') return undefined;
  const last = attempts.findLast((attempt) => attempt.outcome !== 'ok' && attempt.outcome !== 'empty');
  const title = titleOf(last?.provider ?? '');
  return {
    en: `The results could not be read${last?.reason === undefined ? '.' : `: ${last.reason}`} This does not mean that there are none.`,
    ja: `${title === '' ? '' : `${title}から`}検索結果を読み取れませんでした。該当する結果がないという意味ではありません。`,
  };
}

/** Failures in Japanese. `{name}` is who failed. */
export const FAILURE_TEXTS_JA: Record<FailureCode, string> = {
  invalid_request: '引数が正しくありません。',
  invalid_url: 'URLが正しくありません。http:// または https:// で始まるURLを指定してください。',
  invalid_config: '設定に誤りがあります。`headgate doctor` で確認してください。',
  payload_too_large: 'リクエストが大きすぎます。',
  idempotency_mismatch: 'この冪等キーは別のリクエストで使用済みです。',
  in_progress: '同じ冪等キーの呼び出しが実行中です。',
  conflict: '現在の状態と矛盾するため実行できません。',
  unauthenticated: '認証されていません。',
  sign_in_refused: 'サインインに失敗しました。',
  forbidden: 'このキーでは許可されていません。',
  not_found: '見つかりません。',
  not_configured: 'TAVILY_API_KEY環境変数が設定されていません。',
  rate_limited: '呼び出しが多すぎます。しばらく待ってから再試行してください。',
  limit_reached: '利用上限に達しました。',
  insufficient_credits: 'クレジットが不足しています。',
  over_budget: 'この呼び出しの費用が上限を超えます。',
  storage_unavailable: '利用量の記録先に接続できません。しばらく待ってから再試行してください。',
  blocked_host: '許可されていないホストです。公開されたWebアドレスのみ読み取れます。',
  page_too_large: 'ページが大きすぎます。',
  redirect_refused: 'リダイレクト先を読み取れません。',
  unsupported_type: '対応していない形式です。',
  robots_denied: 'robots.txt により許可されていません。',
  page_status: 'ページがエラーを返しました。',
  extract_failed: 'コンテンツを抽出できませんでした。',
  upstream_authentication: '{name}認証に失敗しました。APIキーを確認してください。',
  upstream_quota: '{name}の利用枠を使い切りました。クレジットを追加するか、別のキーを設定してください。',
  upstream_rate_limit: '{name}レート制限に達しました。しばらく待ってから再試行してください。',
  upstream_invalid: '{name}バリデーションエラー: リクエストが拒否されました。',
  upstream_blocked:
    '{name}がロボット確認を返したため、検索できませんでした。しばらく待つか、別のプロバイダーを設定してください。',
  upstream_bad_answer: '{name}の応答を読み取れませんでした。',
  upstream_unavailable: '{name}サービスが一時的に利用できません。',
  upstream_timeout: '{name}リクエストがタイムアウトしました。',
  network_error: '{name}に接続できません。',
  tls_error: '{name}に安全に接続できません（TLSエラー）。',
  deadline_exceeded: '{name}リクエストがタイムアウトしました。',
  cancelled: '呼び出しが取り消されました。',
  internal: '内部エラーが発生しました。',
};

/** Why a URL gave nothing, in Japanese. */
export const EXTRACT_TEXTS_JA: Record<ExtractCode, string> = {
  INVALID_URL: '無効なURL形式です',
  BLOCKED_HOST: '許可されていないホストです（公開されたWebアドレスのみ）',
  NOT_FOUND: 'ページが見つかりません',
  ACCESS_DENIED: 'アクセスが拒否されました',
  TIMEOUT: 'タイムアウトしました',
  PAYLOAD_TOO_LARGE: 'ページが大きすぎます',
  UNSUPPORTED_TYPE: '対応していない形式です',
  NETWORK_ERROR: '接続できません',
  RATE_LIMITED: 'レート制限に達しました',
  UNAUTHORIZED: '認証に失敗しました',
  QUOTA_EXCEEDED: '利用枠を使い切りました',
  UNAVAILABLE: 'サービスが一時的に利用できません',
  BAD_ANSWER: '応答を読み取れませんでした',
  EXTRACT_FAILED: 'コンテンツを抽出できませんでした',
};

/** Words of others as they are, or ours where theirs are English prose. */
export const unlessEnglish = (theirs: string, ours: string): string =>
  theirs.trim() === '' || /[a-z]{2,}['’]?[a-z]* [a-z]+ [a-z]+/i.test(theirs) ? ours : theirs;

/** Warnings by their English form. The groups of a pattern are the `$1`, `$2` … of its Japanese text. */
const WARNINGS_JA: [pattern: RegExp, text: string][] = [
  [
    /^The query was condensed to (.+)'s limit of (\d+) characters: (".*")\.$/s,
    '検索クエリを$1の上限（$2文字）に合わせて短縮しました: $3',
  ],
  [/^Page (\d+) of (.+?) failed: .*$/s, '$2の$1ページ目を取得できなかったため、結果は一部のみです。'],
  [
    /^(\d+) pages? could not be read; the snippet stands instead\.$/,
    '$1件のページを読み取れなかったため、概要のみを表示しています。',
  ],
  [
    /^Nobody on the web answered .*; these results are from the local library\.$/s,
    'Webから応答がなかったため、ローカルライブラリの結果を表示しています。',
  ],
  [
    /^Searched for as text, not obeyed as a command: (.+)\.$/s,
    'コマンドではなく文字列として検索しました: $1',
  ],
  [/^(\S+) searched for (".*") instead\.$/s, '$1は次の語句で検索しました: $2'],
  [/^SearXNG got no answer from .*$/s, 'SearXNGの一部の検索エンジンから応答がありませんでした。'],
  [/^OpenSearch may have found less .*$/s, 'OpenSearchの結果は一部のみの可能性があります。'],
  [
    /^(".+") is not in the library; (.+) was searched instead\.$/s,
    'ライブラリに$1がないため、$2を検索しました。',
  ],
  [/^(\S+) did not answer: .*$/s, '$1から応答がありませんでした。'],
  [
    /^(\S+): (\d+) characters? of text hidden .*$/s,
    '$1: 画面に表示されないテキスト（$2文字）を除外しました。',
  ],
  [/^(\S+): charset_guess: read as (\S+)$/, '$1: 文字コードを$2と推定しました。'],
  [
    /^(\S+): truncated: only (\d+) of (\d+) pages were read$/,
    '$1: 全$3ページのうち$2ページのみ読み取りました。',
  ],
  [/^(\S+): truncated: (\d+) of (\d+) entries are shown$/, '$1: 全$3件のうち$2件のみ表示しています。'],
  [/^(\S+): rescued: .*$/s, '$1: 本文がないため、ページに埋め込まれたデータから抽出しました。'],
  [/^(\S+): not rendered: .*$/s, '$1: スクリプトを実行せずに読み取りました。'],
];

/** Warnings in Japanese. Those without a text of their own are counted; a program finds them in `_meta`. */
export function warningsJa(warnings: string[]): string[] {
  const known = warnings.map((warning) => {
    const entry = WARNINGS_JA.find(([pattern]) => pattern.test(warning));
    return entry === undefined ? undefined : warning.replace(entry[0], entry[1]);
  });
  const rest = known.filter((text) => text === undefined).length;
  return [
    ...known.filter((text) => text !== undefined),
    ...(rest === 0 ? [] : [`ほかに${rest}件の注意があります（_meta の warnings を参照）。`]),
  ];
}
