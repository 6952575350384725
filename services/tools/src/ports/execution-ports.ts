import type { Clock } from '@fairlead/service-kit/clock';
import type { AccountPermits } from '@fairlead/service-kit/permits/account-permits';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { Timers } from '@fairlead/service-kit/timers';
import type { ApprovalStore } from './approvals.ts';
import type { Budgets } from './budgets.ts';
import type { CallFingerprints } from './call-fingerprints.ts';
import type { Callers } from './callers.ts';
import type { Catalog } from './catalog.ts';
import type { Connections } from './connections.ts';
import type { Expressions } from './expressions.ts';
import type { FileFetcher, Files, FileUrls } from './files.ts';
import type { History } from './history.ts';
import type { HourlyCalls } from './hourly-calls.ts';
import type { OutputMasker } from './output-masker.ts';
import type { RunDrain } from './run-drain.ts';
import type { Runtime } from './runtime.ts';
import type { SchemaValidator } from './schema-validator.ts';
import type { ToolsetStore } from './toolset-store.ts';
import type { VendorLimits } from './vendor-limits.ts';
import type { WorkflowRuns } from './workflow-runs.ts';
import type { WorkflowStore } from './workflow-store.ts';

/** The ports needed to execute a tool. */
export interface ExecutionPorts {
  readonly catalog: Catalog;
  readonly connections: Connections;
  readonly toolsets: Pick<ToolsetStore, 'find'>;
  readonly callers: Callers;
  readonly approvals: Pick<ApprovalStore, 'find' | 'findOfCall' | 'open' | 'claim' | 'remove' | 'release'>;
  readonly fingerprints: CallFingerprints;
  readonly hourlyCalls: HourlyCalls;
  readonly files: Omit<Files, 'remove' | 'publish'>;
  readonly urls: FileUrls;
  readonly fileFetcher: FileFetcher;
  readonly schemas: SchemaValidator;
  readonly runtime: Runtime;
  readonly vendorLimits: VendorLimits;
  readonly outputMasker: OutputMasker;
  readonly history: Pick<History, 'insert' | 'begin' | 'settle' | 'remove'>;
  /** Permits for checks before a call: many calls of one account must not delay the checks of others. */
  readonly checkPermits: Pick<AccountPermits, 'run'>;
  /** Permits for calls; partitions are connections, which are held while their vendor limits them. */
  readonly permits: Pick<AccountPermits, 'run'>;
  /** Permits instead of `permits` for calls with file inputs, whose files are in memory until the vendor has answered. */
  readonly filePermits: Pick<AccountPermits, 'run'>;
  readonly clock: Clock;
  /** Longest duration of a call, including the wait for a permit. */
  readonly timeoutMs: number;
}

/** The ports needed to run a workflow, whose steps execute tools. */
export interface RunPorts extends ExecutionPorts {
  readonly files: Omit<Files, 'remove'>;
  readonly workflows: Pick<WorkflowStore, 'find' | 'findBySlug'>;
  readonly runs: WorkflowRuns;
  /** Permits for runs: each keeps its steps' answers. */
  readonly runPermits: Pick<AccountPermits, 'run'>;
  readonly expressions: Pick<Expressions, 'evaluate'>;
  readonly budgets: Budgets;
  readonly drain: RunDrain;
  readonly timers: Timers;
  readonly log: Logger;
}
