import type { OAuth2Scheme } from '@fairlead/connector-model/model';
import type { Egress } from '@fairlead/egress/egress';
import { CallFailure } from '../failure.ts';
import { missingValue, renderText } from '../templates.ts';
import type { TemplateValues } from '../templates.ts';
import { renderUrl } from '../url-template.ts';
import { callEndpoint } from './client-request.ts';
import type { ClientCall, OAuthClient } from './client-request.ts';
import { TokenError } from './token-error.ts';
import { acceptedBody } from './token-response.ts';

/** The sign-in's values in the authorization URL. */
export interface SignInRequest {
  readonly client: OAuthClient;
  readonly values: TemplateValues;
  readonly redirectUri: string;
  readonly state: string;
  /** The PKCE challenge (S256). */
  readonly codeChallenge: string;
}

/** The issuer that the response to a sign-in must name. `isRequired`: a response without an issuer is refused. */
export interface ExpectedIssuer {
  readonly url: string;
  readonly isRequired: boolean;
}

const MAX_REQUEST_URI_LENGTH = 2048;

/** The URL to send the person's browser to. Throws TokenError. */
export function authorizationUrl(scheme: OAuth2Scheme, o: SignInRequest): string {
  const url = rendered(() => renderUrl(scheme.authorizationUrl ?? '', o.values));
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

/** The parameter with the scopes; none if no scopes are requested. */
export function scopeParameter(scheme: OAuth2Scheme): Readonly<Record<string, string>> {
  return scheme.scopes.length === 0
    ? {}
    : { [scheme.scopeParameter]: scheme.scopes.join(scheme.scopeSeparator) };
}

/** A scheme's issuer; null if it declares none. Throws TokenError if one of its placeholders has no value. */
export function expectedIssuer(
  { issuer, requiresIssuer }: OAuth2Scheme,
  values: TemplateValues,
): ExpectedIssuer | null {
  if (issuer === null) return null;
  const url = rendered(() => renderText(issuer, values) ?? failMissing(issuer));
  return { url, isRequired: requiresIssuer };
}

/** Sends the parameters of an authorization URL to the vendor and returns the URL that refers to them (RFC 9126). */
export async function pushAuthorization(
  egress: Egress,
  scheme: OAuth2Scheme,
  { url, ...call }: ClientCall & { readonly url: string },
): Promise<string> {
  const browserUrl = new URL(url);
  const request = {
    method: 'POST',
    url: scheme.pushedAuthorizationUrl ?? '',
    format: 'form',
    clientAuthentication: scheme.clientAuthentication,
    clientParameters: { id: scheme.clientIdParameter, secret: scheme.clientSecretParameter },
    templates: {},
    parameters: Object.fromEntries(browserUrl.searchParams),
    secrets: [],
  } as const;
  const requestUri = await callEndpoint(egress, call, request, (response) => {
    const text = acceptedBody(scheme, response)['request_uri'];
    if (typeof text === 'string' && text !== '' && text.length <= MAX_REQUEST_URI_LENGTH) return text;
    throw new TokenError('unavailable', 'The vendor accepted the sign-in but sent no reference to it.');
  });
  browserUrl.search = '';
  browserUrl.searchParams.set(scheme.clientIdParameter, call.client.clientId);
  browserUrl.searchParams.set('request_uri', requestUri);
  return browserUrl.href;
}

function failMissing(template: string): never {
  throw missingValue(template);
}

function rendered<T>(render: () => T): T {
  try {
    return render();
  } catch (error) {
    if (error instanceof CallFailure) throw new TokenError('refused', error.message, { cause: error });
    throw error;
  }
}
