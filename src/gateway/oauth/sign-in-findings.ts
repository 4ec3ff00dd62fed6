import { randomBytes } from 'node:crypto';
import { HeadgateError } from '../../core/errors.ts';
import type { DoctorFinding } from '../../operations/doctor.ts';
import type { Services } from '../../operations/services.ts';
import { createIdentityProvider } from './identity-provider.ts';
import { createIssuer, type Issuer } from './issuer.ts';
import { redirectOf } from './single-sign-on.ts';

/** Checks what is often wrong when people or tokens of another server are let in. Nobody is signed in. */
export async function signInFindings(services: Services, signal: AbortSignal): Promise<DoctorFinding[]> {
  const { auth, server } = services.config;
  const found: DoctorFinding[] = [];
  for (const [subject, setting, address] of [
    ['Sign-in', 'auth.oidc.issuer', auth.oidc.issuer],
    ['Tokens', 'auth.issuer', auth.issuer],
  ] as const) {
    if (address === undefined) continue;
    const issuer = createIssuer(services, address);
    const problem = await issuer.metadata(signal).then(
      () => undefined,
      (thrown: unknown) => whyNot(thrown, setting),
    );
    found.push(
      problem === undefined
        ? { level: 'ok', subject, text: `${address} answers.` }
        : { level: 'problem', subject, text: `${address}: ${problem}` },
    );
    if (problem === undefined && setting === 'auth.oidc.issuer' && server.public_url !== undefined)
      found.push({
        subject,
        ...(await redirectFinding(services, issuer, redirectOf(server.public_url), signal)),
      });
  }
  return found;
}

/** Our own failures are about the network; the library's are about what the issuer says. */
const whyNot = (thrown: unknown, setting: string): string =>
  thrown instanceof HeadgateError
    ? thrown.explanation
    : `its metadata cannot be used. Write ${setting} exactly as the metadata writes \`issuer\`, with or without a slash at the end.`;

/** Answers to somebody who is not signed in and must not be asked: everything about the gateway was right. */
const EXPECTED = /^(login|interaction|consent|account_selection)_required$/;

/** A provider that knows the gateway sends even a sign-in that cannot succeed back to it. */
async function redirectFinding(services: Services, issuer: Issuer, redirect: string, signal: AbortSignal) {
  const { client_id: clientId = '', client_secret: clientSecret, scopes } = services.config.auth.oidc;
  const settings = { issuer: services.config.auth.oidc.issuer ?? '', clientId, clientSecret, scopes };
  const secret = () => randomBytes(32).toString('base64url');
  const login = { state: secret(), nonce: secret(), verifier: secret(), redirect };
  const unclear = {
    level: 'note' as const,
    text: `register ${redirect} at the provider as redirect address.`,
  };
  const url = await createIdentityProvider(services, settings).authorizeUrl(login, signal);
  const response = await issuer.ask(`${url}&prompt=none`, { signal }).catch(() => undefined);
  const location = response?.headers.get('location') ?? '';
  if (response !== undefined && response.status >= 400)
    return {
      level: 'problem' as const,
      text: `the provider does not know the gateway. Register exactly ${redirect} there as redirect address, and check auth.oidc.client_id.`,
    };
  if (!location.startsWith(`${redirect}?`)) return unclear;
  const error = new URL(location).searchParams.get('error') ?? '';
  if (EXPECTED.test(error)) return { level: 'ok' as const, text: `the provider knows ${redirect}.` };
  const named = /^[a-z_]{1,60}$/.test(error) ? ` (${error})` : '';
  return {
    level: 'problem' as const,
    text: `the provider refuses the request${named}. Check auth.oidc.client_id and auth.oidc.scopes.`,
  };
}
