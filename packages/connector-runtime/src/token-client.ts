import type { OAuth2Scheme } from '@fairlead/connector-model/model';
import type { Clock } from '@fairlead/service-kit/clock';
import type { Egress } from '@fairlead/egress/egress';
import {
  authorizationUrl,
  expectedIssuer,
  pushAuthorization,
  scopeParameter,
} from './oauth/authorization-request.ts';
import type { ExpectedIssuer, SignInRequest } from './oauth/authorization-request.ts';
import { JWT_BEARER, signAssertion } from './oauth/assertion.ts';
import type { TokenSet } from './oauth/token-response.ts';
import { requestByToken, requestTokens } from './oauth/token-request.ts';
import type { ClientCall } from './oauth/client-request.ts';
import { revokeTokens } from './oauth/token-revocation.ts';
import type { GrantTokens } from './oauth/token-revocation.ts';
import type { TemplateValues } from './templates.ts';

export type { TokenSet } from './oauth/token-response.ts';
export { TokenError } from './oauth/token-error.ts';
export type { ExpectedIssuer } from './oauth/authorization-request.ts';
export type { OAuthClient } from './oauth/client-request.ts';

/** Sign-in URLs and token requests for every vendor that a manifest describes. All methods throw TokenError. */
export interface TokenClient {
  /** The URL to send the person's browser to. */
  authorizationUrl(scheme: OAuth2Scheme, o: SignInRequest): string;
  /** The issuer that the sign-in response must name; null if the scheme declares none. */
  expectedIssuer(scheme: OAuth2Scheme, values: TemplateValues): ExpectedIssuer | null;
  /**
   * Sends the parameters of an authorization URL to the vendor. Returns a browser URL that refers to them and works
   * for about a minute (RFC 9126). For schemes with a `pushedAuthorizationUrl`.
   */
  pushAuthorization(scheme: OAuth2Scheme, o: ClientCall & { readonly url: string }): Promise<string>;
  /** Exchanges an authorization code for tokens. */
  exchangeCode(
    scheme: OAuth2Scheme,
    o: ClientCall & { readonly redirectUri: string; readonly code: string; readonly codeVerifier: string },
  ): Promise<TokenSet>;
  /** Refreshes tokens; the result has a `refreshToken` only if the vendor sent one. */
  refresh(scheme: OAuth2Scheme, o: ClientCall & { readonly refreshToken: string }): Promise<TokenSet>;
  /**
   * Gets tokens without a person: for client credentials, possibly with those of an API user, or for an assertion
   * signed by the client's private key (RFC 7523).
   */
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

/** Creates a token client over the guarded egress. `clock` is the start of the tokens' lifetimes. */
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
    expectedIssuer,

    pushAuthorization: (scheme, o) => pushAuthorization(egress, scheme, o),

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
      // Only the first response can name the person who signed in.
      return renewable(scheme, { ...kept, raw: { ...first.raw, ...kept.raw } });
    },

    refresh: async (scheme, { refreshToken: token, ...call }) =>
      renewable(scheme, await requestByToken(egress, scheme, { ...call, step: scheme.refresh, token }, now)),

    clientCredentials: async (scheme, call) => {
      const { assertion: statement } = scheme;
      if (statement === null) {
        const grantType = scheme.grant === 'password' ? 'password' : 'client_credentials';
        const grant = { grant_type: grantType, ...scopeParameter(scheme) };
        return await requestTokens(egress, scheme, { ...call, grant, secrets: [] }, now);
      }
      const assertion = await signAssertion(scheme, statement, call.values, now());
      const scope = statement.scopesIn === 'parameter' ? scopeParameter(scheme) : {};
      const grant = { grant_type: JWT_BEARER, assertion, ...scope };
      return await requestTokens(egress, scheme, { ...call, grant, secrets: [assertion] }, now);
    },

    revokeToken: (scheme, o) => revokeTokens(egress, scheme, o),
  };
}

/** Adds the means of renewal: at vendors without refresh tokens, the access token itself. */
function renewable({ refresh }: OAuth2Scheme, tokens: TokenSet): TokenSet {
  return refresh.token === 'accessToken' ? { ...tokens, refreshToken: tokens.accessToken } : tokens;
}
