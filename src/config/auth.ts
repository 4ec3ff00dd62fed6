import { z } from 'zod';
import { booleanLeaf, list } from './leaf.ts';

/** An origin that clients can reach: https, or http on this machine. */
function isPublicOrigin(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.origin !== text) return false;
  return url.protocol === 'https:' || /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(text);
}

export const publicUrl = () =>
  z
    .preprocess(
      (value) => (typeof value === 'string' ? value.trim().replace(/\/$/, '') : value),
      z.string().refine(isPublicOrigin, {
        error: 'must be an origin such as https://search.example.com, without a path.',
      }),
    )
    .optional()
    .describe(
      'The address under which people and clients reach the gateway, such as https://search.example.com. With it, clients can sign in (OAuth).',
    );

const CLIENT = /^[^\s=]{1,200}=\S{1,2000}$/;

/** Who may sign in to the gateway, and how. */
export const auth = z
  .strictObject({
    client_hosts: list()
      .default(['claude.ai', 'claude.com', 'chatgpt.com', 'vscode.dev', 'zed.dev', 'cursor.com'])
      .describe(
        'Hosts whose clients may sign in with the address of a document that describes them. No other host is asked for one.',
      ),
    registration: booleanLeaf()
      .default(false)
      .describe('Whether any client may register itself. Needed by clients without such a document.'),
    clients: list()
      .refine((given) => given.every((client) => CLIENT.test(client)), {
        error: 'must be entries such as my-client=https://app.example/callback.',
      })
      .default([])
      .describe(
        'Clients that are known in advance, with the address to return to: `my-client=https://app.example/callback`. Repeat an ID for further addresses.',
      ),
  })
  .prefault({});
