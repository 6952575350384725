import { ApiError, notFound } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import { userOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { prefixedId, randomBase62 } from '@fairlead/service-kit/ids';
import { Secret } from '@fairlead/service-kit/secret';
import { requireOwnerFor } from '../domain/actor.ts';
import { hashClientSecret } from '../domain/client-secret.ts';
import { MAX_CLIENTS, checkNewClient } from '../domain/oauth-client.ts';
import type { NewOAuthClient, OAuthClient } from '../domain/oauth-client.ts';
import type { AccountClientStore } from '../ports/client-store.ts';

interface CreateOAuthClientDeps {
  readonly clients: Pick<AccountClientStore, 'insert'>;
  readonly clock: Clock;
}

const SECRET_PREFIX = 'fairlead_secret_';
const SECRET_LENGTH = 43;

/**
 * Creates a client of the caller's account. Returns the secret, which cannot be read again. NOT_FOUND for an unknown
 * user; FORBIDDEN if a caller who is not an owner creates a client that acts as an owner; CONFLICT if the account has the
 * maximum number of clients; VALIDATION_ERROR for a client that checkNewClient refuses.
 */
export async function createOAuthClient(
  { clients, clock }: CreateOAuthClientDeps,
  ctx: RequestContext,
  sent: NewOAuthClient,
): Promise<{ readonly client: OAuthClient; readonly clientSecret: Secret }> {
  const actor = userOf(ctx);
  checkNewClient(sent);
  const now = clock.now();
  const client: OAuthClient = {
    ...sent,
    id: prefixedId('client'),
    accountId: actor.accountId,
    userId: sent.userId ?? actor.userId,
    createdAt: now,
    updatedAt: now,
  };
  const clientSecret = new Secret(SECRET_PREFIX + randomBase62(SECRET_LENGTH));
  await clients.insert(ctx, client, hashClientSecret(clientSecret.reveal()), (user, count) => {
    if (user === undefined) throw notFound('user');
    requireOwnerFor(actor, user.role);
    if (count >= MAX_CLIENTS)
      throw new ApiError('CONFLICT', `An account can have at most ${MAX_CLIENTS} OAuth clients.`);
  });
  return { client, clientSecret };
}
