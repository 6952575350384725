import { randomBytes } from 'node:crypto';
import type { AuthenticationMethod, OAuth2Scheme } from '@fairlead/connector-model/model';
import type { CallOptions } from '@fairlead/connector-runtime/call';
import type { McpAuthorizationServer } from '@fairlead/connector-runtime/mcp-oauth/authorization-server';
import { authenticationOf } from '@fairlead/connector-runtime/mcp-oauth/client-registration';
import type {
  RegisteredClient,
  TokenAuthentication,
} from '@fairlead/connector-runtime/mcp-oauth/client-registration';
import type { McpSignInClient } from '@fairlead/connector-runtime/mcp-oauth/sign-in-client';
import { CallFailure } from '@fairlead/connector-runtime/failure';
import { textOf } from '@fairlead/connector-runtime/templates';
import { TokenError } from '@fairlead/connector-runtime/token-client';
import type { TokenClient } from '@fairlead/connector-runtime/token-client';
import { guid } from '@fairlead/service-kit/ids';
import { ApiError, validationError } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import { userOf } from '@fairlead/service-kit/context/context';
import type { DepsOf } from '@fairlead/service-kit/deps-of';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { EgressError } from '@fairlead/egress/error';
import type { AccountPermits } from '@fairlead/service-kit/permits/account-permits';
import { requireSlots } from '../domain/auth-provider.ts';
import { MCP_APPLICATION_SLUG } from '../domain/mcp-application.ts';
import { isClientAt } from '../domain/mcp-sign-in.ts';
import type { DiscoveredServer, DiscoveredSignIn } from '../domain/mcp-sign-in.ts';
import { isClientRefusal, OWN_CLIENT_ID, ownMethodClient } from '../domain/oauth-client.ts';
import type { MethodClient, ProviderChoice } from '../domain/oauth-client.ts';
import type { SignInAddresses } from '../domain/sign-in-addresses.ts';
import { signInPermit } from '../domain/vendor-permits.ts';
import { vendorText } from '../domain/vendor-text.ts';
import type { ClientRecord, RegisteredClientStore } from '../ports/registered-client-store.ts';
import { chooseClient } from './choose-client.ts';

type DiscoverSignInDeps = DepsOf<typeof chooseClient> & {
  readonly mcpSignIns: McpSignInClient;
  readonly tokenClient: Pick<TokenClient, 'exchangeCode'>;
  readonly registeredClients: Pick<RegisteredClientStore, 'find' | 'save'>;
  readonly vendorPermits: Pick<AccountPermits, 'run'>;
  readonly addresses: SignInAddresses;
  readonly clock: Clock;
};

const DISCOVERY_TIMEOUT_MS = 15_000;
/** Age up to which a registered client is assumed to be known; later the server may have forgotten it. */
const NEW_MS = 600_000;

/**
 * Finds the authorization server of an MCP server and a client there, in the order of MCP 2025-11-25: an auth provider of the account for
 * that issuer; Fairlead's client metadata document (only if every response names its issuer); an earlier registered client that the server
 * still knows; a new registration. VALIDATION_ERROR on `fields.serverUrl` if there is none, or if the servers are unsafe.
 */
export async function discoverSignIn(
  deps: DiscoverSignInDeps,
  ctx: RequestContext,
  method: AuthenticationMethod,
  serverUrl: URL,
  choice: ProviderChoice,
): Promise<DiscoveredSignIn> {
  const { accountId, userId } = userOf(ctx);
  const target = { applicationSlug: MCP_APPLICATION_SLUG, method };
  const chosen = await chooseClient(deps, ctx, target, choice);
  const provider = chosen?.authProviderId === OWN_CLIENT_ID ? undefined : chosen;
  const permit = signInPermit({ accountId, userId, connectSessionId: null }, serverUrl.href, ctx.signal);
  const call = { accountId, signal: ctx.signal, timeoutMs: DISCOVERY_TIMEOUT_MS };
  try {
    return await deps.vendorPermits.run(permit, async () => {
      const found = await deps.mcpSignIns.discover(serverUrl, call);
      const used =
        providerAt(deps, found, method, provider, choice) ??
        (await ownClientAt(deps, ctx, found, method, call));
      const { client, redirectUri } = used;
      return { client, redirectUri, server: discoveredServer(serverUrl, found, used) };
    });
  } catch (error) {
    if (!(error instanceof CallFailure || error instanceof EgressError)) throw error;
    throw validationError({ field: 'fields.serverUrl', issue: vendorText(error.message, []) });
  }
}

/** A client with its authentication and its registered redirect URI. */
interface UsedClient {
  readonly redirectUri: string;
  readonly client: MethodClient;
  readonly clientId: string;
  readonly clientAuthentication: TokenAuthentication;
}

