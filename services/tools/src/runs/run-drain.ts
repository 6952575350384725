import type { RunDrain } from '../ports/run-drain.ts';

/** A {@link RunDrain}; closing it stops the runs and waits for them, at most `graceMs`. */
export function createRunDrain(graceMs: number): RunDrain & { close(): Promise<void> } {
  const underWay = new Set<Promise<unknown>>();
  let isStopping = false;
  return {
    get isStopping() {
      return isStopping;
    },
    track(run) {
      const ended = run.then(
        () => undefined,
        () => undefined,
      );
      underWay.add(ended);
      void ended.then(() => underWay.delete(ended));
      return run;
    },
    async close() {
      isStopping = true;
      const { promise: grace, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, graceMs);
      await Promise.race([Promise.all(underWay), grace]);
      clearTimeout(timer);
    },
  };
}
