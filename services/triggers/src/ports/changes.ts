import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { ConnectionChange } from '../domain/connection-change.ts';

/** The change records of a service, in their order. */
export interface ChangeSource<T> {
  /** Names the place that was reached. */
  readonly name: string;
  /**
   * The changes after `cursor` that matter here; '' is before the first one that is kept. NOT_FOUND: changes after the cursor
   * may have been removed.
   */
  read(ctx: RequestContext, cursor: string): Promise<ChangePage<T>>;
}

/** One page of changes. */
export interface ChangePage<T> {
  readonly changes: readonly T[];
  readonly nextCursor: string;
  /** There may be more now. */
  readonly hasMore: boolean;
}

/** How far changes were followed, and those that have not fired yet. */
export interface ChangeStore {
  /** Undefined: nothing was followed. */
  cursor(source: string): Promise<string | undefined>;
  /** Moves the cursor of a source and keeps changes until they have fired, together or not at all. */
  advance(source: string, cursor: string, changes: readonly ConnectionChange[]): Promise<void>;
  /** The accounts that have triggers. */
  accountsWithTriggers(accountIds: readonly string[]): Promise<ReadonlySet<string>>;
}
