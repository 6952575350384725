/** A job sent to a thread. */
export interface ThreadRequest {
  readonly id: number;
  readonly job: unknown;
}

/** A thread's answer to a job, or the failure. */
export type ThreadReply =
  | { readonly id: number; readonly answer: unknown; readonly cpuMs: number }
  | { readonly id: number; readonly failure: unknown };
