import type { JsonObject } from '@fairlead/connector-model/json';
import { ApiError, validationError } from '@fairlead/errors/api-error';
import { accountOf, clientOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { guid } from '@fairlead/service-kit/ids';
import { jsonBytes, parsedMembers } from '@fairlead/service-kit/json/lazy-json';
import type { LazyObject } from '@fairlead/service-kit/json/lazy-json';
import { UNSETTLED_OUTCOME } from '../../domain/execution.ts';
import type { ExecutionResult } from '../../domain/execution.ts';
import type { RunPorts } from '../../ports/execution-ports.ts';
import { CallChanged } from '../../domain/call-changed.ts';
import { fileInputsOf, withoutContents, withPlainFiles } from '../../domain/file-input.ts';
import { historyRecord } from '../../domain/history-record.ts';
import { maskSecretFields } from '@fairlead/connector-runtime/secret-fields/secret-fields';
import { createMasker } from '@fairlead/connector-runtime/value-masking';
import type { ValueMasker } from '@fairlead/connector-runtime/value-masking';
import { maskEverything } from '../../domain/masking.ts';
import { ownInputs } from '../../domain/own-inputs.ts';
import type { Approval } from '../../domain/approval.ts';
import type { Toolset } from '../../domain/toolset.ts';
import { NEW_PROGRESS, RUN_LIMITS, runInfo, RunLeftError } from '../../domain/workflow-run.ts';
import type { RunHead } from '../../domain/workflow-run.ts';
import { namesOfWorkflow, WORKFLOW_APPLICATION } from '../../domain/workflow.ts';
import type { Workflow } from '../../domain/workflow.ts';
import { projectOutcome } from '../../domain/output-fields.ts';
import { withFixedFields } from '../../domain/policy.ts';
import { requireFixedFields } from '../../domain/toolset-scope.ts';
import { admitCall } from '../executions/admit-call.ts';
import type { UndoAdmission } from '../executions/admit-call.ts';
import { bindWorkflow } from './bind-workflow.ts';
import type { BoundWorkflow } from './bind-workflow.ts';
import { checkInputs } from '../executions/check-inputs.ts';
import type { Inputs } from '../../domain/query.ts';
import { collectSecrets } from './collect-secrets.ts';
import type { ExecuteToolRequest } from '../executions/execute-tool.ts';
import { findApproval } from '../approvals/find-approval.ts';
import { findCandidates } from '../executions/find-candidates.ts';
import { findFileInputs } from '../files/find-file-inputs.ts';
import { previewWorkflow } from './preview-workflow.ts';
import { publishHeldFiles } from '../files/publish-held-files.ts';
import { requireCurrentToolset } from '../toolsets/require-current-toolset.ts';
import { workOnRun } from './work-on-run.ts';

/** Time limit for checking inputs, and for waiting for a permit. */
const CHECK_MS = 10_000;
const PERMIT_MS = 20_000;
/** Time limit for fetching all files of a workflow for its approval. */
const FETCH_MS = 10_000;
/** Part of the caller's time that is reserved for the response. */
const RESPONSE_MS = 500;

/** A workflow, and the toolset to which the call is restricted; undefined: none. */
export interface WorkflowInToolset {
  readonly workflow: Workflow;
  readonly toolset: Toolset | undefined;
}

interface ConfinedWorkflow extends WorkflowInToolset {
  readonly toolset: Toolset;
}

/** The checked inputs of a workflow; steps may read every part. */
interface WorkflowInputs extends Inputs {
  readonly fields: JsonObject;
}

/**
 * Runs a workflow as a tool. Refusals happen before anything is executed, and leave no row; CallChanged if toolset or workflow change
 * before the run begins. The run continues if its caller leaves or times out; the row has the outcome. Once the run has a row, every
 * rejection is TIMEOUT and names that row: a retryable error would start a second run beside the first.
 */
export async function runWorkflow(
  ports: RunPorts,
  ctx: RequestContext,
  { workflow, toolset }: WorkflowInToolset,
  request: ExecuteToolRequest,
): Promise<ExecutionResult> {
  const caller = clientOf(ctx);
  const { accountId } = caller;
  if (request.connectionId !== undefined)
    throw validationError({ field: 'connectionId', issue: 'must be left out: a workflow has no connection' });
  if (ports.drain.isStopping)
    throw new ApiError('UNAVAILABLE', 'This replica stops. Nothing was executed; try again.');
  const approval = await findApproval(ports, ctx, request.approvalId);
  const inputs = await checkedInputs(ports, ctx, { workflow, toolset }, request);
  const input = inputs.fields;
  const flagged = maskSecretFields(workflow.inputSchema, input);
  const head: Omit<RunHead, 'historyId'> = {
    runId: guid(),
    accountId,
    caller,
    origin: request.origin,
    requestId: ctx.requestId,
    ...(toolset !== undefined && { toolsetId: toolset.id }),
    ...(request.endUserId !== undefined && { endUserId: request.endUserId }),
    workflow,
    input,
    maskedInput: flagged.masked,
    hasSecretInput: flagged.masked !== input,
    startedAt: ports.clock.now(),
  };
  if (request.dryRun) return await previewWorkflow(ports, ctx, head, flagged.secrets);
  let historyId: number | undefined;
  const finished = ports.runPermits.run(
    { accountId, partition: '', signal: ctx.signal, waitMs: PERMIT_MS, heldBytes: () => sizeOf(input) },
    async (hasWaited) => {
      if (hasWaited) await ports.callers.requireCurrent(ctx);
      const {
        undo,
        input: admitted,
        approvedTools,
      } = await admitRun(ports, ctx, { workflow, toolset }, request, {
        inputs,
        secrets: flagged.secrets,
        approval,
      });
      const info = runInfo(head, 0, ports.clock.now());
      const row = { fields: flagged.masked, outcome: UNSETTLED_OUTCOME, info, outputMismatch: [] };
      // The used connections, and therefore further secrets in the inputs, are known only at its end.
      const record = historyRecord(row, maskEverything);
      historyId = await ports.history.insert(ctx, accountId, record, false).catch(async (error: unknown) => {
        await undo();
        throw error;
      });
      const { masked: maskedInput } = maskSecretFields(workflow.inputSchema, admitted);
      const startedRun = {
        ...head,
        input: admitted,
        maskedInput,
        approvedTools,
        startedAt: ports.clock.now(),
        historyId,
      };
      const lease = await ports.runs.insert(startedRun);
      const run = { lease, head: startedRun, progress: NEW_PROGRESS };
      const { canaries } = ctx;
      return await workOnRun(ports, run, { inputSecrets: flagged.secrets, isResumed: false, canaries });
    },
  );
  const result = await whileCallerWaits(ports, ctx, ports.drain.track(finished), () => historyId);
  return { ...result, outcome: projectOutcome(result.outcome, request.outputFields) };
}

/**
 * Admits a run under its toolset's current policy; its input then names the contents stored for its approval. CallChanged as for
 * requireCurrentWorkflow.
 */
async function admitRun(
  ports: RunPorts,
  ctx: RequestContext,
  { workflow, toolset }: WorkflowInToolset,
  { endUserId, origin }: ExecuteToolRequest,
  o: {
    readonly inputs: WorkflowInputs;
    readonly secrets: readonly string[];
    readonly approval: Approval | undefined;
  },
): Promise<Pick<RunHead, 'input' | 'approvedTools'> & { readonly undo: UndoAdmission }> {
  const { fields } = o.inputs;
  if (toolset === undefined) {
    await requireCurrentWorkflow(ports, ctx, { workflow, toolset });
    return { undo: () => Promise.resolve(), input: fields };
  }
  const accountId = accountOf(ctx);
  const { inputSchema } = workflow;
  const bounds: BoundWorkflow[] = [];
  const admit = async () => {
    await requireCurrentWorkflow(ports, ctx, { workflow, toolset });
    const until = Date.now() + FETCH_MS;
    return await admitCall(ports, ctx, {
      origin,
      // Not counted: the calls of its steps are.
      toolset: { ...toolset, policy: toolset.policy && { ...toolset.policy, callsPerHour: null } },
      applicationSlug: WORKFLOW_APPLICATION,
      ...namesOfWorkflow(workflow),
      toolVersion: versionOf(workflow),
      connectionId: null,
      bound: async () => {
        const bound = await bindWorkflow(ports, ctx, { workflow, toolset });
        bounds.push(bound);
        return bound;
      },
      endUserId: endUserId ?? null,
      inputs: o.inputs,
      inputSchema,
      leftMs: () => Math.max(1, until - Date.now()),
      shownFields: () =>
        maskSecretFields(inputSchema, parsedMembers(withoutContents(inputSchema, fields))).masked,
      masker: () => maskerOf(ports, ctx, { workflow, toolset }, endUserId, o.secrets),
      approval: o.approval,
    });
  };
  const readsFiles = fileInputsOf(inputSchema, fields).some(({ source }) => source.kind !== 'inline');
  const place = { accountId, partition: '', signal: ctx.signal, waitMs: PERMIT_MS, heldBytes: () => 0 };
  const { undo, approval } = await (readsFiles ? ports.filePermits.run(place, admit) : admit());
  try {
    if (approval === undefined) return { undo, input: fields };
    const approvedTools = bounds.at(-1)?.stepTools;
    return { undo, approvedTools, input: await publishHeldFiles(ports, ctx, approval, fields) };
  } catch (error) {
    await undo();
    throw error;
  }
}

/** With the token, because a workflow that was recreated with the same slug has the same revisions. */
function versionOf({ workflowToken, revision }: Workflow): string {
  return `${workflowToken}@${revision}`;
}

/** NOT_FOUND if its toolset is gone, CallChanged if toolset or workflow changed, or the workflow is gone. */
async function requireCurrentWorkflow(
  ports: RunPorts,
  ctx: RequestContext,
  { workflow, toolset }: WorkflowInToolset,
): Promise<void> {
  if (toolset !== undefined) await requireCurrentToolset(ports, ctx, toolset);
  const present = await ports.workflows.findBySlug(ctx, accountOf(ctx), workflow.slug);
  if (present === undefined || versionOf(present) !== versionOf(workflow)) throw new CallChanged();
}

/** Masks these secrets, and those of all connections that the steps may use. UNAVAILABLE if they cannot be read now. */
async function maskerOf(
  ports: RunPorts,
  ctx: RequestContext,
  { workflow, toolset }: ConfinedWorkflow,
  endUserId: string | undefined,
  others: readonly string[],
): Promise<ValueMasker> {
  const tools = await Promise.all(
    workflow.steps.map((step) => findCandidates(ports, ctx, step.toolSlug, step.applicationSlug)),
  );
  const applicationSlugs = [...new Set(tools.flat().map((tool) => tool.applicationSlug))];
  const ids = toolset.connectionIds;
  const used = await ports.connections.findConnections(ctx, { ids, applicationSlugs, endUserId });
  const secrets = { known: [...others], missing: new Set(used.map(({ id }) => id)) };
  if (!(await collectSecrets(ports, ctx, secrets, [])))
    throw new ApiError(
      'UNAVAILABLE',
      'The call has to be approved, and cannot be searched for secrets now. Nothing was executed; try again.',
    );
  return createMasker(secrets.known);
}

async function checkedInputs(
  ports: RunPorts,
  ctx: RequestContext,
  { workflow, toolset }: WorkflowInToolset,
  request: ExecuteToolRequest,
): Promise<WorkflowInputs> {
  const { signal } = ctx;
  const accountId = accountOf(ctx);
  if (sizeOf(request.fields) > RUN_LIMITS.inputBytes)
    throw validationError({ field: 'fields', issue: 'must be at most 1 MiB of JSON for a workflow' });
  const { inputSchema } = workflow;
  const definition = { inputSchema, filters: null, sorts: null, paging: null };
  const ownFields = ownInputs(definition, request, request.schemaProfile);
  const policy = toolset?.policy ?? null;
  const fields = withFixedFields(policy, namesOfWorkflow(workflow), ownFields.fields);
  const tool = { definition, isPlatform: false };
  const inputs = await ports.checkPermits.run(
    { accountId, partition: '', signal, waitMs: CHECK_MS, heldBytes: () => sizeOf(fields) },
    async () => {
      const o = { accountId, signal, timeoutMs: CHECK_MS, source: request.origin.source };
      const inputs = await checkInputs(ports, tool, { ...request, fields }, o);
      await findFileInputs(ports, ctx, { inputSchema }, inputs.fields);
      return inputs;
    },
  );
  requireFixedFields(policy, { ...namesOfWorkflow(workflow), isPlatform: false }, inputs.fields);
  return { ...inputs, fields: parsedMembers(withPlainFiles(inputSchema, inputs.fields)) };
}

/** The result of a run, or an error once the caller stops waiting. */
async function whileCallerWaits(
  { timers }: Pick<RunPorts, 'timers'>,
  ctx: RequestContext,
  finished: Promise<ExecutionResult>,
  historyId: () => number | undefined,
): Promise<ExecutionResult> {
  const { promise: leaves, reject } = Promise.withResolvers<never>();
  const leave = (): void => {
    const id = historyId();
    const rest = id === undefined ? 'It may begin yet; see the history.' : `It goes on; see execution ${id}.`;
    reject(new ApiError('TIMEOUT', `The run takes longer than this call. ${rest}`));
  };
  const leftMs = ctx.deadline === undefined ? undefined : ctx.deadline.getTime() - Date.now();
  const timer = leftMs === undefined ? undefined : timers.after(Math.max(0, leftMs - RESPONSE_MS), leave);
  ctx.signal.addEventListener('abort', leave);
  const answered = finished.catch((error: unknown) => {
    throw errorForCaller(error, historyId());
  });
  try {
    return await Promise.race([answered, leaves]);
  } finally {
    timer?.cancel();
    ctx.signal.removeEventListener('abort', leave);
    finished.catch((error: unknown) => {
      ctx.log.warn({ err: error, historyId: historyId() }, 'a workflow run did not end in this process');
    });
  }
}

/** The caller's error if the run did not end here; before the run has a row, the error itself. */
function errorForCaller(error: unknown, historyId: number | undefined): unknown {
  if (historyId === undefined) return error;
  const text =
    error instanceof RunLeftError
      ? 'Another replica goes on with the run'
      : 'It is unknown whether the run goes on';
  return new ApiError('TIMEOUT', `${text}; see execution ${historyId}.`, { cause: error });
}

function sizeOf(value: LazyObject): number {
  return jsonBytes(value).length;
}
