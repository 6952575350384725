import { errors, interactionPolicy } from 'oidc-provider';
import type { Client, Grant, KoaContextWithOIDC, ResourceServer } from 'oidc-provider';
import { defaultScopesOfClient, isSignInOnly, scopesOfClient } from '../clients/client-kinds.ts';
import type { Resources } from '@fairlead/access/resources';

/** Longest lifetime of an access token, in seconds. */
export const ACCESS_TOKEN_SECONDS = 15 * 60;

/**
 * Describes a resource to the library: the scopes that the client may have there, and JWTs as the token format. A request without scopes
 * (apart from those of OpenID) gets the client's defaults; one with only forbidden scopes is invalid_scope. This hook is the only one that
 * runs after the client is known and before the scopes are checked.
 */
export function resourceServerFor(
  resources: Resources,
  kid: string,
): (ctx: KoaContextWithOIDC, identifier: string, client: Client) => ResourceServer {
  return (ctx, identifier, client) => {
    const audience = resources.canonical(identifier);
    if (audience === undefined) throw new errors.InvalidTarget();
    chooseScopes(ctx, client);
    return {
      audience,
      scope: scopesOfClient(client).join(' '),
      accessTokenFormat: 'jwt',
      accessTokenTTL: ACCESS_TOKEN_SECONDS,
      jwt: { sign: { alg: 'RS256', kid } },
    };
  };
}

/** OpenID scopes that many clients send by default. They request claims about a person, which we do not have, and no rights. */
const CLAIMS: ReadonlySet<string> = new Set(['profile', 'email', 'address', 'phone']);

function chooseScopes({ oidc }: KoaContextWithOIDC, client: Client): void {
  const { params } = oidc;
  const isAsking =
    oidc.route === 'authorization' ||
    oidc.route === 'device_authorization' ||
    (oidc.route === 'token' && params?.['grant_type'] === 'client_credentials');
  if (!isAsking || params === undefined) return;
  const openid = oidc.requestParamOIDCScopes;
  const scopes = [...oidc.requestParamScopes].filter((scope) => !openid.has(scope) && !CLAIMS.has(scope));
  const allowed: readonly string[] = scopesOfClient(client);
  if (scopes.length > 0 && !scopes.some((scope) => allowed.includes(scope))) {
    throw new errors.InvalidScope('the client may have none of the requested scopes', scopes.join(' '));
  }
  // `openid` alone only identifies the person and gives no access to the API.
  if (scopes.length > 0) return;
  params['scope'] = [...openid, ...defaultScopesOfClient(client)].join(' ');
}

/** The session's grant for the client, if the session's user gave it. */
export async function loadExistingGrant(ctx: KoaContextWithOIDC): Promise<Grant | undefined> {
  const { oidc } = ctx;
  const { client, session, result, account } = oidc;
  if (client === undefined) return undefined;
  if (isSignInOnly(client)) {
    if (account === undefined) return undefined;
    const { Grant: SignIn } = oidc.provider;
    const signIn = new SignIn({ clientId: client.clientId, accountId: account.accountId });
    signIn.addOIDCScope('openid');
    return signIn;
  }
  const grantId = result?.consent?.grantId ?? session?.grantIdFor(client.clientId);
  const grant = grantId === undefined ? undefined : await oidc.provider.Grant.find(grantId);
  return grant?.accountId === account?.accountId && grant?.clientId === client.clientId ? grant : undefined;
}

/**
 * The library's policy. It asks for consent each time if the redirect goes to the user's own machine. We add: sign-in is required if the
 * session's user is no longer active.
 */
export function createPolicy(): interactionPolicy.DefaultPolicy {
  const policy = interactionPolicy.base();
  policy
    .get('login')
    ?.checks.add(
      new interactionPolicy.Check(
        'no_account',
        'the user of the session may not sign in',
        ({ oidc }) => oidc.session?.accountId !== undefined && oidc.account === undefined,
      ),
    );
  return policy;
}
