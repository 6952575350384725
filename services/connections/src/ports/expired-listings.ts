import type { RequestContext } from '@fairlead/service-kit/context/context';

/** Connections that are listed with a status that their licence, which has expired, no longer gives them. */
export interface ExpiredListings {
  /** Lists at most 500 of an account as Blocked, and counts them so. False: more are left. */
  block(ctx: RequestContext, accountId: string, now: Date): Promise<boolean>;
  /** The account that has the longest expired one; undefined: none has, or an earlier release may still write connections uncounted. */
  findAccount(ctx: RequestContext, now: Date): Promise<string | undefined>;
}
