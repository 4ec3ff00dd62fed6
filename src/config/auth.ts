import { z } from 'zod';
import { ROLES } from '../core/roles.ts';
import { booleanLeaf, list, secret, textLeaf } from './leaf.ts';

const LOCAL = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

/** An origin that clients can reach: https, or http on this machine. */
const isPublicOrigin = (text: string): boolean => isSafe(text) && URL.parse(text)?.origin === text;

function isSafe(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && (url.protocol === 'https:' || LOCAL.test(url.origin));
}

/** The issuer of tokens, exactly as its metadata writes it. */
const issuer = () =>
  textLeaf().refine((text) => isSafe(text) && !/[?#@]/.test(text), {
    error: 'must be an address such as https://login.example.com, without a query.',
  });

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

/** The identity provider through which people sign in to the console. */
const oidc = z
  .strictObject({
    issuer: issuer()
      .optional()
      .describe(
        'The OpenID Connect provider through which people sign in to the console, such as https://login.example.com. Needs `[server] public_url`.',
      ),
    client_id: textLeaf().optional().describe('The ID of the gateway at the provider.'),
    client_secret: secret()
      .optional()
      .describe('Its secret. Without one, refresh tokens of the provider are not kept.'),
    name: textLeaf().optional().describe('What the button calls the provider. Unset: its host.'),
    scopes: list()
      .default(['openid', 'email', 'profile'])
      .describe('The scopes to ask for. `offline_access` is added when the provider offers it.'),
    name_claim: textLeaf()
      .default('email')
      .describe('The claim with the name of a person here. An `email` counts only when it is verified.'),
    domains: list()
      .default([])
      .describe('Only people whose address ends with one of these domains may sign in. Empty: any.'),
  })
  .prefault({});

/** `group=role`, or `group=workspace:role`. Names of groups may themselves have an equals sign. */
export const GROUP_RULE = new RegExp(`^(.+)=(?:([^=]+):)?(${ROLES.join('|')})$`);

const CLIENT = /^[^\s=]{1,200}=\S{1,2000}$/;

/** Who may sign in to the gateway, and how. */
export const auth = z
  .strictObject({
    oidc,
    issuer: issuer()
      .optional()
      .describe(
        'Another authorization server whose access tokens are accepted (RFC 9068), for the exact address that is used. `groups` chooses the workspace. Needs `[server] public_url`.',
      ),
    introspection_client_id: textLeaf()
      .optional()
      .describe(
        'The ID with which the gateway asks that server about every token, if its tokens are not signed.',
      ),
    introspection_client_secret: secret().optional().describe('The secret for it.'),
    passwords: booleanLeaf()
      .default(true)
      .describe(
        'Whether people may sign in to the console with a password. If not, the link of `headgate console` still works.',
      ),
    groups: list()
      .refine((given) => given.every((rule) => GROUP_RULE.test(rule)), {
        error: 'must be rules such as staff=viewer or engineers=Search team:member.',
      })
      .default([])
      .describe(
        'Roles of people by their groups at the identity provider: `staff=viewer` in the gateway, `engineers=ws_…:member` in the workspace of that ID or name. The group `*` is everybody.',
      ),
    groups_claim: textLeaf()
      .default('groups')
      .describe('The claim with the groups of a person; `realm_access.roles` is one inside another.'),
    client_hosts: list()
      .default(['claude.ai', 'claude.com', 'chatgpt.com', 'vscode.dev', 'zed.dev', 'cursor.com'])
      .describe(
        'Hosts whose clients may sign in with the address of a document that describes them. No other host is asked for one.',
      ),
    second_factor: z
      .enum(['optional', 'required'])
      .default('optional')
      .describe(
        'Whether people who sign in with a password need a code of an authenticator app too. With `required`, whoever has none sets it up before anything else.',
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

/** Settings that do not go together. */
export function signInMistakes(
  { issuer: server, oidc: { issuer: provider, client_id: client }, passwords }: z.output<typeof auth>,
  publicAddress: string | undefined,
): { path: string[]; message: string }[] {
  const missing = publicAddress === undefined ? 'server.public_url' : 'auth.oidc.client_id';
  const isComplete = publicAddress !== undefined && client !== undefined;
  const isOff = provider === undefined || !isComplete;
  return [
    ...(server === undefined || publicAddress !== undefined
      ? []
      : [{ path: ['auth', 'issuer'], message: 'needs server.public_url.' }]),
    ...(provider === undefined || isComplete
      ? []
      : [{ path: ['auth', 'oidc', 'issuer'], message: `needs ${missing}.` }]),
    ...(passwords || !isOff
      ? []
      : [{ path: ['auth', 'passwords'], message: 'can only be off with auth.oidc.issuer.' }]),
  ];
}
