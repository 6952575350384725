import type { RequestContext } from '@fairlead/service-kit/context/context';
import type {
  CallEnd,
  CallName,
  CallOwner,
  DetachedCall,
  ListedCall,
  PendingRequest,
} from '../domain/detached-call.ts';

/** A call to store. */
export interface NewCall extends CallName, Pick<DetachedCall, 'toolName' | 'requests'> {
  /** The process that runs it. */
  readonly holder: string;
  readonly keptMs: number;
}

/** The stored calls. An open call whose process is gone reads as lost. */
export interface DetachedCalls {
  /** Stores a call; undefined if the account has no room for it. */
  insert(ctx: RequestContext, call: NewCall): Promise<DetachedCall | undefined>;
  find(ctx: RequestContext, name: CallName): Promise<DetachedCall | undefined>;
  /** The newest `limit` calls, those after `after` if that is given. */
  list(
    ctx: RequestContext,
    owner: CallOwner,
    page: { readonly after: string | undefined; readonly limit: number },
  ): Promise<readonly ListedCall[]>;
  /** Cancels the call if it is open; whether it did. */
  cancel(ctx: RequestContext, name: CallName): Promise<boolean>;
  /** Removes requests that were answered. */
  removeRequests(ctx: RequestContext, name: CallName, keys: readonly string[]): Promise<void>;
}

/** The stored calls, for the process that runs them. */
export interface RunningCallStore {
  /** Adds a request while the call is open. */
  addRequest(name: CallName, request: PendingRequest): Promise<void>;
  /** Removes a request that needs no answer any more. */
  removeRequest(name: CallName, key: string): Promise<void>;
  /** Ends the call if it is open. */
  end(name: CallName, end: CallEnd): Promise<void>;
  /** The calls among these that are open. */
  open(accountId: string, callIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Says that the process is alive, and remains so for `forMs`. */
  beat(holder: string, forMs: number): Promise<void>;
}
