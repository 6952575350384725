/** Runs something later; a model runs it in its own time. */
export interface Timers {
  after(delayMs: number, run: () => void): { cancel(): void };
}

/** The timers of the process; none keeps it alive. */
export const systemTimers: Timers = {
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs).unref();
    return { cancel: () => clearTimeout(timer) };
  },
};
