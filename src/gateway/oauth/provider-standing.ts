import { LIMITS } from '../../core/limits.ts';
import type { LinkedAccount } from '../../store/identities.ts';
import type { GatewayContext } from '../door/context.ts';
import { OAuthError } from './form.ts';
import { applyRoles, rolesFromGroups } from './group-rules.ts';
import type { Identified, IdentityProvider } from './identity-provider.ts';
import { createSeal } from './seal.ts';

/** What the identity provider says of people, at their sign-in and whenever a client of theirs gets new tokens. */
export interface ProviderStanding {
  /** Signs somebody in by the name that the provider vouches for; a refusal says why not. */
  enter(
    who: Identified,
    name: string,
  ): Promise<{ id: string; name: string } | 'unknown' | 'groups' | 'archived'>;
  /** Asks the provider about a person again. Throws when no client of theirs may get new tokens. */
  check(person: string): Promise<void>;
}

/**
 * With other groups, roles change and clients of lost workspaces end. If the provider refuses, all of the
 * person's clients and sessions end. While it cannot be asked, no client gets new tokens, and may try again.
 * Somebody for whom the provider gives no refresh token signs in twice a day.
 */
export function createProviderStanding(
  gateway: GatewayContext,
  provider: IdentityProvider,
): ProviderStanding {
  const { services, identify } = gateway;
  const { identities } = gateway.store;
  const { auth } = services.config;
  const issuer = auth.oidc.issuer ?? '';
  const seal = auth.oidc.client_secret === undefined ? undefined : createSeal(auth.oidc.client_secret);
  const sealed = ({ refresh }: Identified): string | null =>
    refresh === undefined || seal === undefined ? null : seal.close(refresh);

  /** Applies what the groups give now. False for somebody who was here by their groups and has none left. */
  const follow = async (who: Identified, account: LinkedAccount): Promise<boolean> => {
    const roles = await rolesFromGroups(who.claims, gateway);
    const isLost = roles === undefined && account.isManaged && auth.groups.length > 0;
    if (roles !== undefined || isLost) await applyRoles(gateway, account.person, roles);
    if (isLost) await end(account);
    else await identities.save(account, { refresh: sealed(who), isManaged: roles !== undefined });
    return !isLost;
  };
  const end = async (account: LinkedAccount): Promise<void> => {
    await identities.end(account);
    identify.forget();
  };
  const over = () => new OAuthError('invalid_grant', 'The person has to sign in again.');
  return {
    enter: async (who, name) => {
      const mayJoin = (await rolesFromGroups(who.claims, gateway)) !== undefined;
      const account = await identities.admit(
        { issuer, subject: who.subject },
        {
          name,
          mayJoin,
          isProven: auth.oidc.name_claim === 'email',
        },
      );
      if (account === undefined) return 'unknown';
      if (account.archived !== null) return 'archived';
      return (await follow(who, account)) ? { id: account.admin, name: account.person } : 'groups';
    },
    check: async (person) => {
      const account = await identities.of(person, issuer);
      if (account === undefined) return;
      if (account.archived !== null) throw over();
      const token = account.refresh === null ? undefined : seal?.open(account.refresh);
      if (token === undefined) {
        if (services.clock.now() - account.checked < LIMITS.providerUncheckedMs) return;
        throw over();
      }
      // A refresh token works once. If another client of this person is being checked, that counts for both.
      if (!(await identities.lease(account))) return;
      const who = await provider.refresh(token, account.subject).catch(async (thrown: unknown) => {
        await identities.release(account);
        services.log.warn('identity_provider_failed', { cause: thrown });
        throw new OAuthError('temporarily_unavailable', 'The identity provider cannot be asked now.', 503);
      });
      if (who === undefined) await end(account);
      if (who === undefined || !(await follow(who, account))) throw over();
    },
  };
}
