import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { firstPrefixedId } from '@fairlead/service-kit/ids';
import type { Timers } from '@fairlead/service-kit/timers';

export interface AwaitRecordingDeps {
  readonly clock: Clock;
  readonly timers: Timers;
}

/** The pauses between the attempts to find an event, in milliseconds: two and a half seconds in all. */
const PAUSES_MS = [20, 50, 100, 200, 400, 800, 900];
/** How long after its capture an event is recorded at the latest, unless something is broken. */
const RECORDING_MS = 5_000;
/** How far the clocks of two machines may be apart. */
const CLOCK_SKEW_MS = 1_000;

/**
 * Returns the result of `find` for the event with that id. The caller of an inbound address gets the id of an event once it is
 * captured, a moment before it is recorded here. So `find` is repeated for an id of the last seconds before the result is
 * undefined.
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
