import { createHmac } from 'node:crypto';
import { formatUsd } from '../core/money.ts';
import type { AlertEvent } from '../store/events.ts';
import type { WebhookFormat } from '../store/webhooks.ts';

/** What is sent to a receiver. */
export interface WebhookMessage {
  headers: Record<string, string>;
  body: string;
}

/**
 * An event as a signed request. Standard Webhooks sign `id.timestamp.body`; while a secret is being replaced, there is a signature
 * of each, and a receiver accepts either.
 */
export function webhookMessage(
  event: AlertEvent,
  { format, secrets, now }: { format: WebhookFormat; secrets: string[]; now: number },
): WebhookMessage {
  const body = JSON.stringify(format === 'slack' ? { text: sentenceOf(event) } : cloudEventOf(event));
  const timestamp = String(Math.floor(now / 1_000));
  const signed = `${event.id}.${timestamp}.${body}`;
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  });
  return {
    body,
    headers: {
      'content-type': format === 'slack' ? 'application/json' : 'application/cloudevents+json',
      'webhook-id': event.id,
      'webhook-timestamp': timestamp,
      'webhook-signature': signatures.join(' '),
    },
  };
}

const cloudEventOf = ({ id, kind, subject, workspace, data, at }: AlertEvent) => ({
  specversion: '1.0',
  id,
  source: workspace === null ? '/headgate' : `/headgate/workspaces/${encodeURIComponent(workspace)}`,
  type: `headgate.${kind}`,
  subject,
  time: new Date(at).toISOString(),
  datacontenttype: 'application/json',
  data,
});

const rulesIn = ({ rules }: AlertEvent['data']): string =>
  Object.entries((rules ?? {}) as Record<string, number>)
    .map(([rule, calls]) => `${rule} ${calls}`)
    .join(', ');

/** One sentence for people. `<`, `>` and `&` would be markup in Slack. */
export function sentenceOf({ kind, subject, workspace, data }: AlertEvent): string {
  const word = (name: string): string => {
    const value = data[name];
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  };
  const of = `${word('level')} ${word('subject') || subject}`.trim();
  const where = workspace === null || of.endsWith(workspace) ? '' : ` (workspace ${workspace})`;
  const spent =
    data['unit'] === 'money'
      ? `${formatUsd(Number(data['used']))} of ${formatUsd(Number(data['amount']))}`
      : `${word('used')} of ${word('amount')} credits`;
  const renews = word('renews') === '' ? '' : ` It renews at ${word('renews')}.`;
  const sentences: Record<string, string> = {
    'budget.threshold': `The budget of the ${of} has reached ${word('threshold')} %: ${spent}.${renews}`,
    'budget.exhausted': `A call was refused: the budget of the ${of} is used up, ${spent}.${renews}`,
    'balance.exhausted': `The balance of ${subject} does not cover another credit.`,
    'balance.days_left': `At the rate of the last day, the balance of ${subject} lasts ${word('days')} more ${word('days') === '1' ? 'day' : 'days'}.`,
    'key.created': `The API key ${subject} (${word('label')}) was created.`,
    'key.revoked': `The API key ${subject} (${word('label')}) was revoked.`,
    'key.expiring': `The API key ${subject} (${word('label')}) expires at ${word('expires')}.`,
    'provider.down': `The provider ${subject} has stopped answering.`,
    'provider.up': `The provider ${subject} answers again.`,
    'provider.key_exhausted': `The provider ${word('provider')} refuses key ${word('key')}: its quota is used up. It is not used until ${word('until')}.`,
    'calls.failing': `${word('failed')} of the last ${word('calls')} calls failed within ${word('minutes')} minutes, most with ${word('code')}.`,
    'policy.denied': `In the hour from ${word('from')}, ${word('calls')} calls met a rule of the policy, and ${word('refused')} of them were refused: ${rulesIn(data)}.`,
    'research.done': `The research ${subject} is over (${word('status')}): ${word('sources')} sources, ${word('findings')} findings.`,
    'crawl.done': `The crawl ${subject} is over (${word('outcome')}): ${word('pages')} pages.`,
    'webhook.test': 'This is a test of a webhook.',
  };
  const sentence = `${sentences[kind] ?? kind}${where}`;
  return sentence.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
