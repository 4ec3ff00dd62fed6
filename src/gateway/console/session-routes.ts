import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { parseInput } from '../../contract/parse.ts';
import { LIMITS } from '../../core/limits.ts';
import { newFactorSecret } from '../../store/second-factor.ts';
import { errorResponse } from '../door/error-response.ts';
import { readJsonBody } from '../door/request-body.ts';
import type { GatewayContext } from '../door/context.ts';
import type { ConsoleAuth, SignedIn } from './auth.ts';

const name = z.string().trim().min(1).max(LIMITS.meterNameCharsMax);
const secret = z.string().regex(/^[A-Z2-7]{32}$/);
const code = z.string().trim().min(1).max(40);
const password = z.string().min(1).max(LIMITS.passwordCharsMax);

/** Sign-in, sign-out, first password and password change. */
export function mountSessions(app: Hono, gateway: GatewayContext, auth: ConsoleAuth): void {
  const post = <Body extends z.ZodType>(
    path: string,
    schema: Body,
    run: (context: Context, body: z.output<Body>) => Promise<SignedIn | object | void>,
  ): void => {
    app.post(`/console/${path}`, async (context) => {
      try {
        const answer = (await run(context, parseInput(schema, await readJsonBody(context.req)))) ?? {};
        return context.json('csrf' in answer ? stateOf(answer as SignedIn) : answer, 200, NEVER_KEPT);
      } catch (thrown) {
        return errorResponse(thrown);
      }
    });
  };
  app.get('/console/session', async (context) => {
    const signedIn = await auth.who(context);
    if (signedIn !== undefined) return context.json(stateOf(signedIn), 200, NEVER_KEPT);
    const { passwords, oidc } = gateway.services.config.auth;
    const provider =
      oidc.issuer === undefined ? {} : { provider: oidc.name ?? new URL(oidc.issuer).hostname };
    const needsSetup = !(await gateway.store.sessions.anyAdmin());
    return context.json({ needsSetup, passwords, ...provider }, 200, NEVER_KEPT);
  });
  post('sign-in', z.strictObject({ name, password, code: code.optional() }), (context, body) =>
    auth.signIn(context, body),
  );
  app.get('/console/factor', async (context) => {
    try {
      const { admin } = await auth.require(context, undefined, true);
      const { hasFactor: isOn, id } = admin;
      if (isOn)
        return context.json({ isOn, left: await gateway.store.factors.recoveryCodes(id) }, 200, NEVER_KEPT);
      const fresh = newFactorSecret();
      return context.json({ isOn, secret: fresh, link: linkOf(admin.name, fresh) }, 200, NEVER_KEPT);
    } catch (thrown) {
      return errorResponse(thrown);
    }
  });
  post('factor', z.strictObject({ password, secret, code }), (context, body) =>
    auth.enableFactor(context, body),
  );
  post('factor/off', z.strictObject({ password, code }), (context, body) =>
    auth.disableFactor(context, body),
  );
  post('sign-out', z.strictObject({}), (context) => auth.signOut(context));
  post('setup', z.strictObject({ token: z.string().max(200), name, password }), (context, body) =>
    auth.setUp(context, body),
  );
  post('password', z.strictObject({ old: password, new: password }), (context, body) =>
    auth.changePassword(context, body),
  );
}

const linkOf = (name: string, fresh: string): string =>
  `otpauth://totp/Headgate:${encodeURIComponent(name)}?secret=${fresh}&issuer=Headgate`;

const NEVER_KEPT = { 'cache-control': 'no-store' };

const stateOf = ({ admin, csrf }: SignedIn) => {
  const { name, role, workspaces, hasFactor, isLimited = false } = admin;
  return { name, role, workspaces, hasFactor, isLimited, csrf };
};
