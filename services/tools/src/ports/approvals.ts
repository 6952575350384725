import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { ListPart, Page } from '@fairlead/service-kit/page';
import type { Approval, ApprovalStatus } from '../domain/approval.ts';

/** Stores approvals; every method is limited to one account. */
export interface ApprovalStore {
  /** The approval with its status at `now`; undefined if there is none. */
  find(ctx: RequestContext, accountId: string, approvalId: string, now: Date): Promise<Approval | undefined>;
  /**
   * The approval of a call with one of the fingerprints, requested within a day: the pending or approved one, or else the newest; undefined
   * if there is none.
   */
  findOfCall(
    ctx: RequestContext,
    accountId: string,
    fingerprints: readonly string[],
    now: Date,
  ): Promise<Approval | undefined>;
  /** Newest first, with their status at `now`. */
  list(
    ctx: RequestContext,
    accountId: string,
    query: {
      /** Undefined: any status. */
      readonly status: ApprovalStatus | undefined;
      readonly page: Page;
    },
    now: Date,
  ): Promise<ListPart<Approval>>;
  /**
   * The pending or approved approval with one of the fingerprints, or else the new one from `request`, which is stored. Equal calls share
   * one approval; if another call stores one concurrently, that is returned. `full` if `most` of the requesting user's are pending. If this
   * call requires another user to decide, so does the shared approval from now on, and it is pending again if its caller has approved it.
   */
  open(
    ctx: RequestContext,
    accountId: string,
    call: Pick<Approval, 'requestedBy' | 'requiresOther'> & {
      readonly fingerprints: readonly string[];
      readonly most: number;
      readonly now: Date;
    },
    request: () => Promise<Approval>,
  ): Promise<Approval | 'full'>;
  /** Changes the status if at `now` it is one of `from`; otherwise undefined. */
  decide(
    ctx: RequestContext,
    accountId: string,
    approvalId: string,
    o: {
      readonly from: readonly ('pending' | 'approved')[];
      readonly to: 'approved' | 'rejected';
      readonly userId: string;
      readonly now: Date;
    },
  ): Promise<Approval | undefined>;
  /**
   * Marks an approved approval as used. False if it is not approved any more, or was approved by `notDecidedBy`. Only one of several
   * concurrent calls gets true.
   */
  claim(
    ctx: RequestContext,
    accountId: string,
    approvalId: string,
    o: { readonly notDecidedBy: string | undefined; readonly now: Date },
  ): Promise<boolean>;
  /** Removes an approval, if it exists. */
  remove(ctx: RequestContext, accountId: string, approvalId: string): Promise<void>;
  /** Removes all approvals that name an end user. */
  removeOfEndUser(ctx: RequestContext, accountId: string, endUserId: string): Promise<void>;
  /** Rejects all pending or approved approvals of a toolset's calls. */
  rejectOfToolset(
    ctx: RequestContext,
    accountId: string,
    toolsetId: string,
    o: { readonly userId: string; readonly now: Date },
  ): Promise<void>;
  /** Marks a used approval as approved again, because its call did not run; does nothing if an equal approval was requested meanwhile. */
  release(accountId: string, approvalId: string, now: Date): Promise<void>;
}
