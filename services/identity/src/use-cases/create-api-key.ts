import { notFound, validationError } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import { userOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { prefixedId } from '@fairlead/service-kit/ids';
import type { Secret } from '@fairlead/service-kit/secret';
import { requireOwnerFor } from '../domain/actor.ts';
import { generateApiKey, hashApiKey } from '@fairlead/access/api-key';
import { newKeyRecord } from '../domain/new-records.ts';
import type { Permission } from '@fairlead/access/permissions';
import type { ApiKeyRecord } from '../domain/records.ts';
import type { ApiKeyStore } from '../ports/api-key-store.ts';
import type { ChangeIdentity } from '../ports/identity-change.ts';

/** An API key to create. */
export interface NewApiKey {
  readonly name: string;
  /** The user as whom the key acts; absent: the caller. */
  readonly userId?: string | undefined;
  /** Null: never. */
  readonly expiresAt: Date | null;
  /** The user's permissions that the key keeps. Null: all. */
  readonly scopes: readonly Permission[] | null;
  /** The toolset to which the key is restricted. Null: none. */
  readonly toolsetId: string | null;
}

export interface CreatedApiKey {
  readonly record: ApiKeyRecord;
  /** The key itself, which is not stored. */
  readonly apiKey: Secret;
}

interface CreateApiKeyDeps {
  readonly apiKeys: Pick<ApiKeyStore, 'insert'>;
  readonly changeIdentity: ChangeIdentity;
  readonly clock: Clock;
}

/**
 * Creates a key for a user of the caller's account. NOT_FOUND for an unknown user, or a toolset whose keys have ended; FORBIDDEN if a caller who is not an
 * owner creates an owner's key, VALIDATION_ERROR for a key that would already have expired.
 */
export async function createApiKey(
  { apiKeys, changeIdentity, clock }: CreateApiKeyDeps,
  ctx: RequestContext,
  { name, userId, expiresAt, scopes, toolsetId }: NewApiKey,
): Promise<CreatedApiKey> {
  const actor = userOf(ctx);
  const now = clock.now();
  if (expiresAt !== null && expiresAt <= now) {
    throw validationError({ field: 'expiresAt', issue: 'must be in the future' });
  }
  const apiKey = generateApiKey();
  const record = newKeyRecord(prefixedId('key'), apiKey, {
    accountId: actor.accountId,
    userId: userId ?? actor.userId,
    name,
    expiresAt,
    scopes,
    toolsetId,
    now,
  });
  await changeIdentity(actor.accountId, () =>
    apiKeys.insert(ctx, record, hashApiKey(apiKey), (user) => {
      if (user === undefined) throw notFound('user');
      requireOwnerFor(actor, user.role);
    }),
  );
  return { record, apiKey };
}
