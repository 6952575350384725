import type { Permission } from '@fairlead/access/permissions';
import type { RequestContext } from '@fairlead/service-kit/context/context';

/** A user who is not present: their name and current permissions. */
export interface Member {
  readonly accountName: string;
  readonly userName: string;
  readonly permissions: readonly Permission[];
  readonly maxConnectionsPerEndUser: number;
}

/**
 * Finds an active user; undefined if the user is inactive, the account is not open, or the user's API key `keyId` is no longer valid.
 * Rejects with UNAVAILABLE if this cannot be found out.
 */
export type FindMember = (
  ctx: RequestContext,
  accountId: string,
  userId: string,
  keyId?: string,
) => Promise<Member | undefined>;
