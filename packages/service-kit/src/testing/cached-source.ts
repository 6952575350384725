import { createChangeCaches } from '../cache/change-cache.ts';
import type { ChangeCacheOptions } from '../cache/change-cache.ts';
import type { AnnouncedChange, OnChange } from '../cache/change-tracker.ts';
import { VirtualTime } from './virtual-time.ts';

/** The answer of a source. */
export interface SourceValue {
  readonly scope: string | undefined;
  readonly text: string;
}

/** The first answer of the source. */
const FOUND: SourceValue = { scope: 'a', text: 'old' };

/** The result of a call: a value's text or the error, and the caller's waiting time. */
interface Outcome {
  readonly got: string;
  readonly afterMs: number;
}

/**
 * Caches in virtual time whose values can stand in for ten minutes, and their source, which first returns the text
 * `old` in the scope `a`.
 */
export function openCachedSource(o: Partial<ChangeCacheOptions> = {}) {
  const time = new VirtualTime(0);
  let session: number | undefined = 1;
  let change: OnChange = () => undefined;
  const source: { answer: SourceValue | Error; latencyMs: number; loads: number } = {
    answer: FOUND,
    latencyMs: 0,
    loads: 0,
  };
  const load = async (): Promise<SourceValue> => {
    const { answer, latencyMs } = source;
    source.loads += 1;
    if (latencyMs > 0) await time.delay(latencyMs);
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const caches = createChangeCaches({
    clock: time,
    timers: time.timers(() => true),
    freshMs: 30_000,
    uncertainMs: 2_000,
    announcedMs: 30_000,
    awayMs: 600_000,
    patienceMs: 250,
    maxEntries: 100,
    subscribe: (onChange) => {
      change = onChange;
      return { session: () => session };
    },
    ...o,
  });
  const pass = (ms: number): Promise<void> => time.runUntil(time.nowMs + ms);
  const open = () => {
    const cache = caches.open<SourceValue>(({ scope }) => scope);
    const ask = (key = 'key'): Promise<Outcome> => {
      const start = time.nowMs;
      const outcome = (got: string): Outcome => ({ got, afterMs: time.nowMs - start });
      return cache.get(key, load).then(
        ({ text }) => outcome(text),
        (error: unknown) => outcome(String(error)),
      );
    };
    /** Lets virtual time pass until the call settles. */
    const call = async (key?: string): Promise<Outcome> => {
      let outcome: Outcome | undefined;
      void ask(key).then((it) => (outcome = it));
      for (;;) {
        await new Promise(setImmediate);
        if (outcome !== undefined) return outcome;
        await pass(1);
      }
    };
    return { ask, call };
  };
  return {
    ...open(),
    open,
    pass,
    source,
    change: (scope: string | undefined, announced?: AnnouncedChange) => change(scope, announced),
    setSession: (next: number | undefined) => (session = next),
    /** Sets the source's responses from now on. */
    answerWith: (answer: SourceValue | Error, latencyMs = 0) =>
      Object.assign(source, { answer, latencyMs, loads: 0 }),
  };
}

/** Caches whose value was requested at 0 and is no longer fresh. */
export async function openStaleSource(o: Partial<ChangeCacheOptions> = {}) {
  const opened = openCachedSource(o);
  await opened.call();
  await opened.pass(30_000);
  return opened;
}
