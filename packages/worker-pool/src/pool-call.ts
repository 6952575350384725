import { CallMessages } from './call-messages.ts';
import type { JobListener } from './call-messages.ts';
import { PoolRefusalError, WorkerLostError } from './errors.ts';
import type { LossReason } from './errors.ts';
import { encodeBytes, encodeFrame, encodeParts, FRAME, setArgument } from './frame.ts';
import { JsonWithBytes } from './json-with-bytes.ts';
import { jsonPieces } from '@fairlead/service-kit/json/lazy-json';
import type { CallGroup } from './call-group.ts';

/** A call of a pool, from its admission to its end. */
export interface PoolCall {
  readonly id: number;
  readonly account: string;
  readonly group: CallGroup | undefined;
  /** Size of the job. */
  readonly bytes: number;
  /** Maximum processor time of the worker for the call; undefined: none. */
  readonly cpuMs: number | undefined;
  /** Whether the account comes closer to its quarantine if the call exceeds a limit of processor time or memory, which ends the worker. */
  readonly excessCounts: boolean;
  /** Masks the secrets of the job in a text. */
  mask(text: string): string;
  /** Returns the job's frames, and marks the call as started. */
  start(): readonly Uint8Array[];
  /** Ends the call, once. */
  succeed(result: unknown): void;
  fail(error: Error): void;
  /** Ends the call because its worker ended. */
  lose(reason: LossReason): void;
  isEnded(): boolean;
  /** Remaining time, in milliseconds; not positive once the time is over. */
  leftMs(): number;
  /** Counts a request for permission; returns whether the worker may make one. */
  mayAsk(): boolean;
  /** Whether the caller permits the job to continue. Never rejects. */
  ask(): Promise<boolean>;
  /** The messages from the job to its caller. */
  readonly messages: CallMessages;
}

/** Maximum requests for permission; a call asks again if its session turns out to be dead. */
const MAX_QUESTIONS = 10;

/** Creates a call whose end settles `result` and calls `onEnd`. */
export function createPoolCall({
  id,
  account,
  group,
  job,
  timeoutMs,
  cpuMs,
  excessCounts = true,
  mask,
  onAsk,
  listener,
  onEnd,
}: {
  readonly id: number;
  readonly account: string;
  readonly group?: CallGroup | undefined;
  readonly job: unknown;
  readonly timeoutMs: number;
  readonly cpuMs?: number | undefined;
  readonly excessCounts?: boolean | undefined;
  readonly mask: (text: string) => string;
  readonly onAsk?: (() => Promise<boolean>) | undefined;
  readonly listener?: JobListener | undefined;
  /** `outcome` is `ok`, `failed`, or the reason of a refusal or loss. */
  readonly onEnd: (outcome: string) => void;
}): { readonly call: PoolCall; readonly result: Promise<unknown> } {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const endsAt = performance.now() + timeoutMs;
  const leftMs = (): number => endsAt - performance.now();
  // No function below may capture the job: a call that has ended is still referenced for a while, and the job may be
  // large.
  const { json, bytes } = job instanceof JsonWithBytes ? job : { json: job, bytes: undefined };
  // The job's frame, released once it is sent.
  let frame: ReturnType<typeof encodeParts> | undefined = callFrame(id, json);
  let before = bytes === undefined ? [] : encodeBytes(id, bytes);
  const size = [...frame, ...before].reduce((sum, { length }) => sum + length, 0);
  let asked = onAsk;
  const messages = new CallMessages(listener);
  let questions = 0;
  let wasStarted = false;
  let isEnded = false;
  const end = (outcome: string, settle: () => void): void => {
    if (isEnded) return;
    isEnded = true;
    frame = undefined;
    before = [];
    asked = undefined;
    messages.end();
    onEnd(outcome);
    settle();
  };
  const call: PoolCall = {
    id,
    account,
    group,
    bytes: size,
    cpuMs,
    excessCounts,
    mask,
    start() {
      if (frame === undefined) throw new Error('A call starts once.');
      setArgument(frame[0], Math.max(1, Math.ceil(leftMs())));
      const sent = [...before, ...frame];
      frame = undefined;
      before = [];
      wasStarted = true;
      return sent;
    },
    succeed: (result) => end('ok', () => resolve(result)),
    fail: (error) => end(error instanceof PoolRefusalError ? error.reason : 'failed', () => reject(error)),
    lose: (reason) => end(reason, () => reject(new WorkerLostError(reason, wasStarted))),
    isEnded: () => isEnded,
    leftMs,
    mayAsk: () => (questions += 1) <= MAX_QUESTIONS,
    ask: () => (asked?.() ?? Promise.resolve(false)).catch(() => false),
    messages,
  };
  return { call, result: promise };
}

/** The job's own frame; its first part is the header. */
function callFrame(id: number, json: unknown): ReturnType<typeof encodeParts> {
  const pieces = jsonPieces(json);
  return typeof pieces === 'string'
    ? [encodeFrame(FRAME.call, id, pieces)]
    : encodeParts(FRAME.call, id, pieces);
}
