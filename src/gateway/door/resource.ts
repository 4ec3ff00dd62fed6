import { KEY_SCOPES, type KeyScope } from '../../core/grant.ts';

/** The scopes that a client can be given; managing the gateway is not among them. */
export const CLIENT_SCOPES: readonly KeyScope[] = KEY_SCOPES.filter((scope) => !scope.startsWith('admin'));

const PLACE = /^\/mcp(?:\/agents\/[A-Za-z0-9_-]{1,100})?$/;

/** The protected resource at a path: MCP, an agent's MCP, or (empty) the whole gateway. */
export const placeOf = (path: string): string => (PLACE.test(path) ? path : '');

/** The agent whose resource a place is. */
export const agentOf = (place: string): string | undefined => /^\/mcp\/agents\/(.+)$/.exec(place)?.[1];

/** The place that a resource identifier names; undefined when it is not one of ours. */
export function placeOfResource(resource: string, publicUrl: string): string | undefined {
  if (resource === publicUrl || resource === `${publicUrl}/`) return '';
  const path = resource.startsWith(publicUrl) ? resource.slice(publicUrl.length) : '';
  return PLACE.test(path) ? path : undefined;
}

/** Whether a token for one resource may be used at a place. A token for the whole gateway may be used everywhere. */
export const isForPlace = (resource: string, place: string, publicUrl: string | undefined): boolean =>
  publicUrl !== undefined && (resource === publicUrl || resource === `${publicUrl}${place}`);

/** Where the metadata of a place is. */
export const metadataUrl = (publicUrl: string, place: string): string =>
  `${publicUrl}/.well-known/oauth-protected-resource${place}`;

/** The `WWW-Authenticate` header of a refusal. */
export function challenge(options: {
  publicUrl: string;
  place: string;
  error?: 'invalid_token' | 'insufficient_scope';
  scopes?: readonly KeyScope[];
}): string {
  const { publicUrl, place, error, scopes = CLIENT_SCOPES } = options;
  const parts = [
    ...(error === undefined ? [] : [`error="${error}"`]),
    `resource_metadata="${metadataUrl(publicUrl, place)}"`,
    `scope="${scopes.join(' ')}"`,
  ];
  return `Bearer ${parts.join(', ')}`;
}
