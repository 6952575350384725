/** The runs of this process. When it stops, they end before their next call. */
export interface RunDrain {
  /** Whether the process is stopping, so that no call may begin. */
  readonly isStopping: boolean;
  /** Counts a run as in progress until `work` ends. */
  track<R>(run: Promise<R>): Promise<R>;
}
