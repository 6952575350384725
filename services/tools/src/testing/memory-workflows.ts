import { systemClock } from '@fairlead/service-kit/clock';
import { userOf } from '@fairlead/service-kit/context/context';
import { parsedMembers } from '@fairlead/service-kit/json/lazy-json';
import { onePermit } from '@fairlead/service-kit/testing/permits';
import { testContext } from '@fairlead/service-kit/testing/context';
import { systemTimers } from '@fairlead/service-kit/timers';
import { createWorkerExpressions } from '../expressions/worker-expressions.ts';
import { FROM_REST } from '../domain/call-origin.ts';
import type { RunChange, RunHead } from '../domain/workflow-run.ts';
import type { Workflow, WorkflowStep } from '../domain/workflow.ts';
import type { WorkflowRuns } from '../ports/workflow-runs.ts';
import { createRunDrain } from '../runs/run-drain.ts';
import type { RunPorts } from '../ports/execution-ports.ts';
import type { ActiveRun } from '../use-cases/workflows/run-steps.ts';
import { evaluationsInPlace } from './evaluations.ts';
import { noFiles } from './files.ts';
import { connectorHead, toolDefinition } from './fixtures.ts';
import {
  catalogOf,
  connection,
  connectionsOf,
  maskingInPlace,
  MemoryHistory,
  platformSchemas,
} from './tool-calls.ts';
import { toolset, withoutToolsets } from './toolsets.ts';

const NOON = new Date('2026-11-22T12:00:00.000Z');

/** A secret of the test connection. */
export const CONNECTION_SECRET = 'secret-of-the-connection';

/** A step with the tool of fixtures.ts and its required input, unless overridden. */
export function workflowStep(id: string, o: Partial<WorkflowStep> = {}): WorkflowStep {
  const { toolSlug } = toolDefinition();
  return { id, toolSlug, applicationSlug: '', fields: { name: id }, onError: 'stop', ...o };
}

/** A workflow of one step, unless overridden. */
export function workflow(o: Partial<Workflow> = {}): Workflow {
  return {
    workflowToken: 'wf_1',
    name: 'Flow',
    slug: 'flow',
    description: '',
    inputSchema: { type: 'object' },
    steps: [workflowStep('one')],
    output: null,
    revision: 3,
    aliases: [],
    createdAt: NOON,
    updatedAt: NOON,
    ...o,
  };
}

/** Runs in memory; `isLost`: another process has taken the run over. */
export class MemoryRuns implements WorkflowRuns {
  readonly changes: (RunChange | undefined)[] = [];
  readonly ended: ('finished' | 'released')[] = [];
  isLost = false;

  insert: WorkflowRuns['insert'] = ({ accountId, runId }) =>
    Promise.resolve({ accountId, runId, token: 'token' });

  save: WorkflowRuns['save'] = (_lease, change) => {
    if (!this.isLost) this.changes.push(change);
    return Promise.resolve(!this.isLost);
  };

  finish: WorkflowRuns['finish'] = () => {
    this.ended.push('finished');
    return Promise.resolve();
  };

  release: WorkflowRuns['release'] = () => {
    this.ended.push('released');
    return Promise.resolve();
  };
}

/** An account with one toolset that contains `held`, and a vendor that returns its inputs. */
export function workflowDeps(held: Workflow = workflow()) {
  const ctx = testContext();
  const runs = new MemoryRuns();
  const history = new MemoryHistory();
  const vendorCalls: unknown[] = [];
  const holder = toolset({ workflowTokens: [held.workflowToken] });
  const credential = { version: 1, fields: {}, secrets: [CONNECTION_SECRET] };
  const drain = createRunDrain(1_000);
  const deps = {
    ...withoutToolsets,
    catalog: catalogOf(toolDefinition(), connectorHead()),
    connections: connectionsOf(connection(), { kind: 'credential', credential }),
    toolsets: { find: () => Promise.resolve(holder) },
    workflows: {
      find: (_ctx: unknown, _accountId: string, token: string) =>
        Promise.resolve(token === held.workflowToken ? held : undefined),
      findBySlug: (_ctx: unknown, _accountId: string, slug: string) =>
        Promise.resolve(slug === held.slug ? held : undefined),
    },
    ...noFiles,
    hourlyCalls: { take: () => Promise.resolve({ outcome: 'admitted', giveBack: () => Promise.resolve() }) },
    runtime: {
      execute(call) {
        const fields = parsedMembers(call.fields);
        vendorCalls.push(fields);
        return Promise.resolve({ isSuccess: true, output: { got: fields }, attempts: 1 });
      },
      preview: ({ fields }) => ({ type: 'handler', handler: 'list', fields }),
    },
    history,
    schemas: platformSchemas(ctx.log),
    outputMasker: maskingInPlace,
    checkPermits: onePermit(),
    permits: onePermit(),
    runPermits: onePermit(),
    clock: systemClock,
    timeoutMs: 30_000,
    budgets: { takeCall: () => Promise.resolve() },
    expressions: createWorkerExpressions(evaluationsInPlace()),
    runs,
    drain,
    timers: systemTimers,
    log: ctx.log,
  } satisfies RunPorts;
  const head: RunHead = {
    runId: 'run',
    historyId: 1,
    accountId: userOf(ctx).accountId,
    caller: userOf(ctx),
    origin: FROM_REST,
    requestId: ctx.requestId,
    toolsetId: holder.id,
    workflow: held,
    input: { who: 'Ada' },
    maskedInput: { who: 'Ada' },
    hasSecretInput: false,
    startedAt: systemClock.now(),
  };
  const lease = { accountId: head.accountId, runId: head.runId, token: 'token' };
  const run: ActiveRun = { head, lease, ctx, secrets: { known: [], missing: new Set() } };
  return { ctx, deps, runs, history, vendorCalls, drain, toolset: holder, head, lease, run };
}
