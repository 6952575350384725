/** Calls of an account that go to one worker, because it keeps something for them. */
export interface CallGroup {
  /** Within the account. */
  readonly name: string;
  /**
   * Calls of the group at once; the group is never at two workers then, except while the former one finishes its last
   * calls. Undefined: any number; those that the worker has no room for go to another one.
   */
  readonly limit: number | undefined;
}
