import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import type {
  MemberSchema,
  RecordKeyUsesRequest,
  ResolveAccountsRequest,
  ResolveKeysResponse_KeyOwnerSchema,
} from '@fairlead/contracts/identity/v1/credential_service_pb';
import { validationError } from '@fairlead/errors/api-error';
import type { KeyOwner, MemberReference, PartialMember } from '../domain/records.ts';
import { toAccount } from './convert-account.ts';
import { toRestrictions } from './convert-api-key.ts';
import { toUser } from './convert-user.ts';

/** A user with its account; either is absent if it does not exist. */
export function toMember({ account, user }: PartialMember): MessageInitShape<typeof MemberSchema> {
  return {
    ...(account !== undefined && { account: toAccount(account) }),
    ...(user !== undefined && { user: toUser(user) }),
  };
}

/** The owner of a key; empty if the key does not exist. */
export function toKeyOwner(
  owner: KeyOwner | undefined,
): MessageInitShape<typeof ResolveKeysResponse_KeyOwnerSchema> {
  if (owner === undefined) return {};
  const { id: keyId, expiresAt } = owner.key;
  return {
    member: toMember(owner),
    keyId,
    ...toRestrictions(owner.key),
    ...(expiresAt !== null && { expiresAt: timestampFromDate(expiresAt) }),
  };
}

/** The named accounts and users. */
export function fromReferences({ references }: ResolveAccountsRequest): readonly MemberReference[] {
  return references.map(({ accountId, userId, keyId }) => ({ accountId, userId, keyId }));
}

/** The last use of each key; the latest one if a key is named twice. */
export function fromUses({ uses }: RecordKeyUsesRequest): ReadonlyMap<string, Date> {
  const latest = new Map<string, Date>();
  for (const { keyId, usedAt } of uses) {
    if (usedAt === undefined) throw validationError({ field: 'uses', issue: 'a use has no time' });
    const [at, known] = [timestampDate(usedAt), latest.get(keyId)];
    if (known === undefined || known < at) latest.set(keyId, at);
  }
  return latest;
}
