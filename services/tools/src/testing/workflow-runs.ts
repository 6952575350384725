import type { Json, JsonObject } from '@fairlead/connector-model/json';
import type { ToolDefinition } from '@fairlead/connector-model/model';
import type { ToolCall } from '@fairlead/connector-runtime/call';
import { notFound } from '@fairlead/errors/api-error';
import { ManualClock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { parsedMembers } from '@fairlead/service-kit/json/lazy-json';
import { createAccountPermits } from '@fairlead/service-kit/permits/account-permits';
import { WAITING_LIMITS } from '@fairlead/service-kit/permits/permit-queue';
import { createClaims } from '@fairlead/service-kit/sweep/claims';
import { testContext } from '@fairlead/service-kit/testing/context';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { createWorkerExpressions } from '../expressions/worker-expressions.ts';
import { createHistoryIds } from '../domain/history-id.ts';
import { createRunDrain } from '../runs/run-drain.ts';
import { createToolsetRepository } from '../storage/toolset.repository.ts';
import { createWorkflowRepository } from '../storage/workflow.repository.ts';
import { workflowRunCollection } from '../storage/workflow-run.collection.ts';
import { createWorkflowRunRepository, leasedRun } from '../storage/workflow-run.repository.ts';
import type { Workflow, WorkflowStep } from '../domain/workflow.ts';
import { executeCall } from '../use-cases/executions/execute-call.ts';
import type { CallRequest } from '../use-cases/executions/execute-call.ts';
import type { RunPorts } from '../ports/execution-ports.ts';
import type { ExecuteToolRequest } from '../use-cases/executions/execute-tool.ts';
import { workOnRun } from '../use-cases/workflows/work-on-run.ts';
import { evaluationsInPlace } from './evaluations.ts';
import { noFiles } from './files.ts';
import { connectorHead, toolDefinition } from './fixtures.ts';
import { historyStorage } from './history-storage.ts';
import { connection, connectionsOf, maskingInPlace, platformSchemas, toolRequest } from './tool-calls.ts';
import { toolset, withoutToolsets } from './toolsets.ts';

const NOW = new Date('2026-11-22T10:00:00.000Z');
const SECRET = 'the-secret-of-the-connection';
/** Longer than a lease. */
const LEASE_OVER_MS = 60_000;

/** A tool of the vendor that accepts any inputs. */
function tool(toolSlug: string, retryClass: ToolDefinition['retryClass']): ToolDefinition {
  return toolDefinition({ toolSlug, retryClass, inputSchema: { type: 'object' } });
}

const TOOLS = [tool('crm-read', 'readOnly'), tool('crm-put', 'idempotent'), tool('crm-send', 'unsafe')];

/** A step with id `id` that calls `toolSlug`, unless overridden. */
export function step(id: string, toolSlug: string, o: Partial<WorkflowStep> = {}): WorkflowStep {
  return { id, toolSlug, applicationSlug: '', fields: { step: id }, onError: 'stop', ...o };
}

/** Where a replica dies: at the `at`th call of the method, before or after its effect. */
export interface Death {
  readonly at: 'insert' | 'settle' | 'vendor' | `save ${'items' | 'call' | 'itemEnd' | 'stepEnd'}`;
  readonly nth: number;
  readonly when: 'before' | 'after';
}

/** An account with a toolset, its workflows and a vendor; replicas share the database. */
export function workflowWorld(store: MongoStore) {
  const clock = new ManualClock(NOW);
  const ctx = testContext();
  const { accountId } = ctx.caller as { accountId: string };
  const vendorCalls: { readonly tool: string; readonly fields: JsonObject }[] = [];
  let answer: (call: ToolCall & { readonly fields: JsonObject }) => JsonObject | string = ({ fields }) => ({
    got: fields,
  });
  const workflows = createWorkflowRepository(store);
  const toolsets = createToolsetRepository(store);
  const { repository: history } = historyStorage({ store, ids: createHistoryIds(Math.random), clock });
  const claims = createClaims(store, workflowRunCollection, 'due');
  let number = 0;

  /** A simulated process; after its death nothing that it does has an effect. */
  function replica(death?: Death) {
    let count = 0;
    let isDead = false;
    const { promise: died, resolve: die } = Promise.withResolvers<undefined>();
    const never = (): Promise<never> => {
      isDead = true;
      die(undefined);
      return new Promise(() => {});
    };
    const mortal = async <R>(at: Death['at'], act: () => Promise<R>): Promise<R> => {
      if (isDead) return await never();
      const isHere = death?.at === at && (count += 1) === death.nth;
      if (isHere && death.when === 'before') return await never();
      const result = await act();
      return isHere || isDead ? await never() : result;
    };
    const runs = createWorkflowRunRepository({ store, clock });
    const drain = createRunDrain(1_000);
    const permits = createAccountPermits({ perAccount: 10, perPartition: 10, ...WAITING_LIMITS });
    const credential = { version: 1, fields: {}, secrets: [SECRET] };
    const deps: RunPorts = {
      ...withoutToolsets,
      catalog: {
        resolveTool(_ctx, slug) {
          const definition = TOOLS.find(({ toolSlug }) => toolSlug === slug);
          if (definition === undefined) return Promise.reject(notFound('tool'));
          return Promise.resolve([{ applicationSlug: 'crm', isPlatform: true, definition }]);
        },
        getConnector: () => Promise.resolve(connectorHead()),
      },
      connections: connectionsOf(connection(), { kind: 'credential', credential }),
      runtime: {
        execute: (call) =>
          mortal('vendor', () => {
            const fields = parsedMembers(call.fields);
            vendorCalls.push({ tool: call.tool.toolSlug, fields });
            const answered = answer({ ...call, fields });
            return Promise.resolve(
              typeof answered === 'string'
                ? { isSuccess: false, errorMessage: answered, isUnauthorized: false, attempts: 1 }
                : { isSuccess: true, output: answered, attempts: 1 },
            );
          }),
        preview: ({ fields }) => ({ type: 'handler', handler: 'send', fields }),
      },
      history: {
        ...history,
        insert: (...o) => mortal('insert', () => history.insert(...o)),
        begin: (...o) => mortal('insert', () => history.begin(...o)),
        settle: (...o) => mortal('settle', () => history.settle(...o)),
      },
      schemas: platformSchemas(ctx.log),
      outputMasker: maskingInPlace,
      checkPermits: permits,
      permits,
      runPermits: createAccountPermits({ perAccount: 10, perPartition: 10, ...WAITING_LIMITS }),
      clock,
      timeoutMs: 30_000,
      workflows,
      toolsets,
      ...noFiles,
      hourlyCalls: {
        take: () => Promise.resolve({ outcome: 'admitted', giveBack: () => Promise.resolve() }),
      },
      expressions: createWorkerExpressions(evaluationsInPlace()),
      budgets: { takeCall: () => Promise.resolve() },
      runs: {
        ...runs,
        save: (lease, change) =>
          change === undefined && isDead
            ? never()
            : mortal(`save ${change?.kind ?? 'call'}`, () => runs.save(lease, change)),
        finish: (lease) => (isDead ? never() : runs.finish(lease)),
        release: (lease) => (isDead ? never() : runs.release(lease)),
      },
      drain,
      timers: {
        after(_delayMs, run) {
          queueMicrotask(run);
          return { cancel() {} };
        },
      },
      log: ctx.log,
    };
    return { deps, drain, died };
  }

  return {
    ctx,
    clock,
    vendorCalls,
    workflows,
    history,
    replica,
    answers(by: typeof answer): void {
      answer = by;
    },
    /** Stores a workflow in its own toolset; returns a call that runs it. */
    async workflow(
      steps: readonly WorkflowStep[],
      o: Partial<Workflow> & { readonly fields?: JsonObject; readonly output?: Json } = {},
    ): Promise<ExecuteToolRequest> {
      number += 1;
      const { fields = {}, ...members } = o;
      const stored: Workflow = {
        workflowToken: `wf_${accountId}_${number}`,
        name: 'Flow',
        slug: `flow-${number}`,
        description: '',
        inputSchema: { type: 'object' },
        steps,
        output: null,
        revision: 1,
        aliases: [],
        createdAt: NOW,
        updatedAt: NOW,
        ...members,
      };
      await workflows.insert(ctx, accountId, stored);
      const holder = toolset({
        id: crypto.randomUUID(),
        connectionIds: [connection().id],
        workflowTokens: [stored.workflowToken],
      });
      await toolsets.insert(ctx, accountId, holder);
      return toolRequest({ toolSlug: stored.slug, toolsetId: holder.id, fields });
    },
    run: (on: ReturnType<typeof replica>, request: CallRequest, by: RequestContext = ctx) =>
      executeCall(on.deps, by, request),
    /** Takes over a replica's abandoned runs once their leases have expired; undefined if there is none. */
    async takeOver(on: ReturnType<typeof replica>, { isExpired = true } = {}) {
      if (isExpired) clock.advance(LEASE_OVER_MS);
      const until = new Date(clock.now().getTime() + LEASE_OVER_MS);
      const [claimed] = await claims.claim(accountId, { now: clock.now(), until, limit: 1 });
      if (claimed === undefined) return undefined;
      return await workOnRun(on.deps, leasedRun(claimed), { inputSecrets: [], isResumed: true });
    },
    /** The stored runs, as text. */
    async storedRuns(): Promise<string> {
      return JSON.stringify(await store.collection(workflowRunCollection).find({ accountId }).toArray());
    },
    /** The rows of the history, oldest first. */
    async rows() {
      const page = { offset: 0, top: 100 };
      const { items } = await history.list(ctx, accountId, { filter: { from: new Date(0) }, page });
      return items.toReversed();
    },
  };
}
