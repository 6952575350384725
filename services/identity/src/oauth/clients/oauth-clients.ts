import { createHash, timingSafeEqual } from 'node:crypto';
import { ApiError, notFound, validationError } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { prefixedId, randomBase62 } from '@fairlead/service-kit/ids';
import type { Page } from '@fairlead/service-kit/page';
import { Secret } from '@fairlead/service-kit/secret';
import { requireOwnerFor } from '../../domain/actor.ts';
import type { Actor } from '../../domain/actor.ts';
import type { IdentityAdministration } from '../../identity-administration.ts';
import type { Listed } from '../../ports/account-store.ts';
import type { AccountClientStore } from '../../ports/client-store.ts';
import type { NewOAuthClient, OAuthClient } from '../../domain/oauth-client.ts';

/** The confidential clients of accounts. A record of another account is NOT_FOUND. */
export interface OAuthClients {
  /** Newest first. */
  list(ctx: RequestContext, accountId: string, page: Page): Promise<Listed<OAuthClient>>;
  /**
   * Returns the secret, which cannot be read again. NOT_FOUND for an unknown user; FORBIDDEN if an actor who is not an
   * owner creates a client that acts as an owner; CONFLICT if the account has the maximum number of clients.
   */
  create(
    ctx: RequestContext,
    actor: Actor,
    client: NewOAuthClient,
  ): Promise<{ readonly client: OAuthClient; readonly clientSecret: Secret }>;
  /** Also ends everything that the client was granted, on every replica within two seconds. */
  remove(ctx: RequestContext, accountId: string, clientId: string): Promise<void>;
}

const MAX_CLIENTS = 100;
const SECRET_PREFIX = 'fairlead_secret_';
const SECRET_LENGTH = 43;

/** SHA-256 of a client secret in hex, for storage; its own entropy makes a slow hash unnecessary. */
function hashClientSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Whether `hash` is the hash of `secret`. */
export function isClientSecret(secret: string, hash: string): boolean {
  const given = Buffer.from(hashClientSecret(secret));
  const expected = Buffer.from(hash);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** The use cases of clients of accounts. */
export function createOAuthClients(o: {
  readonly clients: AccountClientStore;
  readonly identity: Pick<IdentityAdministration, 'findMember'>;
  /** Removes the client's grants, and makes every replica drop its cache of the account, around `remove`. */
  readonly revokeAll: (
    accountId: string,
    clientId: string,
    remove: () => Promise<boolean>,
  ) => Promise<boolean>;
  readonly clock: Clock;
}): OAuthClients {
  return {
    list: (ctx, accountId, page) => o.clients.list(ctx, accountId, page),
    async create(ctx, actor, { userId = actor.userId, ...sent }) {
      checkGrants(sent);
      const member = await o.identity.findMember(actor.accountId, userId);
      if (member === undefined) throw notFound('user');
      requireOwnerFor(actor, member.user.role);
      if ((await o.clients.count(ctx, actor.accountId)) >= MAX_CLIENTS) {
        throw new ApiError('CONFLICT', `An account can have at most ${MAX_CLIENTS} OAuth clients.`);
      }
      const now = o.clock.now();
      const client: OAuthClient = {
        id: prefixedId('client'),
        accountId: actor.accountId,
        userId,
        ...sent,
        createdAt: now,
        updatedAt: now,
      };
      const clientSecret = new Secret(SECRET_PREFIX + randomBase62(SECRET_LENGTH));
      await o.clients.insert(ctx, client, hashClientSecret(clientSecret.reveal()));
      return { client, clientSecret };
    },
    async remove(ctx, accountId, clientId) {
      const isRemoved = await o.revokeAll(accountId, clientId, () =>
        o.clients.remove(ctx, accountId, clientId),
      );
      if (!isRemoved) throw notFound('OAuth client');
    },
  };
}

function checkGrants({
  grantTypes,
  redirectUris,
}: Pick<NewOAuthClient, 'grantTypes' | 'redirectUris'>): void {
  const isInteractive = grantTypes.includes('authorization_code');
  if (grantTypes.includes('refresh_token') && !isInteractive) {
    throw validationError({ field: 'grantTypes', issue: 'refresh_token needs authorization_code' });
  }
  if (isInteractive === (redirectUris.length === 0)) {
    const issue = isInteractive ? 'authorization_code needs at least one' : 'only authorization_code has any';
    throw validationError({ field: 'redirectUris', issue });
  }
}
