import { MAX_QUOTED_LENGTH, CallFailure } from '../failure.ts';
import { cutText } from '../cut-text.ts';
import { decodeRefusal } from '../http/body.ts';
import { isObject } from '../templates.ts';
import type { McpAuthorizationServer } from './authorization-server.ts';
import { sendDiscovery } from './document.ts';
import type { DiscoveryCall } from './document.ts';

/** A client's authentication method at a token endpoint. */
export type TokenAuthentication = 'basic' | 'body' | 'none';

/** A client that an authorization server has registered. */
export interface RegisteredClient {
  readonly clientId: string;
  /** The secret; empty for a public client. */
  readonly clientSecret: string;
  readonly clientAuthentication: TokenAuthentication;
  /** Time from which the secret is refused; null: it does not expire. */
  readonly expiresAt: Date | null;
}

/** Authentication methods (RFC 7591) that need nothing besides the values that a registration returns. */
const METHODS: ReadonlyMap<string, TokenAuthentication> = new Map([
  ['client_secret_basic', 'basic'],
  ['client_secret_post', 'body'],
  ['none', 'none'],
]);
const MAX_CLIENT_ID_LENGTH = 2_048;
const MAX_CLIENT_SECRET_LENGTH = 4_096;

/**
 * Registers Fairlead as a client (RFC 7591). Throws EgressError, and CallFailure if the server accepts no
 * registrations or refuses this one.
 */
export async function registerClient(
  call: DiscoveryCall,
  server: McpAuthorizationServer,
  redirectUri: string,
  now: Date,
): Promise<RegisteredClient> {
  if (server.registrationUrl === null) {
    throw new CallFailure('The authorization server takes no registrations; use an auth provider.');
  }
  const authMethod = preferredMethod(server);
  const response = await sendDiscovery(call, {
    method: 'POST',
    url: server.registrationUrl,
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: 'Fairlead',
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: authMethod,
      // OpenID Connect Registration permits redirects to this computer for native clients only.
      application_type: new URL(redirectUri).protocol === 'https:' ? 'web' : 'native',
      ...(server.scopes.length === 0 ? {} : { scope: server.scopes.join(' ') }),
    }),
  });
  const body = decodeRefusal(response);
  const answer = isObject(body) ? body : {};
  const { client_id: clientId, client_secret: secret = '', client_secret_expires_at: expiry } = answer;
  if (response.status < 200 || response.status > 299 || typeof clientId !== 'string') {
    throw new CallFailure(refusalText(response.status, answer));
  }
  const clientSecret = typeof secret === 'string' ? secret : '';
  if (
    clientId === '' ||
    clientId.length > MAX_CLIENT_ID_LENGTH ||
    clientSecret.length > MAX_CLIENT_SECRET_LENGTH
  ) {
    throw new CallFailure(
      'The authorization server registered a client with an id or secret of no valid length.',
    );
  }
  const stated = answer['token_endpoint_auth_method'];
  const method = METHODS.get(typeof stated === 'string' ? stated : authMethod);
  if (method === undefined || (method !== 'none' && clientSecret === '')) {
    throw new CallFailure('The authorization server registered a client that cannot authenticate.');
  }
  return {
    clientId,
    clientSecret: method === 'none' ? '' : clientSecret,
    clientAuthentication: method,
    expiresAt: typeof expiry === 'number' && expiry > 0 ? dateOf(expiry, now) : null,
  };
}

/** The authentication method of a client with this secret. */
export function authenticationOf(
  server: Pick<McpAuthorizationServer, 'clientAuthentications'>,
  clientSecret: string,
): TokenAuthentication {
  if (clientSecret === '') return 'none';
  return server.clientAuthentications.includes('client_secret_basic') ? 'basic' : 'body';
}

/** A confidential client is preferred: its id alone is useless to anyone who sees it. */
function preferredMethod({ clientAuthentications }: McpAuthorizationServer): string {
  const method = [...METHODS.keys()].find((name) => clientAuthentications.includes(name));
  if (method === undefined) {
    throw new CallFailure('The authorization server takes only clients that prove themselves with keys.');
  }
  return method;
}

/** Seconds since 1970. A time beyond the range of Date counts as no expiry. */
function dateOf(seconds: number, now: Date): Date | null {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) || date < now ? null : date;
}

function refusalText(status: number, answer: Readonly<Record<string, unknown>>): string {
  const said = [answer['error_description'], answer['error']].find(
    (text) => typeof text === 'string' && text !== '',
  );
  const reason = typeof said === 'string' ? cutText(said, MAX_QUOTED_LENGTH) : `HTTP status ${status}`;
  return `The authorization server refused to register a client: ${reason}`;
}
