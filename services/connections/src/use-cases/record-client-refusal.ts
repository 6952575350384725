import type { RequestContext } from '@fairlead/service-kit/context/context';
import { isClientRefusal, OWN_CLIENT_ID } from '../domain/oauth-client.ts';
import type { MethodClient } from '../domain/oauth-client.ts';
import { vendorText } from '../domain/vendor-text.ts';
import type { DiscoveredServer } from '../domain/mcp-sign-in.ts';
import type { AuthProviderStore } from '../ports/auth-provider-store.ts';
import type { RegisteredClientStore } from '../ports/registered-client-store.ts';

interface RecordClientRefusalDeps {
  readonly authProviders: Pick<AuthProviderStore, 'saveLastError'>;
  readonly registeredClients: Pick<RegisteredClientStore, 'forget'>;
}

/**
 * Makes a token request. If the vendor refuses the client, or accepts it again, records this on its auth provider; a client registered at
 * an MCP server's authorization server is forgotten, so that the next sign-in registers another one. Throws the errors of the request and
 * of `store`.
 */
export async function recordClientRefusal<T>(
  { authProviders, registeredClients }: RecordClientRefusalDeps,
  ctx: RequestContext,
  {
    accountId,
    client,
    server,
    secrets,
    store = () => Promise.resolve(),
  }: {
    readonly accountId: string;
    readonly client: MethodClient | undefined;
    /** The authorization server of an MCP server; null for any other connection. */
    readonly server: DiscoveredServer | null;
    readonly secrets: readonly string[];
    /** Stores the granted tokens before anything else is written. */
    readonly store?: (granted: T) => Promise<void>;
  },
  request: () => Promise<T>,
): Promise<T> {
  const save = async (lastError: string | null): Promise<void> => {
    if (client === undefined || client.authProviderId === OWN_CLIENT_ID) return;
    await authProviders
      .saveLastError(ctx, accountId, client.authProviderId, lastError)
      .catch((cause: unknown) => {
        // Failures here are only logged: the vendor's answer matters, and granted tokens must not be lost.
        ctx.log.warn(
          { err: cause, authProviderId: client.authProviderId },
          'could not record an auth provider’s error',
        );
      });
  };
  let granted: T;
  try {
    granted = await request();
  } catch (error) {
    if (isClientRefusal(error)) {
      await save(vendorText(error.message, secrets));
      if (server !== null) await registeredClients.forget(ctx, accountId, server.issuer, server.clientId);
    }
    throw error;
  }
  await store(granted);
  if (client?.hasError === true) await save(null);
  return granted;
}
