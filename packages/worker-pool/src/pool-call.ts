import type { CallGroup } from './call-groups.ts';
import { PoolRefusalError, WorkerLostError } from './errors.ts';
import type { LossReason } from './errors.ts';
import { encodeFrame, FRAME, setArgument } from './frame.ts';

/** One call of a pool, from its admission to its end. */
export interface PoolCall {
  readonly id: number;
  readonly account: string;
  readonly group: CallGroup | undefined;
  /** Of the job. */
  readonly bytes: number;
  /** Processor time that its worker may use for it; undefined: any. */
  readonly cpuMs: number | undefined;
  /** Masks the secrets of the job in a text. */
  mask(text: string): string;
  /** Hands over the job's frame, which holds the time that is left. The call counts as started from here on. */
  start(): Buffer;
  /** Ends the call, once. */
  succeed(result: unknown): void;
  fail(error: Error): void;
  /** Ends the call because its worker did. */
  lose(reason: LossReason): void;
  readonly isEnded: boolean;
}

/** A call whose end settles `result` and runs `onEnd`. */
export function createCall(o: {
  readonly id: number;
  readonly account: string;
  readonly group?: CallGroup | undefined;
  readonly job: unknown;
  readonly timeoutMs: number;
  readonly cpuMs?: number | undefined;
  readonly mask: (text: string) => string;
  /** `outcome` is `ok`, `failed` or the reason of a refusal or loss. */
  readonly onEnd: (outcome: string) => void;
}): { readonly call: PoolCall; readonly result: Promise<unknown> } {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const endsAt = performance.now() + o.timeoutMs;
  // Given up once it is sent.
  let frame: Buffer | undefined = encodeFrame(FRAME.call, o.id, JSON.stringify(o.job));
  let wasStarted = false;
  let isEnded = false;
  const end = (outcome: string, settle: () => void): void => {
    if (isEnded) return;
    isEnded = true;
    frame = undefined;
    o.onEnd(outcome);
    settle();
  };
  const call: PoolCall = {
    id: o.id,
    account: o.account,
    group: o.group,
    bytes: frame.length,
    cpuMs: o.cpuMs,
    mask: o.mask,
    start() {
      if (frame === undefined) throw new Error('A call starts once.');
      const sent = frame;
      frame = undefined;
      wasStarted = true;
      setArgument(sent, Math.max(1, Math.floor(endsAt - performance.now())));
      return sent;
    },
    succeed: (result) => end('ok', () => resolve(result)),
    fail: (error) => end(error instanceof PoolRefusalError ? error.reason : 'failed', () => reject(error)),
    lose: (reason) => end(reason, () => reject(new WorkerLostError(reason, wasStarted))),
    get isEnded() {
      return isEnded;
    },
  };
  return { call, result: promise };
}
