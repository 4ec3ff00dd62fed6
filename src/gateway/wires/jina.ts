import type { ExtractOutput } from '../../contract/extract.ts';
import { HeadgateError } from '../../core/errors.ts';
import { redact } from '../../core/log.ts';
import { joined, safe } from '../../core/own-text.ts';
import type { SafeText } from '../../core/text.ts';
import { readingTimeoutMs } from '../../operations/perform.ts';
import { estimateTokens } from '../../rank/tokens.ts';
import { inlineUrl, lineEscaper, lineText } from '../../toolsets/markdown.ts';
import { keyOrPasswordOf } from '../door/credentials.ts';
import { failureResponse } from '../door/error-response.ts';
import type { Body } from '../door/request-body.ts';
import { withScheme } from '../tavily/wire.ts';
import type { WireDoor } from './wire-door.ts';

/** `GET /r/<url>` as Jina's reader: a page as text, or as JSON for those who accept nothing else. */
export const jinaDoor: WireDoor = {
  name: 'extract',
  api: 'Jina',
  routes: [{ method: 'GET', path: '/r/:url{.+}' }],
  keyOf: ({ req }) => keyOrPasswordOf(req),
  read: ({ req }) => ({
    url: targetOf(req.url),
    isJson: /\bjson\b/.test(req.header('accept') ?? '') && !/text\/plain/.test(req.header('accept') ?? ''),
    form: req.header('x-return-format') ?? req.header('x-respond-with'),
    max_tokens: req.header('x-max-tokens'),
  }),
  timeoutMs: (_body, usualMs) => readingTimeoutMs(1, usualMs),
  decode: ({ url, form = 'content', max_tokens: tokens }) => {
    if (!['content', 'markdown', 'text'].includes(String(form)))
      throw new HeadgateError('invalid_request', 'X-Return-Format: only markdown and text are served here.');
    return {
      urls: [withScheme(String(url))],
      format: form === 'text' ? 'text' : 'markdown',
      ...(tokens === undefined ? {} : { max_tokens: tokens }),
    };
  },
  encode,
  fail: (error) => failureResponse(error, refusalOf(error.status, error.code, redact(error.explanation))),
};

/** The address after `/r/`, with its query; clients that escape it do so as a whole. */
function targetOf(url: string): string {
  const target = url.slice(url.indexOf('/r/', url.indexOf('://') + 3) + '/r/'.length);
  return /^https?%3a/i.test(target) ? decodeURIComponent(target) : target;
}

function encode(output: ExtractOutput, { isJson }: Body): object {
  const [page] = output.results;
  if (page === undefined) {
    const { error, code } = output.failed_results[0] ?? { error: 'The page has no text.', code: '' };
    return Response.json(refusalOf(422, code, redact(error)), { status: 422 });
  }
  const usage = { tokens: estimateTokens(page.raw_content) };
  if (isJson === true)
    return {
      code: 200,
      status: 20_000,
      data: {
        title: page.title,
        description: page.description ?? '',
        url: page.url,
        content: page.raw_content,
        ...(page.published_date === undefined ? {} : { publishedTime: page.published_date }),
        ...(output.warnings.length === 0 ? {} : { warning: output.warnings.join(' ') }),
        usage,
        trust: page.trust,
      },
      meta: { usage },
    };
  const lines: SafeText[] = [
    safe`Title: ${lineText(page.title)}`,
    safe`URL Source: ${inlineUrl(page.url)}`,
    ...(page.published_date === undefined ? [] : [safe`Published Time: ${lineText(page.published_date)}`]),
    ...output.warnings.map((warning) => safe`Warning: ${warning}`),
    safe`Markdown Content:\n${escaped(page.raw_content)}`,
  ];
  return new Response(`${joined(lines, '\n\n')}\n`, {
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'x-usage-tokens': String(usage.tokens),
    },
  });
}

const escaped = lineEscaper('(?:Title|URL Source|Published Time|Warning|Markdown Content) ?:');

const refusalOf = (status: number, name: string, message: string): Body => ({
  data: null,
  code: status,
  name,
  status: status * 100,
  message,
  readableMessage: message,
});
