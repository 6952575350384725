import type { RequestContext } from '@fairlead/service-kit/context/context';

/** Connections whose licence has expired, but which lists still show as Active. */
export interface ExpiredListings {
  /** Lists at most 500 connections of an account as Blocked, and updates the counts. False: more are left. */
  block(ctx: RequestContext, accountId: string, now: Date): Promise<boolean>;
  /**
   * The account with the longest expired licence; undefined: none has expired, or an earlier release may still write connections without
   * counting them.
   */
  findAccount(ctx: RequestContext, now: Date): Promise<string | undefined>;
}
