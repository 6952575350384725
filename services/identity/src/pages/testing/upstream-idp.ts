import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Secret } from '@fairlead/service-kit/secret';
import { Provider } from 'oidc-provider';
import type { UpstreamSettings } from '../../upstream-config.ts';

/** A person whom the provider knows. */
export interface UpstreamPerson {
  readonly sub: string;
  readonly email?: string;
  readonly isVerified?: boolean;
}

/** A real OpenID provider on loopback that signs `person` in without a form. */
export interface UpstreamIdp {
  readonly settings: UpstreamSettings;
  /** The person to sign in; undefined: it refuses. */
  person: UpstreamPerson | undefined;
  /** While true, every connection is cut. */
  isDown: boolean;
  /** Number of requests for its metadata. */
  readonly discoveries: number;
  close(): Promise<void>;
}

const CLIENT = { id: 'fairlead', secret: 'a secret:with %signs' };

/**
 * Starts the provider for one client, which gets its responses at `redirectUri`. Claims are at its userinfo endpoint, or in the ID token.
 */
export async function startUpstreamIdp(o: {
  readonly redirectUri: () => string;
  readonly claimsInIdToken?: boolean;
  readonly authentication?: 'client_secret_basic' | 'client_secret_post';
}): Promise<UpstreamIdp> {
  // No keep-alive: a client in the same busy process would reuse a connection before it notices that the server has closed it.
  const server = createServer({ keepAliveTimeout: 0 }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No port.');
  const issuer = `http://127.0.0.1:${address.port}`;
  let discoveries = 0;
  let provider: Provider | undefined;
  const idp: UpstreamIdp = {
    settings: {
      issuer: new URL(issuer),
      clientId: CLIENT.id,
      clientSecret: new Secret(CLIENT.secret),
      name: 'Example ID',
    },
    person: undefined,
    isDown: false,
    get discoveries() {
      return discoveries;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  server.on('request', (request, response) => {
    if (idp.isDown) {
      response.destroy();
      return;
    }
    if (request.url?.startsWith('/.well-known/') === true) discoveries += 1;
    // Created at the first request, when the client's address is known.
    provider ??= createOidcProvider(issuer, idp, o);
    serve(provider, idp, request, response).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : new Error(String(error)));
    });
  });
  return idp;
}

function createOidcProvider(
  issuer: string,
  idp: UpstreamIdp,
  o: Parameters<typeof startUpstreamIdp>[0],
): Provider {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const authentication = o.authentication ?? 'client_secret_basic';
  return new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        token_endpoint_auth_method: authentication,
        application_type: 'native',
        redirect_uris: [o.redirectUri()],
        response_types: ['code'],
        grant_types: ['authorization_code'],
      },
    ],
    clientAuthMethods: [authentication],
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    conformIdTokenClaims: o.claimsInIdToken !== true,
    features: { devInteractions: { enabled: false } },
    pkce: { required: () => true },
    jwks: {
      keys: [{ ...privateKey.export({ format: 'jwk' }), kty: 'RSA', alg: 'RS256', use: 'sig' }],
    },
    ttl: { AccessToken: 600, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
    cookies: { keys: ['test'], names: { session: 'up_s', interaction: 'up_i', resume: 'up_r' } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, sub) => ({
      accountId: sub,
      claims: () => ({
        sub,
        ...(idp.person?.email !== undefined && {
          email: idp.person.email,
          email_verified: idp.person.isVerified ?? true,
        }),
      }),
    }),
  });
}

async function serve(
  provider: Provider,
  idp: UpstreamIdp,
  ...[request, response]: Parameters<ReturnType<Provider['callback']>>
): Promise<void> {
  if (request.url?.startsWith('/interaction/') !== true) {
    await provider.callback()(request, response);
    return;
  }
  const { params, prompt } = await provider.interactionDetails(request, response);
  if (idp.person === undefined) {
    const refusal = { error: 'access_denied', error_description: '<b>no</b>' };
    await provider.interactionFinished(request, response, refusal);
  } else if (prompt.name === 'login') {
    const login = { accountId: idp.person.sub, remember: false };
    await provider.interactionFinished(request, response, { login });
  } else {
    const grant = new provider.Grant({
      accountId: idp.person.sub,
      clientId: String(params['client_id']),
    });
    grant.addOIDCScope(String(params['scope']));
    const grantId = await grant.save();
    await provider.interactionFinished(request, response, { consent: { grantId } });
  }
}
