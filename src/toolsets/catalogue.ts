import type { ExtractCode } from '../contract/extract.ts';
import type { FailureCode } from '../core/errors.ts';
import { named, own } from '../core/own-text.ts';
import type { OwnText } from '../core/text.ts';
import type { Attempt, Outcome } from '../core/outcome.ts';
import { titleOf } from '../routing/chain.ts';

/**
 * Texts for outcomes and failures by code. English texts come with the failures and warnings; the Japanese
 * ones are here, so that no Japanese answer contains an English sentence.
 */

interface Account {
  outcome: Outcome;
  attempts: Attempt[];
}

/** Why a search has no results although no provider reported an empty result; otherwise undefined. */
export function unusable({ outcome, attempts }: Account): { en: OwnText; ja: OwnText } | undefined {
  if (outcome === 'ok' || outcome === 'empty') return undefined;
  const last = attempts.findLast((attempt) => attempt.outcome !== 'ok' && attempt.outcome !== 'empty');
  const title = titleOf(last?.provider ?? '');
  return {
    en: own`The results could not be read${last?.reason === undefined ? '.' : own`: ${last.reason}`} This does not mean that there are none.`,
    ja: own`${title === '' ? '' : own`${named(title)}から`}検索結果を読み取れませんでした。該当する結果がないという意味ではありません。`,
  };
}

/** Failures in Japanese. `{name}` is the provider. */
export const FAILURE_TEXTS_JA: Record<FailureCode, OwnText> = {
  invalid_request: own`引数が正しくありません。`,
  invalid_url: own`URLが正しくありません。http:// または https:// で始まるURLを指定してください。`,
  invalid_config: own`設定に誤りがあります。\`headgate doctor\` で確認してください。`,
  payload_too_large: own`リクエストが大きすぎます。`,
  idempotency_mismatch: own`この冪等キーは別のリクエストで使用済みです。`,
  in_progress: own`同じ冪等キーの呼び出しが実行中です。`,
  conflict: own`現在の状態と矛盾するため実行できません。`,
  unauthenticated: own`認証されていません。`,
  sign_in_refused: own`サインインに失敗しました。`,
  second_factor_needed: own`認証アプリのコードが必要です。`,
  forbidden: own`このキーでは許可されていません。`,
  not_found: own`見つかりません。`,
  not_configured: own`TAVILY_API_KEY環境変数が設定されていません。`,
  rate_limited: own`呼び出しが多すぎます。しばらく待ってから再試行してください。`,
  limit_reached: own`利用上限に達しました。`,
  insufficient_credits: own`クレジットが不足しています。`,
  over_budget: own`この呼び出しの費用が上限を超えます。`,
  storage_unavailable: own`利用量の記録先に接続できません。しばらく待ってから再試行してください。`,
  blocked_host: own`許可されていないホストです。公開されたWebアドレスのみ読み取れます。`,
  needs_approval: own`担当者の承認が必要です。`,
  payment_required: own`このページは有料です。支払いは行われません。`,
  policy_denied: own`ポリシーにより許可されていません。`,
  page_too_large: own`ページが大きすぎます。`,
  redirect_refused: own`リダイレクト先を読み取れません。`,
  unsupported_type: own`対応していない形式です。`,
  robots_denied: own`robots.txt により許可されていません。`,
  not_recorded: own`記録されていません。`,
  page_status: own`ページがエラーを返しました。`,
  extract_failed: own`コンテンツを抽出できませんでした。`,
  upstream_authentication: own`{name}認証に失敗しました。APIキーを確認してください。`,
  upstream_quota: own`{name}の利用枠を使い切りました。クレジットを追加するか、別のキーを設定してください。`,
  upstream_rate_limit: own`{name}レート制限に達しました。しばらく待ってから再試行してください。`,
  upstream_invalid: own`{name}バリデーションエラー: リクエストが拒否されました。`,
  upstream_blocked: own`{name}がロボット確認を返したため、検索できませんでした。しばらく待つか、別のプロバイダーを設定してください。`,
  upstream_bad_answer: own`{name}の応答を読み取れませんでした。`,
  upstream_unavailable: own`{name}サービスが一時的に利用できません。`,
  upstream_timeout: own`{name}リクエストがタイムアウトしました。`,
  network_error: own`{name}に接続できません。`,
  tls_error: own`{name}に安全に接続できません（TLSエラー）。`,
  deadline_exceeded: own`{name}リクエストがタイムアウトしました。`,
  cancelled: own`呼び出しが取り消されました。`,
  internal: own`内部エラーが発生しました。`,
};

/** Why a URL could not be read, in Japanese. */
export const EXTRACT_TEXTS_JA: Record<ExtractCode, OwnText> = {
  INVALID_URL: own`無効なURL形式です`,
  NEEDS_APPROVAL: own`担当者の承認が必要なアドレスです`,
  PAYMENT_REQUIRED: own`有料のページです`,
  BLOCKED_HOST: own`許可されていないホストです（公開されたWebアドレスのみ）`,
  NOT_FOUND: own`ページが見つかりません`,
  ACCESS_DENIED: own`アクセスが拒否されました`,
  TIMEOUT: own`タイムアウトしました`,
  PAYLOAD_TOO_LARGE: own`ページが大きすぎます`,
  UNSUPPORTED_TYPE: own`対応していない形式です`,
  NETWORK_ERROR: own`接続できません`,
  RATE_LIMITED: own`レート制限に達しました`,
  UNAUTHORIZED: own`認証に失敗しました`,
  QUOTA_EXCEEDED: own`利用枠を使い切りました`,
  UNAVAILABLE: own`サービスが一時的に利用できません`,
  BAD_ANSWER: own`応答を読み取れませんでした`,
  EXTRACT_FAILED: own`コンテンツを抽出できませんでした`,
};

/** Another's text unchanged, or ours if theirs is English prose. */
export const unlessEnglish = (theirs: OwnText, ours: OwnText): OwnText =>
  theirs.trim() === '' || /[a-z]{2,}['’]?[a-z]* [a-z]+ [a-z]+/i.test(theirs) ? ours : theirs;
