import type { OAuth2Scheme } from '@fairlead/connector-model/model';
import { EgressError } from '@fairlead/service-kit/egress/error';
import type { Egress, EgressResponse } from '@fairlead/service-kit/egress/egress';
import { CallFailure } from '../failure.ts';
import { maskSecrets } from '../secret-masking.ts';
import { renderText } from '../templates.ts';
import type { TemplateValues } from '../templates.ts';
import { renderUrl } from '../url-template.ts';
import { readTokenResponse } from './token-response.ts';
import type { TokenSet } from './token-response.ts';
import { TokenError } from './token-error.ts';

/** The client registered at the vendor. An empty secret means a public client. */
export interface OAuthClient {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** One request to a token endpoint: the grant's own parameters, without the client's authentication. */
export interface TokenRequest {
  /** Whose sockets it uses: other accounts may use the same vendor. */
  readonly accountId: string;
  readonly client: OAuthClient;
  readonly values: TemplateValues;
  readonly grant: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

const TIMEOUT_MS = 20_000;
const MAX_RESPONSE_BYTES = 256 * 1024;
const SECRET_PARAMETERS = ['code', 'code_verifier', 'refresh_token'];

/** Requests tokens from a vendor's token endpoint. Throws TokenError without the request's secrets in its message. */
export async function requestTokens(
  egress: Egress,
  scheme: OAuth2Scheme,
  request: TokenRequest,
  now: () => Date,
): Promise<TokenSet> {
  const secrets = [
    request.client.clientSecret,
    ...SECRET_PARAMETERS.flatMap((name) => request.grant[name] ?? []),
  ];
  try {
    return readTokenResponse(scheme, await post(egress, scheme, request), now());
  } catch (error) {
    const { kind, message, code } = asTokenError(error);
    throw new TokenError(kind, maskSecrets(message, secrets), { code, cause: error });
  }
}

function post(
  egress: Egress,
  scheme: OAuth2Scheme,
  { client, ...request }: TokenRequest,
): Promise<EgressResponse> {
  const form = new URLSearchParams();
  for (const [name, template] of Object.entries(scheme.tokenParameters)) {
    const value = renderText(template, request.values);
    if (value !== undefined) form.set(name, value);
  }
  for (const [name, value] of Object.entries(request.grant)) form.set(name, value);

  const headers: Record<string, string> = {
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded',
  };
  if (client.clientSecret !== '' && scheme.clientAuthentication === 'basic') {
    headers['authorization'] = basicAuthentication(client);
  } else {
    form.set('client_id', client.clientId);
    if (client.clientSecret !== '') form.set('client_secret', client.clientSecret);
  }

  return egress.request({
    method: 'POST',
    url: renderUrl(scheme.tokenUrl, request.values).href,
    destination: request.accountId,
    headers,
    body: form.toString(),
    signal: request.signal,
    timeoutMs: TIMEOUT_MS,
    maxResponseBytes: MAX_RESPONSE_BYTES,
  });
}

/** RFC 6749 section 2.3.1: both parts are form-encoded first. */
function basicAuthentication({ clientId, clientSecret }: OAuthClient): string {
  const pair = [clientId, clientSecret].map((part) =>
    new URLSearchParams({ part }).toString().slice('part='.length),
  );
  return `Basic ${Buffer.from(pair.join(':'), 'utf8').toString('base64')}`;
}

/** Converts expected failures; rethrows any other error as a defect. */
function asTokenError(error: unknown): TokenError {
  if (error instanceof TokenError) return error;
  if (error instanceof CallFailure) return new TokenError('refused', error.message);
  if (error instanceof EgressError) return new TokenError('unavailable', error.message);
  throw error;
}
