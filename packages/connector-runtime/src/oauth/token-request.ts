import type { OAuth2Scheme } from '@fairlead/connector-model/model';
import type { TokenStep } from '@fairlead/connector-model/model';
import type { Egress } from '@fairlead/egress/egress';
import { callEndpoint } from './client-request.ts';
import type { ClientCall, ClientRequest } from './client-request.ts';
import { readTokenResponse } from './token-response.ts';
import type { TokenSet } from './token-response.ts';

/** One request to a token endpoint: the grant's parameters, without the client's authentication. */
export interface TokenRequest extends ClientCall {
  readonly grant: Readonly<Record<string, string>>;
  /** Differences from the scheme's usual token request. */
  readonly step?: Omit<TokenStep, 'grantType' | 'tokenParameter'>;
  /** Texts of the grant that errors must not quote. */
  readonly secrets: readonly string[];
}

/** Requests tokens from a vendor's token endpoint. Throws TokenError without the request's secrets in its message. */
export function requestTokens(
  egress: Egress,
  scheme: OAuth2Scheme,
  { grant, step, secrets, ...call }: TokenRequest,
  now: () => Date,
): Promise<TokenSet> {
  const format = step?.format ?? scheme.tokenFormat;
  const request: ClientRequest = {
    method: format === 'query' ? 'GET' : 'POST',
    url: step?.url ?? scheme.tokenUrl,
    format,
    clientAuthentication: step?.clientAuthentication ?? scheme.clientAuthentication,
    clientParameters: { id: scheme.clientIdParameter, secret: scheme.clientSecretParameter },
    templates: { ...scheme.tokenParameters, ...step?.parameters },
    parameters: grant,
    secrets,
  };
  return callEndpoint(egress, call, request, (response) => readTokenResponse(scheme, response, now()));
}

/** Exchanges one token for another, as a step of the scheme declares. */
export function requestByToken(
  egress: Egress,
  scheme: OAuth2Scheme,
  { step, token, ...call }: ClientCall & { readonly step: TokenStep; readonly token: string },
  now: () => Date,
): Promise<TokenSet> {
  const grant = { grant_type: step.grantType, [step.tokenParameter]: token };
  return requestTokens(egress, scheme, { ...call, step, grant, secrets: [token] }, now);
}
