import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { firstPrefixedId } from '@fairlead/service-kit/ids';
import type { Timers } from '@fairlead/service-kit/timers';

export interface AwaitRecordingDeps {
  readonly clock: Clock;
  readonly timers: Timers;
}

/** Pauses between attempts to find an event, in milliseconds: two and a half seconds in total. */
const PAUSES_MS = [20, 50, 100, 200, 400, 800, 900];
/** Longest time from capture to recording, unless something is broken. */
const RECORDING_MS = 5_000;
/** Maximum clock skew between two machines. */
const CLOCK_SKEW_MS = 1_000;

/**
 * Returns the result of `find` for the event with that id. An inbound caller gets an event's id when it is captured, a moment before it is
 * recorded here. So for an id of the last few seconds `find` is repeated before the result is undefined.
 */
export async function awaitRecording<R>(
  { clock, timers }: AwaitRecordingDeps,
  { signal }: Pick<RequestContext, 'signal'>,
  id: string,
  find: () => Promise<R | undefined>,
): Promise<R | undefined> {
  let found = await find();
  for (const pauseMs of PAUSES_MS) {
    if (found !== undefined || signal.aborted || !mayBeUnrecorded(id, clock.now())) break;
    const { promise, resolve } = Promise.withResolvers<void>();
    timers.after(pauseMs, resolve);
    await promise;
    found = await find();
  }
  return found;
}

function mayBeUnrecorded(id: string, now: Date): boolean {
  const from = new Date(now.getTime() - RECORDING_MS);
  const to = new Date(now.getTime() + CLOCK_SKEW_MS);
  return id >= firstPrefixedId('te', from) && id < firstPrefixedId('te', to);
}
