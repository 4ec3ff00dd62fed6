import type { Hono } from 'hono';
import type { GatewayContext } from '../door/context.ts';
import { CLIENT_SCOPES, placeOf } from '../door/resource.ts';

/** Mounts the documents with which clients find out how to sign in (RFC 9728 and RFC 8414). */
export function mountMetadata(app: Hono, { services }: GatewayContext, publicUrl: string): void {
  const { registration, issuer } = services.config.auth;
  const server = {
    issuer: publicUrl,
    authorization_endpoint: `${publicUrl}/oauth/authorize`,
    token_endpoint: `${publicUrl}/oauth/token`,
    revocation_endpoint: `${publicUrl}/oauth/revoke`,
    ...(registration ? { registration_endpoint: `${publicUrl}/oauth/register` } : {}),
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    scopes_supported: CLIENT_SCOPES,
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  };
  const resourceAt = (place: string) => ({
    resource: `${publicUrl}${place}`,
    authorization_servers: [...(issuer === undefined ? [] : [issuer]), publicUrl],
    scopes_supported: CLIENT_SCOPES,
    bearer_methods_supported: ['header'],
    resource_name: 'Headgate',
  });
  const WELL_KNOWN = '/.well-known/oauth-protected-resource';
  app.get(WELL_KNOWN, (context) => context.json(resourceAt('')));
  app.get(`${WELL_KNOWN}/*`, (context) => {
    const place = placeOf(context.req.path.slice(WELL_KNOWN.length));
    return place === '' ? context.json({ detail: 'Not Found' }, 404) : context.json(resourceAt(place));
  });
  app.get('/.well-known/oauth-authorization-server', (context) => context.json(server));
  app.get('/.well-known/openid-configuration', (context) => context.json(server));
}
