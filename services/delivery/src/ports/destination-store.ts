import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { CountedPage, Page } from '@fairlead/service-kit/page';
import type { Secret } from '@fairlead/service-kit/secret';
import type { Destination, DestinationChange } from '../domain/destination.ts';

export interface NewDestination extends Destination {
  readonly secret: Secret;
  readonly headers: Secret<Readonly<Record<string, string>>>;
}

export type ChangeOutcome =
  | { readonly kind: 'changed'; readonly destination: Destination }
  | { readonly kind: 'missing' }
  /** Names to keep for which the destination has no headers. */
  | { readonly kind: 'unknownHeaders'; readonly names: readonly string[] };

/** Stores destinations; every method is limited to one account. Destinations that are being deleted are not found. */
export interface DestinationStore {
  /** Stores a destination; 'tooMany': the account already has `most`. */
  insert(
    ctx: RequestContext,
    accountId: string,
    destination: NewDestination,
    most: number,
  ): Promise<'inserted' | 'tooMany'>;
  find(ctx: RequestContext, accountId: string, id: string): Promise<Destination | undefined>;
  /** The existing ones among these ids. */
  findIds(ctx: RequestContext, accountId: string, ids: readonly string[]): Promise<readonly string[]>;
  /** Newest first, with the total number. */
  list(ctx: RequestContext, accountId: string, page: Page): Promise<CountedPage<Destination>>;
  /**
   * Changes a destination in one transaction. Enabling it resets its failures, prevents automatic delivery of events older than the resume
   * window, and makes results of earlier attempts not count.
   */
  update(
    ctx: RequestContext,
    accountId: string,
    id: string,
    change: DestinationChange,
    now: Date,
  ): Promise<ChangeOutcome>;
  /** The destination with its new secret; undefined if there is none. */
  replaceSecret(
    ctx: RequestContext,
    accountId: string,
    id: string,
    secret: Secret,
    now: Date,
  ): Promise<Destination | undefined>;
  /** Returns whether a destination was removed. A change record is part of the same transaction. */
  delete(ctx: RequestContext, accountId: string, id: string, now: Date): Promise<boolean>;
}
