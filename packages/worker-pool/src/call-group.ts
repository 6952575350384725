/** Calls of an account that share a worker, because it keeps state for them, such as sessions. */
export interface CallGroup {
  /** Name, unique within the account. */
  readonly name: string;
  /**
   * Maximum simultaneous calls of the group. All are at one worker, except while a former worker finishes its last
   * calls. Undefined: no maximum; calls for which the worker has no room go to another one.
   */
  readonly limit: number | undefined;
}
