import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { PollCursor } from '../domain/poll.ts';
import type { Gap, Trigger } from '../domain/trigger.ts';

/** The trigger for which an application is called. */
export type TriggerTarget = Pick<Trigger, 'triggerTypeSlug' | 'connectionId' | 'configuration'>;

/** The result of calling an application, or the reason for its refusal, in the application's words. */
export type CallResult<T> =
  | { readonly isSuccess: true; readonly value: T }
  | { readonly isSuccess: false; readonly errorMessage: string };

/** A new item. */
export interface PolledItem {
  /** Identifies the item together with its time. */
  readonly key: string;
  readonly occurredAt: Date;
  /** JSON. */
  readonly payload: Uint8Array;
}

/** One page of new items. */
export interface PollRead {
  /** Oldest first. */
  readonly items: readonly PolledItem[];
  readonly cursor: PollCursor;
  /** Whether there is more to read. */
  readonly hasMore: boolean;
  readonly gaps: readonly Gap[];
}

/** Registrations of addresses at vendors. If it rejects with an ApiError, nothing was sent. */
export interface VendorWebhooks {
  /** Registers an address, even if it is already registered; returns the vendor's id of the registration. */
  register(
    ctx: RequestContext,
    of: TriggerTarget,
    address: { readonly url: string; readonly secret: string },
  ): Promise<CallResult<string>>;
  /** The ids of all registrations of an address. */
  find(ctx: RequestContext, of: TriggerTarget, url: string): Promise<CallResult<readonly string[]>>;
  /** Removes a registration; succeeds if the vendor does not know it. */
  remove(ctx: RequestContext, of: TriggerTarget, registrationId: string): Promise<CallResult<undefined>>;
}

/** Calls of applications for triggers. If it rejects with an ApiError, nothing was sent. */
export interface TriggerCalls {
  /** The initial cursor of a poll that starts now. */
  seedPoll(ctx: RequestContext, of: TriggerTarget): Promise<CallResult<PollCursor>>;
  readPoll(ctx: RequestContext, of: TriggerTarget, cursor: PollCursor): Promise<CallResult<PollRead>>;
}
