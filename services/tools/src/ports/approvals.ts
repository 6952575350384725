import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { ListPart, Page } from '@fairlead/service-kit/page';
import type { Approval, ApprovalStatus } from '../domain/approval.ts';

/** The approvals of all accounts; every method is confined to one account. */
export interface ApprovalStore {
  /** The approval as it is at `now`; undefined if there is none. */
  find(ctx: RequestContext, accountId: string, approvalId: string, now: Date): Promise<Approval | undefined>;
  /**
   * The approval of a call with one of the fingerprints that was requested within a day: the pending or approved one, or else the newest;
   * undefined if there is none.
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
      /** Undefined: whatever their status. */
      readonly status: ApprovalStatus | undefined;
      readonly page: Page;
    },
    now: Date,
  ): Promise<ListPart<Approval>>;
  /**
   * The pending or approved approval of a call with one of the fingerprints, or else the one that `request` makes, which is stored: equal
   * calls share one, and one that another call stored at the same time comes before it. `full` if `most` of the user who requests it are
   * pending. One that requires another user is that for all calls that share it, and pending again if its caller has approved it.
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
  /** Changes a status that is one of `from` at `now`; undefined if it is none of these. */
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
   * Uses an approved approval; false if it is not approved any more, or was by `notDecidedBy`. Only one of several calls at once gets
   * true.
   */
  claim(
    ctx: RequestContext,
    accountId: string,
    approvalId: string,
    o: { readonly notDecidedBy: string | undefined; readonly now: Date },
  ): Promise<boolean>;
  /** Removes an approval, if it is there. */
  remove(ctx: RequestContext, accountId: string, approvalId: string): Promise<void>;
  /** Removes every approval that names an end user. */
  removeOfEndUser(ctx: RequestContext, accountId: string, endUserId: string): Promise<void>;
  /** Rejects every pending or approved approval of calls in a toolset. */
  rejectOfToolset(
    ctx: RequestContext,
    accountId: string,
    toolsetId: string,
    o: { readonly userId: string; readonly now: Date },
  ): Promise<void>;
  /** Makes an approval usable again whose call did not run; does nothing if an equal one was requested meanwhile. */
  release(accountId: string, approvalId: string, now: Date): Promise<void>;
}
