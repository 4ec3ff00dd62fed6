import type { FailureCode, HeadgateError } from '../../../core/errors.ts';
import { formatUsd } from '../../../core/money.ts';
import type { Attempt } from '../../../core/outcome.ts';
import { listed, named, own } from '../../../core/own-text.ts';
import { oneLine, type OwnText } from '../../../core/text.ts';
import { titleOf } from '../../../routing/chain.ts';
import { FAILURE_TEXTS_JA } from '../../catalogue.ts';

/** The error types of tavily-ja spec 5.3. */
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

/** The two-line failure text (tavily-ja spec 5.3). */
export const renderFailure = (error: HeadgateError): OwnText =>
  own`Tavily API エラー: ${oneLine(messageOf(error))}\nエラータイプ: ${typeOf(error)}`;

/** What has no type of its own is an API_ERROR. */
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

function typeOf(error: HeadgateError): TavilyErrorType {
  const { status } = error.data;
  if (error.code.startsWith('upstream_') && typeof status === 'number')
    return STATUS_TYPES[status] ?? 'API_ERROR';
  // Several providers that all failed leave nobody to try.
  return TYPES[error.code] ?? (error.code === 'upstream_unavailable' ? 'RETRY_EXHAUSTED' : 'API_ERROR');
}

function messageOf(error: HeadgateError): OwnText {
  const name = nameOf(error);
  switch (typeOf(error)) {
    case 'SERVER_ERROR':
      return own`${name}サーバーエラー (HTTP ${statusOf(error)})`;
    case 'RETRY_EXHAUSTED':
      return own`再試行しても応答が得られませんでした（${name}）。`;
    case 'API_ERROR':
      // Refusals of our own are no errors of the provider.
      return error.code.startsWith('upstream_')
        ? own`${name}エラー (HTTP ${statusOf(error)}): ${textOf(error)}`
        : textOf(error);
    case 'VALIDATION_ERROR':
      return JAPANESE.test(error.message) ? error.message : (rulesOf(error) ?? textOf(error));
    default:
      return textOf(error);
  }
}

/** The tools word some mistakes themselves. */
const JAPANESE = /[ぁ-ん]/;

/** The text of the code, with the numbers that a refusal of our own carries. */
function textOf(error: HeadgateError): OwnText {
  const { limit, used, resetAt, balance, required, unit, level } = error.data;
  const said = (value: number): OwnText => (unit === 'money' ? named(formatUsd(value)) : own`${value}`);
  const facts = [
    ...(typeof used === 'number' && typeof limit === 'number'
      ? [own`使用 ${said(used)} / 上限 ${said(limit)}`]
      : []),
    ...(typeof level === 'string' ? [own`${LEVELS_JA[level] ?? named(level)}の予算`] : []),
    ...(typeof resetAt === 'string' ? [own`次の空き ${named(resetAt)}`] : []),
    ...(typeof balance === 'number' ? [own`残高 ${named(formatUsd(balance))}`] : []),
    ...(typeof required === 'number' && error.code === 'insufficient_credits'
      ? [own`必要額 ${named(formatUsd(required))}`]
      : []),
  ];
  if (error.code === 'invalid_config')
    facts.push(...(error.message.match(/\b[a-z_]+(?:\.[a-z_]+)+(?= =|:)/g) ?? []).map(named));
  const text = named(FAILURE_TEXTS_JA[error.code].replace('{name}', nameOf(error)));
  return facts.length === 0 ? text : own`${text}（${listed(facts, '、')}）`;
}

/** Whose budget is used up. */
const LEVELS_JA: Record<string, OwnText> = {
  workspace: own`ワークスペース`,
  agent: own`エージェント`,
  key: own`キー`,
  person: own`利用者`,
};

/** Who failed. A failure that names nobody is Tavily's, because these are its tools. */
function nameOf(error: HeadgateError): OwnText {
  const attempts = (error.data['attempts'] ?? []) as Attempt[];
  const ids = error.provider === undefined ? attempts.map((attempt) => attempt.provider) : [error.provider];
  const titles = [...new Set(ids)].map((id) => (id === 'tavily' ? TAVILY : named(titleOf(id))));
  return titles.length === 0 ? TAVILY : listed(titles, '、');
}

const TAVILY = own`Tavily API`;

/** What a parameter must be, in words that say what to send. */
const RULES: Record<string, OwnText> = {
  query: own`query は必須です。空文字は禁止、最大1000文字です。`,
  search_depth: own`search_depth は "basic" または "advanced" を指定してください。`,
  max_results: own`max_results は1以上20以下の整数を指定してください。`,
  max_tokens: own`max_tokens は1以上の整数を指定してください。`,
  urls: own`urls は1つ以上のURL文字列のリストを指定してください。`,
  cursor: own`cursor は直前の応答に示された値を、そのURL 1つとともに指定してください。`,
};

function rulesOf(error: HeadgateError): OwnText | undefined {
  const { fields } = error.data;
  if (error.code !== 'invalid_request' || !Array.isArray(fields)) return undefined;
  const broken = fields.map(
    (field) => RULES[String(field).split('.')[0] ?? ''] ?? FAILURE_TEXTS_JA.invalid_request,
  );
  return broken.length === 0 ? undefined : listed(new Set(broken), ' ');
}

const statusOf = (error: HeadgateError): number => {
  const status: unknown = error.data['status'];
  return typeof status === 'number' ? status : error.status;
};
