import * as client from 'openid-client';
import { FormBrowser } from './form-browser.ts';
import type { OAuthStack, TestPerson } from './oauth-stack.ts';

/** The redirect address of test clients; nothing listens there. */
export const REDIRECT_URI = 'http://127.0.0.1:9/callback';

/** Discovers the authorization server with an unmodified openid-client. */
export function discover(
  { publicUrl }: Pick<OAuthStack, 'publicUrl'>,
  clientId: string,
  o: {
    readonly secret?: string;
    readonly algorithm?: 'oauth2' | 'oidc';
    /** Authorization servers that get this client's requests instead of the one at the public address. */
    readonly through?: string;
  } = {},
): Promise<client.Configuration> {
  const { through } = o;
  const authentication = o.secret === undefined ? client.None() : client.ClientSecretBasic(o.secret);
  return client.discovery(new URL(`${publicUrl}/oauth`), clientId, undefined, authentication, {
    algorithm: o.algorithm ?? 'oauth2',
    execute: [client.allowInsecureRequests],
    ...(through !== undefined && {
      [client.customFetch]: (url: string, { headers, method, body }: client.CustomFetchOptions) =>
        fetch(url.replace(publicUrl, through), {
          headers,
          method,
          body: body instanceof URLSearchParams ? body : null,
        }),
    }),
  });
}

/** Registers a public client for REDIRECT_URI and returns its configuration. */
export async function register(
  stack: Pick<OAuthStack, 'publicUrl'>,
  metadata: Partial<client.ClientMetadata> = {},
): Promise<client.Configuration> {
  return client.dynamicClientRegistration(
    new URL(`${stack.publicUrl}/oauth`),
    { client_name: 'A test', redirect_uris: [REDIRECT_URI], ...metadata },
    client.None(),
    { algorithm: 'oauth2', execute: [client.allowInsecureRequests] },
  );
}

/** An authorization request in progress. */
export interface Authorization {
  readonly browser: FormBrowser;
  readonly verifier: string;
  readonly state: string;
  /** Redirect target if no page was shown; undefined if a page is shown. */
  readonly answer: URL | undefined;
}

/** Starts an authorization with PKCE in a new browser, or in the given one. */
export async function startAuthorization(
  config: client.Configuration,
  parameters: Readonly<Record<string, string>> = {},
  known?: FormBrowser,
): Promise<Authorization> {
  const verifier = client.randomPKCECodeVerifier();
  const state = client.randomState();
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: REDIRECT_URI,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    ...parameters,
  });
  const browser =
    known ?? new FormBrowser({ stopAt: ({ origin }) => origin === new URL(REDIRECT_URI).origin });
  return { browser, verifier, state, answer: await browser.open(url) };
}

/** Signs in and allows the request through the pages' forms. Returns the address that the client receives. */
export async function signInAndAllow(browser: FormBrowser, person: TestPerson): Promise<URL> {
  const { email, password } = person;
  const afterSignIn = await browser.press('Sign in', { email, password });
  const answer = afterSignIn ?? (await browser.press('Allow'));
  if (answer === undefined) throw new Error(`The client got no response: ${browser.page.html}`);
  return answer;
}

/** Runs the whole authorization code flow. */
export async function authorize(
  config: client.Configuration,
  person: TestPerson,
  parameters: Readonly<Record<string, string>> = {},
): Promise<client.TokenEndpointResponse & client.TokenEndpointResponseHelpers> {
  const { browser, verifier, state } = await startAuthorization(config, parameters);
  const answer = await signInAndAllow(browser, person);
  const { resource } = parameters;
  return client.authorizationCodeGrant(
    config,
    answer,
    { pkceCodeVerifier: verifier, expectedState: state },
    resource === undefined ? {} : { resource },
  );
}
