import type { DueState } from '../sweep/claims.ts';
import { dueIndex, dueTimeIndex } from '../sweep/claims.ts';
import { defineCollection } from '../mongo/collection.ts';
import type { Timers } from '../timers.ts';
import { systemTimers } from '../timers.ts';

/** A document for a sweep: each run adds its runner's name. */
export interface JobDocument {
  readonly _id: number;
  readonly runs: readonly string[];
  readonly work: { readonly due: DueState | null };
}

/** The collection of jobs. */
export const DUE_PATH = 'work.due';

/** The jobs of tests. */
export const jobCollection = defineCollection<JobDocument>({
  name: 'jobs',
  indexes: [dueIndex(DUE_PATH), dueTimeIndex(DUE_PATH)],
});

/** A job that is due. */
export function job(_id: number, partition: string, at: Date): JobDocument {
  return { _id, runs: [], work: { due: { lane: partition, at, claim: null } } };
}

/** Timers that run a hundred times as fast, so a sweep looks for due documents every few milliseconds. */
export const fastTimers: Timers = {
  after: (delayMs, run) => systemTimers.after(delayMs / 100, run),
};
