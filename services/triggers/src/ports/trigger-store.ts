import type { Secret } from '@fairlead/service-kit/secret';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { ListPart, Page } from '@fairlead/service-kit/page';
import type { CapturedEvent } from '../domain/event.ts';
import type { PollState } from '../domain/poll.ts';
import type { Gap, Trigger, TriggerContent } from '../domain/trigger.ts';

/** How a trigger runs from now on. */
export interface TriggerStart {
  /** When it runs next; null: it does not run by itself. */
  readonly dueAt: Date | null;
  /** Where it goes on; null unless it polls. */
  readonly poll: PollState | null;
  /** The registration at its vendor that it wants; null: none. */
  readonly webhookId: string | null;
}

/** A trigger as it is stored first. */
export type NewTrigger = Omit<Trigger, 'generation' | 'lastFiredAt' | 'lastError' | 'gaps' | 'updatedAt'> &
  TriggerStart & { readonly hookToken: Secret | null };

/** The members that a change writes; an absent member keeps its value. */
export type TriggerChange = Partial<TriggerContent> & {
  readonly connectionId?: number;
  readonly enabledAt?: Date | null;
  readonly lastError?: null;
  /** For one that runs by itself: it runs next at that time, or when it would have run, whichever comes first. */
  readonly dueBy?: Date;
} & Partial<TriggerStart>;

/** The triggers that are stored. */
export interface TriggerStore {
  /** CONFLICT if the account has as many as it may have, whatever is created at the same time. */
  insert(ctx: RequestContext, accountId: string, trigger: NewTrigger): Promise<Trigger>;
  find(ctx: RequestContext, accountId: string, id: string): Promise<Trigger | undefined>;
  /** Newest first. */
  list(ctx: RequestContext, accountId: string, page: Page): Promise<ListPart<Trigger>>;
  /** How many the account has, counted up to `most`. */
  count(ctx: RequestContext, accountId: string, most: number): Promise<number>;
  /** Writes the change and raises the generation, if it is still `generation`; undefined: it is not, or the trigger is gone. */
  update(
    ctx: RequestContext,
    accountId: string,
    at: { readonly id: string; readonly generation: number },
    change: TriggerChange,
    now: Date,
  ): Promise<Trigger | undefined>;
  /** False: there is none. */
  delete(ctx: RequestContext, accountId: string, id: string): Promise<boolean>;
  /** The ids of enabled triggers that use a connection, at most `most`. */
  listUses(
    ctx: RequestContext,
    accountId: string,
    connectionId: number,
    most: number,
  ): Promise<readonly string[]>;
  /** Disables the triggers that use one of these connections, noting why. */
  disableUses(
    ctx: RequestContext,
    accountId: string,
    connectionIds: readonly number[],
    reason: string,
    now: Date,
  ): Promise<void>;
  /** Takes destinations out of all triggers of an account; what was to be written with them is not any more. */
  removeDestinations(
    ctx: RequestContext,
    accountId: string,
    destinationIds: readonly string[],
    now: Date,
  ): Promise<void>;
}

/** A trigger as it fires: what a firing needs of it, and no secret. */
export interface FiringTrigger extends Omit<Trigger, 'hookToken'> {
  readonly accountId: string;
}

/** The triggers, as firings read and note them. */
export interface FiringStore {
  /** The triggers whose addresses have tokens with these digests, by digest. */
  findByHooks(tokenHashes: readonly string[]): Promise<ReadonlyMap<string, FiringTrigger>>;
  /** The triggers that exist, by id. */
  findMany(
    of: readonly { readonly accountId: string; readonly triggerId: string }[],
  ): Promise<ReadonlyMap<string, FiringTrigger>>;
  /** Enabled triggers of a type, in the order of their ids, from the one after `after` on. */
  findOfType(
    accountId: string,
    triggerTypeSlug: string,
    after: string | null,
    limit: number,
  ): Promise<readonly FiringTrigger[]>;
  /**
   * Notes that triggers have fired, so that nothing is wrong with them any more; unless something was, for each of them at most
   * one write a second of this process.
   */
  noteFired(triggers: readonly FiringTrigger[], now: Date): Promise<void>;
  /**
   * Notes why a trigger did not fire, or that nothing is wrong any more (null); of what goes wrong within a second, and while nothing
   * is noted to be well again, this process notes the first.
   */
  noteError(trigger: FiringTrigger, message: string | null): Promise<void>;
}

/** A run of a trigger that is due, which this process has claimed. */
export interface ClaimedRun {
  readonly trigger: FiringTrigger;
  /** Where it goes on; null unless it polls. */
  readonly poll: PollState | null;
  readonly token: string;
  /** When it became due. */
  readonly since: Date;
}

/** The result of a run, as it is written. */
export interface RunResult {
  readonly events: readonly CapturedEvent[];
  /** When it runs next; null: never again by itself. */
  readonly dueAt: Date | null;
  /** Why a firing became no event, if it failed; null: nothing is wrong any more. Absent: as before. */
  readonly lastError?: string | null;
  /** Where it goes on; absent: where it was. */
  readonly poll?: PollState;
  /** Times whose firings it has missed, which are added. */
  readonly gaps?: readonly Gap[];
}

/** The runs of triggers that are due. */
export interface TriggerRuns {
  /**
   * Captures the events of a run and schedules the next one, together or not at all. False, with nothing written: the claim
   * was taken, or people have changed, disabled or deleted the trigger since. UNAVAILABLE if the database is away.
   */
  commit(run: ClaimedRun, result: RunResult): Promise<boolean>;
}
