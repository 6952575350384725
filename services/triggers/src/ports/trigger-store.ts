import type { Secret } from '@fairlead/service-kit/secret';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { ListPart, Page } from '@fairlead/service-kit/page';
import type { CapturedEvent } from '../domain/event.ts';
import type { PollState } from '../domain/poll.ts';
import type { Gap, Trigger, TriggerContent } from '../domain/trigger.ts';

/** How a trigger runs from now on. */
export interface TriggerStart {
  /** When it runs next; null: not by itself. */
  readonly dueAt: Date | null;
  /** Cursor and failures of a poll; null for other triggers. */
  readonly poll: PollState | null;
  /** Id of the vendor webhook that it needs; null: none. */
  readonly webhookId: string | null;
}

export type NewTrigger = Omit<Trigger, 'generation' | 'lastFiredAt' | 'lastError' | 'gaps' | 'updatedAt'> &
  TriggerStart & { readonly hookToken: Secret | null };

/** The members to change; an absent one keeps its value. */
export type TriggerChange = Partial<TriggerContent> & {
  readonly connectionId?: number;
  readonly enabledAt?: Date | null;
  readonly lastError?: null;
  /** For a trigger that runs by itself: it runs next at this time or at its former time, whichever is earlier. */
  readonly dueBy?: Date;
} & Partial<TriggerStart>;

export interface TriggerStore {
  /** CONFLICT if the account has the maximum, also under concurrent creations. */
  insert(ctx: RequestContext, accountId: string, trigger: NewTrigger): Promise<Trigger>;
  find(ctx: RequestContext, accountId: string, id: string): Promise<Trigger | undefined>;
  /** Newest first. */
  list(ctx: RequestContext, accountId: string, page: Page): Promise<ListPart<Trigger>>;
  /** Number of the account's triggers; stops counting at `most`. */
  count(ctx: RequestContext, accountId: string, most: number): Promise<number>;
  /** Writes the change and increments the generation, if it is still `generation`; otherwise, or if the trigger is gone, undefined. */
  update(
    ctx: RequestContext,
    accountId: string,
    at: { readonly id: string; readonly generation: number },
    change: TriggerChange,
    now: Date,
  ): Promise<Trigger | undefined>;
  /** Returns whether a trigger was removed. */
  delete(ctx: RequestContext, accountId: string, id: string): Promise<boolean>;
  /** The ids of enabled triggers that use a connection, at most `most`. */
  listUses(
    ctx: RequestContext,
    accountId: string,
    connectionId: number,
    most: number,
  ): Promise<readonly string[]>;
  /** Disables triggers that use one of these connections, and records why. */
  disableUses(
    ctx: RequestContext,
    accountId: string,
    connectionIds: readonly number[],
    reason: string,
    now: Date,
  ): Promise<void>;
  /** Removes destinations from all triggers of an account. Concurrent writes with these destinations fail their generation check. */
  removeDestinations(
    ctx: RequestContext,
    accountId: string,
    destinationIds: readonly string[],
    now: Date,
  ): Promise<void>;
}

/** The members of a trigger that a firing needs; none is secret. */
export interface FiringTrigger extends Omit<Trigger, 'hookToken'> {
  readonly accountId: string;
}

/** Triggers, as firings read and update them. */
export interface FiringStore {
  /** The triggers whose tokens have these digests, by digest. */
  findByHooks(tokenHashes: readonly string[]): Promise<ReadonlyMap<string, FiringTrigger>>;
  /** The existing triggers, by id. */
  findMany(
    of: readonly { readonly accountId: string; readonly triggerId: string }[],
  ): Promise<ReadonlyMap<string, FiringTrigger>>;
  /** Enabled triggers of a type, in id order, after the id `after`. */
  findOfType(
    accountId: string,
    triggerTypeSlug: string,
    after: string | null,
    limit: number,
  ): Promise<readonly FiringTrigger[]>;
  /**
   * Records that triggers have fired and clears their errors. Without an error to clear, this process writes at most once per second and
   * trigger.
   */
  noteFired(triggers: readonly FiringTrigger[], now: Date): Promise<void>;
  /**
   * Records why a trigger did not fire; null clears the error. If several errors occur within a second, this process records only the first,
   * unless the error was cleared in between.
   */
  noteError(trigger: FiringTrigger, message: string | null): Promise<void>;
}

/** A due run of a trigger, claimed by this process. */
export interface ClaimedTrigger {
  readonly trigger: FiringTrigger;
  /** Cursor and failures of a poll; null for other triggers. */
  readonly poll: PollState | null;
  readonly token: string;
  /** The time at which it became due. */
  readonly since: Date;
}

/** The result of a run, to be stored. */
export interface RunResult {
  readonly events: readonly CapturedEvent[];
  /** When it runs next; null: never again by itself. */
  readonly dueAt: Date | null;
  /** Why the filter failed; null clears the error. Absent: unchanged. */
  readonly lastError?: string | null;
  /** Absent: unchanged. */
  readonly poll?: PollState;
  /** Missed periods to add. */
  readonly gaps?: readonly Gap[];
}

/** The due runs of triggers. */
export interface TriggerRuns {
  /**
   * Captures a run's events and schedules the next run, in one transaction. False, with nothing written: the claim was lost, or the trigger
   * was changed, disabled or deleted. UNAVAILABLE if the database is unavailable.
   */
  commit(run: ClaimedTrigger, result: RunResult): Promise<boolean>;
}
