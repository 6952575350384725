import type { Claims } from '@fairlead/service-kit/sweep/claims';
import type { RunChange, RunHead, RunProgress } from '../domain/workflow-run.ts';

/** A lease on one run: one process works on it at a time. */
export interface RunLease {
  readonly accountId: string;
  readonly runId: string;
  readonly token: string;
}

/** A run that another process abandoned or released. */
export interface LeasedRun {
  readonly lease: RunLease;
  readonly head: RunHead;
  readonly progress: RunProgress;
}

/** An abandoned run; `head` and the other members belong to the storage. */
export interface DueRun {
  readonly _id: string;
  readonly accountId: string;
}

/** Runs with expired leases; partitions are accounts. */
export type DueRuns<T extends DueRun> = Claims<T>;

/** Stores runs in progress. */
export interface WorkflowRuns {
  /** Stores a new run, and leases it. */
  insert(head: RunHead): Promise<RunLease>;
  /** Writes a change, or only a heartbeat, and renews the lease. False, with nothing written: the lease is lost. */
  save(lease: RunLease, change: RunChange | undefined): Promise<boolean>;
  /** Removes an ended run. */
  finish(lease: RunLease): Promise<void>;
  /** Releases the lease, so that another process takes the run over at once. */
  release(lease: RunLease): Promise<void>;
}
