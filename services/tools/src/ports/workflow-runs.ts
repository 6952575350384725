import type { Claims } from '@fairlead/service-kit/sweep/claims';
import type { RunChange, RunHead, RunProgress } from '../domain/workflow-run.ts';

/** The right to work on one run, which one process has at a time. */
export interface RunLease {
  readonly accountId: string;
  readonly runId: string;
  readonly token: string;
}

/** A run that another process left, or that was released. */
export interface LeasedRun {
  readonly lease: RunLease;
  readonly head: RunHead;
  readonly progress: RunProgress;
}

/** A run that its process has left; `head` and the other members are the storage's own. */
export interface DueRun {
  readonly _id: string;
  readonly accountId: string;
}

/** The runs whose leases have expired; their partitions are the accounts. */
export type DueRuns<T extends DueRun> = Claims<T>;

/** The runs that are under way. */
export interface WorkflowRuns {
  /** Stores a run that has just begun, and leases it. */
  insert(head: RunHead): Promise<RunLease>;
  /** Writes a change, or nothing but that the holder is alive, and renews the lease. False, with nothing written: it is lost. */
  save(lease: RunLease, change: RunChange | undefined): Promise<boolean>;
  /** Removes a run that has ended. */
  finish(lease: RunLease): Promise<void>;
  /** Ends the lease, so that another process takes the run over at once. */
  release(lease: RunLease): Promise<void>;
}
