import type { Request } from 'express';
import type { Provider } from 'oidc-provider';
import { Failure } from '../domain/failure.ts';
import { isSameText } from '../domain/same-text.ts';
import { ACCOUNT_ID } from '../oauth/provider.ts';
import { recordScopes } from '../oauth/scopes.ts';
import type { CrmScope } from '../oauth/scopes.ts';

/** The caller, as far as the credential identifies it. */
export interface Credential {
  /** The kind of credential. */
  readonly authentication: 'oauth' | 'clientCredentials' | 'apiToken';
  /** The person who signed in; null for client credentials. */
  readonly user: string | null;
  readonly scopes: readonly string[];
  /** The OAuth client that got the token; null for the API token. */
  readonly clientId: string | null;
}

/** Reads `Authorization: Bearer <access token>` or `x-api-token`; throws a 401 `Failure` unless it is valid. */
export async function authenticate(req: Request, provider: Provider, apiToken: string): Promise<Credential> {
  const authorization = req.get('authorization');
  if (authorization !== undefined) {
    const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
    if (token === undefined)
      throw unauthorized('invalid_request', 'Send Authorization: Bearer <access token>.');
    return (
      (await byAccessToken(provider, token)) ?? fail('The access token is unknown, revoked or has expired.')
    );
  }
  const sentToken = req.get('x-api-token');
  if (sentToken === undefined)
    throw unauthorized(undefined, 'Send an access token or the header x-api-token.');
  if (!isSameText(sentToken, apiToken)) return fail('The API token is not valid.');
  return { authentication: 'apiToken', user: ACCOUNT_ID, scopes: recordScopes, clientId: null };
}

/** Throws a 403 `Failure` unless the credential has the scope. */
export function requireScope(credential: Credential, scope: CrmScope): void {
  if (credential.scopes.includes(scope)) return;
  throw new Failure(
    403,
    'insufficient_scope',
    `This needs the scope ${scope}, which the credential does not have.`,
    {
      headers: { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
    },
  );
}

async function byAccessToken(provider: Provider, value: string): Promise<Credential | undefined> {
  const token = await provider.AccessToken.find(value);
  if (token?.isValid === true) {
    const scopes = [...token.scopes];
    return { authentication: 'oauth', user: token.accountId, scopes, clientId: token.clientId ?? null };
  }
  const own = await provider.ClientCredentials.find(value);
  if (own?.isValid !== true) return undefined;
  return {
    authentication: 'clientCredentials',
    user: null,
    scopes: [...own.scopes],
    clientId: own.clientId ?? null,
  };
}

function fail(message: string): never {
  throw unauthorized('invalid_token', message);
}

function unauthorized(error: string | undefined, message: string): Failure {
  const challenge =
    error === undefined ? 'Bearer' : `Bearer error="${error}", error_description="${message}"`;
  return new Failure(401, 'unauthorized', message, { headers: { 'www-authenticate': challenge } });
}
