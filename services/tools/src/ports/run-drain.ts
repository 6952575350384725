/** The runs of this process; when it stops, they end at the next call that has not begun. */
export interface RunDrain {
  /** Whether the process stops: no call may begin. */
  readonly isStopping: boolean;
  /** Counts a run as under way until it ends. */
  track<R>(run: Promise<R>): Promise<R>;
}
