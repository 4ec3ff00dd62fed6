import type { FailureCode, HeadgateError } from '../core/errors.ts';
import { oneLine } from '../core/text.ts';

/** The error types of seed 000 and its origin. */
export type TavilyErrorType =
  | 'AUTH_ERROR'
  | 'VALIDATION_ERROR'
  | 'RATE_LIMIT_ERROR'
  | 'SERVER_ERROR'
  | 'SERVICE_UNAVAILABLE'
  | 'TIMEOUT_ERROR'
  | 'NETWORK_ERROR'
  | 'RETRY_EXHAUSTED'
  | 'API_ERROR';

/** The two lines of seed 000, 5.3. */
export function renderFailure(error: HeadgateError): string {
  const { type, message } = explain(error);
  return `Tavily API エラー: ${oneLine(message)}\nエラータイプ: ${type}`;
}

const TYPES: Partial<Record<FailureCode, TavilyErrorType>> = {
  invalid_request: 'VALIDATION_ERROR',
  invalid_url: 'VALIDATION_ERROR',
  upstream_invalid: 'VALIDATION_ERROR',
  unauthenticated: 'AUTH_ERROR',
  not_configured: 'AUTH_ERROR',
  upstream_authentication: 'AUTH_ERROR',
  rate_limited: 'RATE_LIMIT_ERROR',
  upstream_rate_limit: 'RATE_LIMIT_ERROR',
  upstream_timeout: 'TIMEOUT_ERROR',
  deadline_exceeded: 'TIMEOUT_ERROR',
  network_error: 'NETWORK_ERROR',
  tls_error: 'NETWORK_ERROR',
  circuit_open: 'SERVICE_UNAVAILABLE',
  storage_unavailable: 'SERVICE_UNAVAILABLE',
};

/** The types of Tavily's own statuses; every other status of it is an API_ERROR. */
const STATUS_TYPES: Record<number, TavilyErrorType> = {
  400: 'VALIDATION_ERROR',
  401: 'AUTH_ERROR',
  429: 'RATE_LIMIT_ERROR',
  500: 'SERVER_ERROR',
  502: 'SERVER_ERROR',
  503: 'SERVICE_UNAVAILABLE',
  504: 'SERVER_ERROR',
};

function explain(error: HeadgateError): { type: TavilyErrorType; message: string } {
  const type = typeOf(error);
  return { type, message: MESSAGES[type](error) };
}

function typeOf(error: HeadgateError): TavilyErrorType {
  const { status } = error.data;
  if (error.code.startsWith('upstream_') && typeof status === 'number')
    return STATUS_TYPES[status] ?? 'API_ERROR';
  // Several providers that all failed leave nobody to try.
  return TYPES[error.code] ?? (error.code === 'upstream_unavailable' ? 'RETRY_EXHAUSTED' : 'API_ERROR');
}

const MESSAGES: Record<TavilyErrorType, (error: HeadgateError) => string> = {
  AUTH_ERROR: (error) =>
    error.code === 'not_configured'
      ? `TAVILY_API_KEY環境変数が設定されていません（${error.explanation}）`
      : 'Tavily API認証に失敗しました。APIキーを確認してください。',
  VALIDATION_ERROR: (error) =>
    error.code === 'invalid_request'
      ? (ruleOf(error) ?? error.explanation)
      : `Tavily APIバリデーションエラー: ${error.explanation}`,
  RATE_LIMIT_ERROR: () => 'Tavily APIレート制限に達しました。しばらく待ってから再試行してください。',
  SERVER_ERROR: (error) => `Tavily APIサーバーエラー (HTTP ${statusOf(error)})`,
  SERVICE_UNAVAILABLE: () => 'Tavily APIサービスが一時的に利用できません。',
  TIMEOUT_ERROR: () => 'Tavily APIリクエストがタイムアウトしました。',
  NETWORK_ERROR: (error) => `Tavily APIに接続できません: ${error.explanation}`,
  RETRY_EXHAUSTED: (error) => `再試行しても応答が得られませんでした: ${error.explanation}`,
  API_ERROR: (error) => `Tavily APIエラー (HTTP ${statusOf(error)}): ${error.explanation}`,
};

/** What a parameter must be, in words that say what to send. */
const RULES: Record<string, string> = {
  query: 'query は必須です。空文字は禁止、最大1000文字です。',
  search_depth: 'search_depth は "basic" または "advanced" を指定してください。',
  max_results: 'max_results は1以上20以下の整数を指定してください。',
  max_tokens: 'max_tokens は1以上の整数を指定してください。',
  urls: 'urls はURL文字列のリストを指定してください。',
};

function ruleOf(error: HeadgateError): string | undefined {
  const { fields } = error.data;
  if (!Array.isArray(fields)) return undefined;
  const broken = fields.map((field) => RULES[String(field).split('.')[0] ?? ''] ?? error.message);
  return broken.length === 0 ? undefined : [...new Set(broken)].join(' ');
}

const statusOf = (error: HeadgateError): number => {
  const status: unknown = error.data['status'];
  return typeof status === 'number' ? status : error.status;
};
