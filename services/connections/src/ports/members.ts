import type { Permission } from '@fairlead/access/permissions';
import type { RequestContext } from '@fairlead/service-kit/context/context';

/** A user of an account who is not there: what they are called, and may do now. */
export interface Member {
  readonly accountName: string;
  readonly userName: string;
  readonly permissions: readonly Permission[];
  readonly maxConnectionsPerEndUser: number;
}

/**
 * Finds an active user; undefined if they are not active, the account is not open, or the API key `keyId` of theirs is not
 * valid any more. Rejects with UNAVAILABLE while nobody knows.
 */
export type FindMember = (
  ctx: RequestContext,
  accountId: string,
  userId: string,
  keyId?: string,
) => Promise<Member | undefined>;
