import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { ConnectionChange } from '../domain/connection-change.ts';

/** The ordered change records of a service. */
export interface ChangeSource<T> {
  /** Position after this change. */
  readonly name: string;
  /** Relevant changes after `cursor`; '' is before the first kept one. NOT_FOUND: changes after the cursor may have been deleted. */
  read(ctx: RequestContext, cursor: string): Promise<ChangePage<T>>;
}

export interface ChangePage<T> {
  readonly changes: readonly T[];
  readonly nextCursor: string;
  /** Whether there may be more now. */
  readonly hasMore: boolean;
}

/** Stores positions in change logs, and changes that have not fired yet. */
export interface ChangeStore {
  /** Undefined: no position is stored. */
  cursor(source: string): Promise<string | undefined>;
  /** Moves the cursor of a source and stores changes that must fire, in one transaction. */
  advance(source: string, cursor: string, changes: readonly ConnectionChange[]): Promise<void>;
  /** Which of these accounts have triggers. */
  accountsWithTriggers(accountIds: readonly string[]): Promise<ReadonlySet<string>>;
}
