import type { OAuth2Scheme } from '@fairlead/connector-model/model';
import type { Egress } from '@fairlead/egress/egress';
import { authorize } from '../http/authorization.ts';
import { callEndpoint } from './client-request.ts';
import type { ClientCall, ClientRequest } from './client-request.ts';
import { acceptedBody } from './token-response.ts';
import { TokenError } from './token-error.ts';

export interface GrantTokens {
  readonly accessToken: string;
  /** The refresh token; null if the vendor issued none. */
  readonly refreshToken: string | null;
}

/** Error codes that mean that the token no longer works, so it counts as revoked. */
const NO_LONGER_VALID: ReadonlySet<string | undefined> = new Set(['invalid_token', 'invalid_grant']);
/** The method of vendors where a grant is a resource to delete. */
const GONE: ReadonlySet<number> = new Set([404, 410]);

/**
 * Revokes a grant at the vendor as the scheme declares (RFC 7009). Returns `unsupported`, without a request, if the
 * scheme declares no revocation. A token that the vendor no longer accepts counts as revoked. Throws TokenError
 * without secrets in its message.
 */
export async function revokeTokens(
  egress: Egress,
  scheme: OAuth2Scheme,
  { tokens, ...call }: ClientCall & { readonly tokens: GrantTokens },
): Promise<'revoked' | 'unsupported'> {
  const { revocation } = scheme;
  if (revocation === null) return 'unsupported';
  const { accessToken, refreshToken } = tokens;
  const token = revocation.token === 'accessToken' ? accessToken : (refreshToken ?? accessToken);
  const { tokenParameter, sendsAccessToken } = revocation;
  const credential = { version: 1, fields: {}, accessToken, secrets: [] };
  const request: ClientRequest = {
    method: revocation.method,
    url: revocation.url,
    format: revocation.format,
    clientAuthentication: revocation.clientAuthentication ?? scheme.clientAuthentication,
    clientParameters: { id: scheme.clientIdParameter, secret: scheme.clientSecretParameter },
    templates: revocation.parameters,
    parameters: tokenParameter === null ? {} : { [tokenParameter]: token },
    ...(sendsAccessToken ? { authorize: (addressed) => authorize(scheme, credential, addressed) } : {}),
    secrets: [accessToken, token],
  };
  const values = { ...call.values, token: { value: token } };
  try {
    await callEndpoint(egress, { ...call, values }, request, (response) => {
      if (revocation.method === 'DELETE' && GONE.has(response.status)) return;
      acceptedBody(scheme, response);
    });
  } catch (error) {
    if (!(error instanceof TokenError && NO_LONGER_VALID.has(error.code))) throw error;
  }
  return 'revoked';
}
