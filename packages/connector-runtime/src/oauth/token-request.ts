import type { OAuth2Scheme } from '@fairlead/connector-model/model';
import type { Egress } from '@fairlead/service-kit/egress/egress';
import { callEndpoint } from './client-request.ts';
import type { ClientCall } from './client-request.ts';
import { readTokenResponse } from './token-response.ts';
import type { TokenSet } from './token-response.ts';

/** One request to a token endpoint: the grant's own parameters, without the client's authentication. */
export interface TokenRequest extends ClientCall {
  readonly grant: Readonly<Record<string, string>>;
}

const SECRET_PARAMETERS = ['code', 'code_verifier', 'refresh_token'];

/** Requests tokens from a vendor's token endpoint. Throws TokenError without the request's secrets in its message. */
export function requestTokens(
  egress: Egress,
  scheme: OAuth2Scheme,
  { grant, ...call }: TokenRequest,
  now: () => Date,
): Promise<TokenSet> {
  const request = {
    method: 'POST',
    url: scheme.tokenUrl,
    format: 'form',
    clientAuthentication: scheme.clientAuthentication,
    templates: scheme.tokenParameters,
    parameters: grant,
    secrets: SECRET_PARAMETERS.flatMap((name) => grant[name] ?? []),
  } as const;
  return callEndpoint(egress, call, request, (response) => readTokenResponse(scheme, response, now()));
}
