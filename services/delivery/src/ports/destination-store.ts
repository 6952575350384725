import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { CountedPage, Page } from '@fairlead/service-kit/page';
import type { Secret } from '@fairlead/service-kit/secret';
import type { Destination, DestinationChange } from '../domain/destination.ts';

/** A destination that is not stored yet. */
export interface NewDestination extends Destination {
  readonly secret: Secret;
  readonly headers: Secret<Readonly<Record<string, string>>>;
}

/** The outcome of a change. */
export type ChangeOutcome =
  | { readonly kind: 'changed'; readonly destination: Destination }
  | { readonly kind: 'missing' }
  /** It was to keep headers that the destination does not have. */
  | { readonly kind: 'unknownHeaders'; readonly names: readonly string[] };

/** The destinations of all accounts; every method is confined to one account. It has no destinations that are being deleted. */
export interface DestinationStore {
  /** Stores a destination; 'tooMany': the account has `most`. */
  insert(
    ctx: RequestContext,
    accountId: string,
    destination: NewDestination,
    most: number,
  ): Promise<'inserted' | 'tooMany'>;
  find(ctx: RequestContext, accountId: string, id: string): Promise<Destination | undefined>;
  /** The ids that exist. */
  findIds(ctx: RequestContext, accountId: string, ids: readonly string[]): Promise<readonly string[]>;
  /** Newest first, with the number over all pages. */
  list(ctx: RequestContext, accountId: string, page: Page): Promise<CountedPage<Destination>>;
  /**
   * Changes a destination in one transaction. One that becomes enabled has no failures any more, and does not deliver
   * what is older than the resume window; results of attempts that began before no longer count.
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
  /** Whether there was one to remove. A change record of it is part of the same transaction. */
  delete(ctx: RequestContext, accountId: string, id: string, now: Date): Promise<boolean>;
}
