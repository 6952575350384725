/** A job on its way to a thread. */
export interface ThreadRequest {
  readonly id: number;
  readonly job: unknown;
}

/** What a thread made of a job. */
export type ThreadReply =
  | { readonly id: number; readonly answer: unknown; readonly cpuMs: number }
  | { readonly id: number; readonly failure: unknown };