/** The auth provider's client. A default provider for another issuer is skipped. */
function providerAt(
  { addresses }: Pick<DiscoverSignInDeps, 'addresses'>,
  found: McpAuthorizationServer,
  method: AuthenticationMethod,
  provider: MethodClient | undefined,
  choice: ProviderChoice,
): UsedClient | undefined {
  if (provider === undefined) return undefined;
  const { clientId = '', clientSecret = '' } = provider.fields;
  if (!isClientAt(provider, found.issuer)) {
    if (choice.kind === 'default') return undefined;
    throw new ApiError(
      'INVALID_AUTH_PROVIDER',
      `The auth provider is for another authorization server than that of the MCP server, ${found.issuer}.`,
    );
  }
  requireSlots(method, ({ fieldName }) => fieldName in provider.fields);
  return {
    // People registered this client at the server with the general redirect URI, the only one shown to them.
    redirectUri: addresses.redirectUri,
    client: provider,
    clientId: textOf(clientId),
    clientAuthentication: authenticationOf(found, textOf(clientSecret)),
  };
}

async function ownClientAt(
  deps: DiscoverSignInDeps,
  ctx: RequestContext,
  found: McpAuthorizationServer,
  { scheme }: AuthenticationMethod,
  call: CallOptions,
): Promise<UsedClient> {
  if (scheme.type !== 'oauth2') throw new CallFailure('The method does not use a sign-in.');
  const { accountId } = call;
  const { clientDocument } = deps.addresses;
  const used = (
    { clientId, clientSecret, clientAuthentication }: UsableClient,
    redirectUri: string,
  ): UsedClient => ({
    redirectUri,
    client: withIssuer(ownMethodClient(scheme, { clientId, clientSecret }), found),
    clientId,
    clientAuthentication,
  });
  // All servers use the same document, so only `iss` tells them apart.
  if (found.takesClientDocuments && found.statesIssuer && clientDocument !== null) {
    const { url, redirectUri } = clientDocument;
    return used({ clientId: url, clientSecret: '', clientAuthentication: 'none' }, redirectUri);
  }
  const now = deps.clock.now();
  const redirectUri = deps.addresses.redirectUriAt(found.issuer);
  const at = { issuer: found.issuer, redirectUri };
  const kept = await deps.registeredClients.find(ctx, accountId, at, now);
  if (
    kept !== undefined &&
    (isNew(kept, now) || (await isKnown(deps, found, scheme, { ...kept, redirectUri }, call)))
  )
    return used(kept, redirectUri);
  const client = await deps.mcpSignIns.register(found, redirectUri, call);
  await deps.registeredClients.save(ctx, accountId, at, { client, now });
  return used(client, redirectUri);
}

/** Whether a client was registered so recently that the server must know it. */
function isNew({ savedAt }: ClientRecord, now: Date): boolean {
  return now.getTime() - savedAt.getTime() < NEW_MS;
}

/**
 * Whether the server still knows a client. The person's sign-in page could not tell us, because it would not redirect back. So we redeem an
 * invented code: a server that knows the client refuses the code, any other refuses the client. Without an answer, true.
 */
async function isKnown(
  { tokenClient }: Pick<DiscoverSignInDeps, 'tokenClient'>,
  found: McpAuthorizationServer,
  scheme: OAuth2Scheme,
  { clientId, clientSecret, clientAuthentication, redirectUri }: UsableClient & { redirectUri: string },
  { accountId, signal }: CallOptions,
): Promise<boolean> {
  try {
    await tokenClient.exchangeCode(
      { ...scheme, tokenUrl: found.tokenUrl, clientAuthentication, tokenParameters: {} },
      {
        accountId,
        client: { clientId, clientSecret },
        values: {},
        redirectUri,
        code: guid(),
        codeVerifier: randomBytes(32).toString('base64url'),
        signal,
      },
    );
    return true;
  } catch (error) {
    if (!(error instanceof TokenError)) throw error;
    return !isClientRefusal(error);
  }
}

type UsableClient = Pick<RegisteredClient, 'clientId' | 'clientSecret' | 'clientAuthentication'>;

function discoveredServer(
  serverUrl: URL,
  found: McpAuthorizationServer,
  { client, clientId, clientAuthentication }: Omit<UsedClient, 'redirectUri'>,
): DiscoveredServer {
  const { registrationUrl: _r, takesClientDocuments: _t, clientAuthentications: _c, ...server } = found;
  return {
    ...server,
    scopes: client.scopes ?? server.scopes,
    serverUrl: serverUrl.href,
    clientId,
    clientAuthentication,
  };
}

/** Adds the required field `issuer`, because an auth provider is for one issuer. */
function withIssuer(client: MethodClient, { issuer }: McpAuthorizationServer): MethodClient {
  return { ...client, fields: { ...client.fields, issuer } };
}
