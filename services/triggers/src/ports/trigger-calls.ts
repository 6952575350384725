import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { PollCursor } from '../domain/poll.ts';
import type { Gap, Trigger } from '../domain/trigger.ts';

/** For which trigger an application is called. */
export type CalledFor = Pick<Trigger, 'triggerTypeSlug' | 'connectionId' | 'configuration'>;

/** The result of a call of an application, or the reason of its refusal for people, in its own words. */
export type CallResult<T> =
  | { readonly isSuccess: true; readonly value: T }
  | { readonly isSuccess: false; readonly errorMessage: string };

/** An item that is new. */
export interface PolledItem {
  /** Names the item at its time. */
  readonly key: string;
  readonly occurredAt: Date;
  /** JSON. */
  readonly payload: Uint8Array;
}

/** One read of what is new. */
export interface PollRead {
  /** The oldest first. */
  readonly items: readonly PolledItem[];
  readonly cursor: PollCursor;
  /** There is more to read. */
  readonly hasMore: boolean;
  readonly gaps: readonly Gap[];
}

/** Registrations of addresses at vendors. An ApiError says that nothing was sent. */
export interface VendorWebhooks {
  /** Registers an address, once more if it is registered already; the vendor's id of the registration. */
  register(
    ctx: RequestContext,
    of: CalledFor,
    address: { readonly url: string; readonly secret: string },
  ): Promise<CallResult<string>>;
  /** The ids of all registrations of an address. */
  find(ctx: RequestContext, of: CalledFor, url: string): Promise<CallResult<readonly string[]>>;
  /** Ends a registration; one that the vendor does not know has ended. */
  remove(ctx: RequestContext, of: CalledFor, registrationId: string): Promise<CallResult<undefined>>;
}

/** Calls of applications for triggers. An ApiError says that nothing was sent. */
export interface TriggerCalls {
  /** Where a poll begins that starts now. */
  seedPoll(ctx: RequestContext, of: CalledFor): Promise<CallResult<PollCursor>>;
  readPoll(ctx: RequestContext, of: CalledFor, cursor: PollCursor): Promise<CallResult<PollRead>>;
}
