import type { JsonObject } from '@fairlead/connector-model/model';
import type { CallName, CallOutcome, DetachedCall, PendingRequest } from '../domain/detached-call.ts';

/** How an execution ended. */
export type Settled<R> = { readonly result: R } | { readonly error: unknown };

/** The call that an execution belongs to. */
export interface CallControl {
  /** The answer to a request, which is one of the call until then. */
  ask(request: PendingRequest, answer: Promise<JsonObject>): Promise<JsonObject>;
  /** The caller need not wait any longer: the call takes time. */
  hurry(): void;
}

/** An execution that may outlive the request that began it. */
export interface RunningCall<R> {
  /** Undefined: it still runs. */
  settled(): Settled<R> | undefined;
  /** Resolves when the execution has ended, asks its client or takes time, or after `waitMs`; rejects when `signal` aborts. */
  pause(waitMs: number, signal: AbortSignal): Promise<void>;
  /** Stores the call by `insert`, with the requests that it has; its changes are stored from then on. */
  detach(
    insert: (holder: string, requests: readonly PendingRequest[]) => Promise<DetachedCall | undefined>,
  ): Promise<DetachedCall | undefined>;
  /** Whether it is stored, and goes on without its request. */
  isDetached(): boolean;
  abort(): void;
}

/** The calls that this process runs. */
export interface RunningCalls {
  /** Begins an execution; `encode` writes its end as the caller reads it later. */
  begin<R>(o: {
    readonly name: CallName;
    readonly run: (signal: AbortSignal, control: CallControl) => Promise<R>;
    readonly encode: (settled: Settled<R>) => CallOutcome;
  }): RunningCall<R>;
}

/** Changes of stored calls, of all processes. */
export interface CallChanges {
  /** Says that a call was stored in another state. */
  announce(callId: string, o?: { readonly isCancelled: boolean }): void;
  /** From now on collects changes of a call. */
  watch(callId: string): CallWatch;
}

/** The changes of one call. */
export interface CallWatch {
  /** Resolves once the call has changed since the watch began, or after `ms`; rejects when `signal` aborts. */
  changed(ms: number, signal: AbortSignal): Promise<void>;
  end(): void;
}
