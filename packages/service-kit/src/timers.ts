/** Runs functions later; tests run them in virtual time. */
export interface Timers {
  after(delayMs: number, run: () => void): { cancel(): void };
}

/** The timers of the process, which do not keep it alive. */
export const systemTimers: Timers = {
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs).unref();
    return { cancel: () => clearTimeout(timer) };
  },
};
