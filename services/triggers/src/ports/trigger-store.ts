import type { Secret } from '@fairlead/service-kit/secret';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Page } from '@fairlead/service-kit/page';
import type { Trigger, TriggerContent } from '../domain/trigger.ts';

/** A trigger as it is stored first. */
export type NewTrigger = Omit<Trigger, 'generation' | 'lastFiredAt' | 'lastError' | 'gaps' | 'updatedAt'> & {
  readonly hookToken: Secret | null;
  /** When it runs next; null: it does not run by itself. */
  readonly dueAt: Date | null;
};

/** What a change writes; an absent member keeps its value. */
export type TriggerChange = Partial<TriggerContent> & {
  readonly connectionId?: number;
  readonly enabledAt?: Date | null;
  readonly lastError?: null;
  readonly dueAt?: Date | null;
};

/** The triggers that are stored. */
export interface TriggerStore {
  insert(ctx: RequestContext, accountId: string, trigger: NewTrigger): Promise<Trigger>;
  find(ctx: RequestContext, accountId: string, id: string): Promise<Trigger | undefined>;
  /** Newest first. */
  list(
    ctx: RequestContext,
    accountId: string,
    page: Page,
  ): Promise<{ readonly items: readonly Trigger[]; readonly totalCount: number }>;
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
}
