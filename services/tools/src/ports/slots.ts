/** Limits how many calls with one key run at once in this process. */
export interface Slots {
  /** Runs `work` as soon as a slot of `key` is free; TIMEOUT, without running it, if `signal` aborts first. */
  run<R>(key: string, signal: AbortSignal, work: () => Promise<R>): Promise<R>;
}
