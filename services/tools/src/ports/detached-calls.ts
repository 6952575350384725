import type { RequestContext } from '@fairlead/service-kit/context/context';
import type {
  CallEnd,
  CallName,
  CallOwner,
  DetachedCall,
  DetachedCallView,
  PendingRequest,
} from '../domain/detached-call.ts';

/** A call to store. */
export interface NewCall extends CallName, Pick<DetachedCall, 'toolName' | 'requests'> {
  /** The process that runs the call. */
  readonly holder: string;
  readonly keptMs: number;
}

/** Stored calls. An open call whose process has died is returned as lost. */
export interface DetachedCalls {
  /** Stores a call; undefined if the account has the maximum. */
  insert(ctx: RequestContext, call: NewCall): Promise<DetachedCall | undefined>;
  find(ctx: RequestContext, name: CallName): Promise<DetachedCall | undefined>;
  /** The newest `limit` calls; with `after`, those older than it. */
  list(
    ctx: RequestContext,
    owner: CallOwner,
    page: { readonly after: string | undefined; readonly limit: number },
  ): Promise<readonly DetachedCallView[]>;
  /** Cancels the call if it is open; returns whether it did. */
  cancel(ctx: RequestContext, name: CallName): Promise<boolean>;
  /** Removes answered requests. */
  removeRequests(ctx: RequestContext, name: CallName, keys: readonly string[]): Promise<void>;
}

/** Stored calls, for the process that runs them. */
export interface RunningCallStore {
  /** Adds a request if the call is open. */
  addRequest(name: CallName, request: PendingRequest): Promise<void>;
  /** Removes a request that needs no answer any more. */
  removeRequest(name: CallName, key: string): Promise<void>;
  /** Ends the call if it is open. */
  end(name: CallName, end: CallEnd): Promise<void>;
  /** The open ones among these calls. */
  open(accountId: string, callIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Records that the process is alive, and counts as alive for `forMs`. */
  beat(holder: string, forMs: number): Promise<void>;
}
