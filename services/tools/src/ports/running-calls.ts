import type { JsonObject } from '@fairlead/connector-model/json';
import type { CallName, CallOutcome, DetachedCall, PendingRequest } from '../domain/detached-call.ts';

/** How an execution ended. */
export type CallSettlement<R> = { readonly result: R } | { readonly error: unknown };

/** The detached call to which an execution belongs. */
export interface CallControl {
  /** Adds a request to the call until it is answered. */
  ask(request: PendingRequest, answer: Promise<JsonObject>): Promise<JsonObject>;
  /** Tells the caller not to wait: the call takes time. */
  hurry(): void;
}

/** An execution that may outlive its request. */
export interface RunningCall<R> {
  /** Undefined: still running. */
  settled(): CallSettlement<R> | undefined;
  /** Resolves when the execution has ended, requests input or takes time, or after `waitMs`; rejects when `signal` aborts. */
  pause(waitMs: number, signal: AbortSignal): Promise<void>;
  /** Stores the call by `insert`, with its pending requests; later changes are stored as they happen. */
  detach(
    insert: (holder: string, requests: readonly PendingRequest[]) => Promise<DetachedCall | undefined>,
  ): Promise<DetachedCall | undefined>;
  /** Whether it is stored, and continues without its request. */
  isDetached(): boolean;
  abort(): void;
}

/** The calls that run in this process. */
export interface RunningCalls {
  /** Starts an execution; `encode` converts its outcome to the stored form. */
  begin<R>(o: {
    readonly name: CallName;
    readonly run: (signal: AbortSignal, control: CallControl) => Promise<R>;
    readonly encode: (settled: CallSettlement<R>) => CallOutcome;
  }): RunningCall<R>;
}

/** Changes of stored calls, in all processes. */
export interface CallChanges {
  /** Announces that a call's stored state has changed. */
  announce(callId: string, o?: { readonly isCancelled: boolean }): void;
  /** Begins to watch a call. */
  watch(callId: string): CallWatch;
}

export interface CallWatch {
  /** Resolves once the call has changed since the watch began, or after `ms`; rejects when `signal` aborts. */
  changed(ms: number, signal: AbortSignal): Promise<void>;
  end(): void;
}
