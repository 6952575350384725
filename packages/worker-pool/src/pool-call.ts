import { CallMessages } from './call-messages.ts';
import type { JobListener } from './call-messages.ts';
import { PoolRefusalError, WorkerLostError } from './errors.ts';
import type { LossReason } from './errors.ts';
import { encodeBytes, encodeFrame, encodeParts, FRAME, setArgument } from './frame.ts';
import { JsonWithBytes } from './json-with-bytes.ts';
import { jsonPieces } from '@fairlead/service-kit/json/lazy-json';
import type { CallGroup } from './call-group.ts';

/** One call of a pool, from its admission to its end. */
export interface PoolCall {
  readonly id: number;
  readonly account: string;
  readonly group: CallGroup | undefined;
  /** Size of the job. */
  readonly bytes: number;
  /** Processor time that its worker may use for the call; undefined: any. */
  readonly cpuMs: number | undefined;
  /** Whether a worker that it ends by its use of processor or memory counts toward the quarantine of the account. */
  readonly excessCounts: boolean;
  /** Masks the secrets of the job in a text. */
  mask(text: string): string;
  /** Hands over the job's frames. The call counts as started from here on. */
  start(): readonly Uint8Array[];
  /** Ends the call, once. */
  succeed(result: unknown): void;
  fail(error: Error): void;
  /** Ends the call because its worker did. */
  lose(reason: LossReason): void;
  isEnded(): boolean;
  /** Whether its worker may ask once more; counts the question. */
  mayAsk(): boolean;
  /** Whether the job may go on, as its caller says. Never rejects. */
  ask(): Promise<boolean>;
  /** The messages that its job sends to its caller. */
  readonly messages: CallMessages;
}

/** A session that turns out to be dead has its call ask again. */
const MAX_QUESTIONS = 10;

/** A call whose end settles `result` and runs `onEnd`. */
export function createCall({
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
  /** `outcome` is `ok`, `failed` or the reason of a refusal or loss. */
  readonly onEnd: (outcome: string) => void;
}): { readonly call: PoolCall; readonly result: Promise<unknown> } {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const endsAt = performance.now() + timeoutMs;
  // No function below may refer to the job: a call that has ended is still known for a while, and the job may be large.
  const { json, bytes } = job instanceof JsonWithBytes ? job : { json: job, bytes: undefined };
  // Given up once they are sent.
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
      setArgument(frame[0], Math.max(1, Math.floor(endsAt - performance.now())));
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
    mayAsk: () => (questions += 1) <= MAX_QUESTIONS,
    ask: () => (asked?.() ?? Promise.resolve(false)).catch(() => false),
    messages,
  };
  return { call, result: promise };
}

/** The job's own frame; the first part is its header. */
function callFrame(id: number, json: unknown): ReturnType<typeof encodeParts> {
  const pieces = jsonPieces(json);
  return typeof pieces === 'string'
    ? [encodeFrame(FRAME.call, id, pieces)]
    : encodeParts(FRAME.call, id, pieces);
}
