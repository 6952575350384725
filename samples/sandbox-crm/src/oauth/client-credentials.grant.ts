import { errors } from 'oidc-provider';
import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import { recordScopes } from './scopes.ts';

/**
 * Replaces the library's client-credentials grant, which would grant any scope, and none if none is requested. Here the default is the
 * record scopes, and any other scope is `invalid_scope`.
 */
export function registerClientCredentialsGrant(provider: Provider): void {
  const handle = async (ctx: KoaContextWithOIDC): Promise<void> => {
    const { client, params } = ctx.oidc;
    if (client === undefined) throw new errors.InvalidClient('client authentication is required');
    const scopes = typeof params?.['scope'] === 'string' ? params['scope'].split(' ') : recordScopes;
    const unknown = scopes.filter((scope) => !recordScopes.some((known) => known === scope));
    if (unknown.length > 0) {
      throw new errors.InvalidScope('scope is not available to client credentials', unknown.join(' '));
    }
    const scope = [...new Set(scopes)].join(' ');
    const token = new provider.ClientCredentials({ client, scope });
    ctx.oidc.entity('ClientCredentials', token);
    const accessToken = await token.save();
    ctx.body = {
      access_token: accessToken,
      expires_in: token.expiration,
      scope,
      token_type: token.tokenType,
    };
  };
  provider.registerGrantType('client_credentials', handle, ['scope']);
}
