import type { RequestContext } from '@fairlead/service-kit/context/context';
import { isClientRefusal, OWN_CLIENT_ID } from '../domain/oauth-client.ts';
import type { MethodClient } from '../domain/oauth-client.ts';
import { vendorText } from '../domain/vendor-text.ts';
import type { AuthProviderStore } from '../ports/auth-provider-store.ts';

/** What recordClientRefusal needs. */
export interface RecordClientRefusalDeps {
  readonly authProviders: Pick<AuthProviderStore, 'saveLastError'>;
}

/**
 * Makes a token request, and records on its auth provider if the vendor refuses the client, or accepts it again.
 * Throws what the request throws.
 */
export async function recordClientRefusal<T>(
  { authProviders }: RecordClientRefusalDeps,
  ctx: RequestContext,
  {
    accountId,
    client,
    secrets,
  }: {
    readonly accountId: string;
    readonly client: MethodClient | undefined;
    readonly secrets: readonly string[];
  },
  request: () => Promise<T>,
): Promise<T> {
  const save = async (lastError: string | null): Promise<void> => {
    if (client === undefined || client.authProviderId === OWN_CLIENT_ID) return;
    await authProviders
      .saveLastError(ctx, accountId, client.authProviderId, lastError)
      .catch((cause: unknown) => {
        // What the vendor answered is what matters: granted tokens must not be lost.
        ctx.log.warn(
          { err: cause, authProviderId: client.authProviderId },
          'could not record an auth provider’s error',
        );
      });
  };
  try {
    const granted = await request();
    if (client?.hasError === true) await save(null);
    return granted;
  } catch (error) {
    if (isClientRefusal(error)) await save(vendorText(error.message, secrets));
    throw error;
  }
}
