/** Bounds how many calls of one key run at once in this process. */
export interface Slots {
  /** Runs `work` as soon as a slot of `key` is free; TIMEOUT, with nothing run, where `signal` aborts first. */
  run<R>(key: string, signal: AbortSignal, work: () => Promise<R>): Promise<R>;
}
