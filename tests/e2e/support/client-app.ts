import { once } from 'node:events';
import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import * as oauth from 'openid-client';

/** An application on this computer that people authorize. */
export interface ClientApp {
  readonly config: oauth.Configuration;
  /** Its redirect address. */
  readonly redirectUri: string;
  /** An address that starts an authorization, and the verifier for its response. */
  begin(
    parameters?: Readonly<Record<string, string>>,
  ): Promise<{ readonly url: string; readonly checks: Checks }>;
  /** Exchanges the response at the redirect address for tokens. */
  redeem(answer: string, checks: Checks): Promise<oauth.TokenEndpointResponse>;
  close(): Promise<void>;
}

/** The start of an authorization. */
export type Checks = Pick<oauth.AuthorizationCodeGrantChecks, 'pkceCodeVerifier' | 'expectedState'>;

/** A server on a free local port. */
export async function listen(
  handler: RequestListener,
  host = '127.0.0.1',
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server: Server = createServer(handler).listen(0, host);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No port.');
  return {
    url: `http://${host}:${address.port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Registers an application called `name` at the gateway; its redirect address shows a page, or redirects to `leadsOnTo`. */
export async function startClientApp(o: {
  readonly gateway: string;
  readonly name: string;
  readonly leadsOnTo?: string;
}): Promise<ClientApp> {
  const site = await listen((_request, response) => {
    const { leadsOnTo } = o;
    if (leadsOnTo === undefined) response.writeHead(200, { 'content-type': 'text/html' });
    else response.writeHead(302, { location: leadsOnTo });
    response.end('<title>The application</title><h1>Back at the application</h1>');
  });
  const redirectUri = `${site.url}/callback`;
  const config = await oauth.dynamicClientRegistration(
    new URL(`${o.gateway}/oauth`),
    { client_name: o.name, redirect_uris: [redirectUri] },
    oauth.None(),
    { algorithm: 'oauth2', execute: [oauth.allowInsecureRequests] },
  );
  return {
    config,
    redirectUri,
    async begin(parameters = {}) {
      const checks = { pkceCodeVerifier: oauth.randomPKCECodeVerifier(), expectedState: oauth.randomState() };
      const url = oauth.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        state: checks.expectedState,
        code_challenge: await oauth.calculatePKCECodeChallenge(checks.pkceCodeVerifier),
        code_challenge_method: 'S256',
        ...parameters,
      });
      return { url: url.href, checks };
    },
    redeem: (answer, checks) => oauth.authorizationCodeGrant(config, new URL(answer), checks),
    close: () => site.close(),
  };
}
