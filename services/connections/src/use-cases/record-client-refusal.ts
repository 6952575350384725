import { TokenError } from '@fairlead/connector-runtime/token-client';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { OWN_CLIENT_ID } from '../domain/oauth-client.ts';
import type { MethodClient } from '../domain/oauth-client.ts';
import { vendorText } from '../domain/vendor-text.ts';
import type { AuthProviderStore } from '../ports/auth-provider-store.ts';

/** What recordClientRefusal needs. */
export interface RecordClientRefusalDeps {
  readonly authProviders: Pick<AuthProviderStore, 'saveLastError'>;
}

/** Vendor codes that refuse the client and say nothing about the grant. Source: RFC 6749 section 5.2. */
const CLIENT_REFUSALS: ReadonlySet<string | undefined> = new Set(['invalid_client', 'unauthorized_client']);

/** Whether a vendor refused the OAuth client itself, not what the client asked for. */
export function isClientRefusal(error: unknown): error is TokenError {
  return error instanceof TokenError && error.kind === 'refused' && CLIENT_REFUSALS.has(error.code);
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
