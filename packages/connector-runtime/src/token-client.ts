import type { OAuth2Scheme } from '@fairlead/connector-model/model';
import type { Clock } from '@fairlead/service-kit/clock';
import type { Egress } from '@fairlead/service-kit/egress/egress';
import { CallFailure } from './failure.ts';
import type { TokenSet } from './oauth/token-response.ts';
import { TokenError } from './oauth/token-error.ts';
import { requestByToken, requestTokens } from './oauth/token-request.ts';
import type { ClientCall, OAuthClient } from './oauth/client-request.ts';
import { revokeTokens } from './oauth/token-revocation.ts';
import type { GrantTokens } from './oauth/token-revocation.ts';
import { renderText } from './templates.ts';
import type { TemplateValues } from './templates.ts';
import { renderUrl } from './url-template.ts';

export type { TokenSet } from './oauth/token-response.ts';
export { TokenError } from './oauth/token-error.ts';
export type { OAuthClient } from './oauth/client-request.ts';

/** The client, and the values for the scheme's templates (`field`: the connection's and the provider's). */
interface ClientValues {
  readonly client: OAuthClient;
  readonly values: TemplateValues;
}

/** Sign-in URLs and token requests for any vendor that a manifest describes. Every method throws TokenError. */
export interface TokenClient {
  /** The URL to send the person's browser to. `codeChallenge` uses method S256. */
  authorizationUrl(
    scheme: OAuth2Scheme,
    o: ClientValues & {
      readonly redirectUri: string;
      readonly state: string;
      readonly codeChallenge: string;
    },
  ): string;
  /** Authorization code → tokens. */
  exchangeCode(
    scheme: OAuth2Scheme,
    o: ClientCall & { readonly redirectUri: string; readonly code: string; readonly codeVerifier: string },
  ): Promise<TokenSet>;
  /** Refresh token → new tokens; `refreshToken` of the result is set only if the vendor sent one. */
  refresh(scheme: OAuth2Scheme, o: ClientCall & { readonly refreshToken: string }): Promise<TokenSet>;
  /** The client's own tokens. */
  clientCredentials(scheme: OAuth2Scheme, o: ClientCall): Promise<TokenSet>;
  /**
   * Revokes a grant at the vendor; `unsupported`, with nothing sent, if the scheme declares no revocation. A token that
   * the vendor no longer accepts counts as revoked. `refused`: another attempt would not help.
   */
  revokeToken(
    scheme: OAuth2Scheme,
    o: ClientCall & { readonly tokens: GrantTokens },
  ): Promise<'revoked' | 'unsupported'>;
}

/** A token client over the guarded egress; `clock` dates the expiry of the granted tokens. */
export function createTokenClient({
  egress,
  clock,
}: {
  readonly egress: Egress;
  readonly clock: Clock;
}): TokenClient {
  const now = (): Date => clock.now();
  return {
    authorizationUrl,

    exchangeCode: async (scheme, { redirectUri, code, codeVerifier, ...call }) => {
      const grant = {
        grant_type: 'authorization_code',
        code,
        redirect_uri: redirectUri,
        ...(scheme.usesPkce ? { code_verifier: codeVerifier } : {}),
      };
      const secrets = [code, codeVerifier];
      const first = await requestTokens(egress, scheme, { ...call, grant, secrets }, now);
      const { exchange: step } = scheme;
      if (step === null) return renewable(scheme, first);
      const kept = await requestByToken(egress, scheme, { ...call, step, token: first.accessToken }, now);
      // The first response alone may state who signed in.
      return renewable(scheme, { ...kept, raw: { ...first.raw, ...kept.raw } });
    },

    refresh: async (scheme, { refreshToken: token, ...call }) =>
      renewable(scheme, await requestByToken(egress, scheme, { ...call, step: scheme.refresh, token }, now)),

    clientCredentials: (scheme, call) => {
      const grant = { grant_type: 'client_credentials', ...scopeParameter(scheme) };
      return requestTokens(egress, scheme, { ...call, grant, secrets: [] }, now);
    },

    revokeToken: (scheme, o) => revokeTokens(egress, scheme, o),
  };
}

/** The tokens with what renews them: the access token itself at vendors without refresh tokens. */
function renewable({ refresh }: OAuth2Scheme, tokens: TokenSet): TokenSet {
  return refresh.token === 'accessToken' ? { ...tokens, refreshToken: tokens.accessToken } : tokens;
}

function authorizationUrl(...[scheme, o]: Parameters<TokenClient['authorizationUrl']>): string {
  const url = renderedAuthorizationUrl(scheme, o.values);
  for (const [name, template] of Object.entries(scheme.authorizationParameters)) {
    const value = renderText(template, o.values);
    if (value !== undefined) url.searchParams.set(name, value);
  }
  const parameters = {
    response_type: 'code',
    [scheme.clientIdParameter]: o.client.clientId,
    redirect_uri: o.redirectUri,
    state: o.state,
    ...scopeParameter(scheme),
    ...(scheme.usesPkce ? { code_challenge: o.codeChallenge, code_challenge_method: 'S256' } : {}),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

function renderedAuthorizationUrl(scheme: OAuth2Scheme, values: TemplateValues): URL {
  try {
    return renderUrl(scheme.authorizationUrl ?? '', values);
  } catch (error) {
    if (error instanceof CallFailure) throw new TokenError('refused', error.message, { cause: error });
    throw error;
  }
}

function scopeParameter(scheme: OAuth2Scheme): Readonly<Record<string, string>> {
  return scheme.scopes.length === 0
    ? {}
    : { [scheme.scopeParameter]: scheme.scopes.join(scheme.scopeSeparator) };
}
