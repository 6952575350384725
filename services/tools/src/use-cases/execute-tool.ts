import type { InputIssue, ToolCall } from '@fairlead/connector-runtime/call';
import { overloaded, validationError } from '@fairlead/errors/api-error';
import type { ApiError } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { AccountSlots } from '@fairlead/service-kit/slots/account-slots';
import { heldBytes } from '@fairlead/service-kit/slots/held-bytes';
import type { Approval } from '../domain/approval.ts';
import type { ExecutionInfo, Outcome } from '../domain/execution.ts';
import { maskedMessage, historyRecord } from '../domain/history-record.ts';
import type { OutputFields } from '../domain/output-fields.ts';
import { ownFields } from '../domain/own-fields.ts';
import { createMasker } from '@fairlead/connector-runtime/value-masking';
import { createCallMasker, maskEverything, secretsOf } from '../domain/masking.ts';
import type { Masker } from '@fairlead/connector-runtime/value-masking';
import { fileInputsOf } from '../domain/file-input.ts';
import { withFixedFields } from '../domain/policy.ts';
import type { FlaggedFields } from '@fairlead/connector-runtime/secret-fields/secret-fields';
import { mayHaveEffects, refuseUnlicensed } from '../domain/target.ts';
import type { Target } from '../domain/target.ts';
import type { Catalog } from '../ports/catalog.ts';
import type { Connections } from '../ports/connections.ts';
import type { Runtime } from '../ports/runtime.ts';
import type { VendorLimits } from '../ports/vendor-limits.ts';
import type { ToolsetStore } from '../ports/toolset-store.ts';
import { findApproval } from './find-approval.ts';
import type { FindApprovalDeps } from './find-approval.ts';
import { endOfCall, waitMs } from '../domain/call-time.ts';
import { admitCall } from './admit-call.ts';
import type { AdmitCallDeps, UndoAdmission } from './admit-call.ts';
import { callVendor } from './call-vendor.ts';
import type { CallVendorDeps } from './call-vendor.ts';
import { checkInputs } from './check-inputs.ts';
import type { CheckInputsDeps, Inputs, RequestedInputs } from './check-inputs.ts';
import { endCall } from './end-call.ts';
import { maskOutput } from './mask-output.ts';
import type { EndCallDeps, EndedCall } from './end-call.ts';
import { findFileInputs } from './find-file-inputs.ts';
import { openCall } from './open-call.ts';
import type { OpenedCall } from './open-call.ts';
import { recordExecution } from './record-execution.ts';
import type { RecordExecutionDeps } from './record-execution.ts';
import { resolveFileInputs } from './resolve-file-inputs.ts';
import type { ResolveFileInputsDeps } from './resolve-file-inputs.ts';
import { resolveTarget } from './resolve-target.ts';
import type { TargetRequest } from './resolve-target.ts';
import { showFields } from './show-fields.ts';
import { waitForVendor } from './wait-for-vendor.ts';
import type { WaitForVendorDeps } from './wait-for-vendor.ts';

/** What executeTool needs. */
export interface ExecuteToolDeps
  extends
    CheckInputsDeps,
    RecordExecutionDeps,
    AdmitCallDeps,
    FindApprovalDeps,
    WaitForVendorDeps,
    CallVendorDeps,
    EndCallDeps,
    ResolveFileInputsDeps {
  readonly approvals: AdmitCallDeps['approvals'] & FindApprovalDeps['approvals'];
  readonly catalog: Catalog;
  readonly connections: Connections;
  readonly toolsets: Pick<ToolsetStore, 'find'>;
  readonly runtime: Runtime;
  readonly vendorLimits: VendorLimits;
  /** In place of `slots` for calls whose inputs are files that are read, which are in memory until the vendor has answered. */
  readonly fileSlots: Pick<AccountSlots, 'run'>;
  readonly files: EndCallDeps['files'] & ResolveFileInputsDeps['files'];
  readonly clock: Clock;
  /** Maximum time of one call, including the wait for a slot. */
  readonly timeoutMs: number;
}

/** One call as the caller sent it. */
export interface ExecuteToolRequest extends TargetRequest, RequestedInputs {
  /** The dialect in which a model made the fields; empty: the tool's own. */
  readonly schemaProfile: string;
  readonly dryRun: boolean;
  /** The approval of the call, where its toolset demands one. */
  readonly approvalId?: string | undefined;
  /** What of its output is returned; undefined: all. */
  readonly outputFields?: OutputFields | undefined;
  /** Other secrets that its fields or its output may hold; masked as the connection's are. */
  readonly secrets?: readonly string[];
}

/** The result of a call. */
export interface ExecuteToolResult {
  readonly outcome: Outcome;
  /** Absent for a dry run. */
  readonly historyId: number | undefined;
  readonly info: ExecutionInfo;
}

/** What a call runs with. */
interface CheckedCall {
  readonly target: Target;
  readonly inputs: Inputs;
  /** The approval that the call names. */
  readonly approval?: Approval | undefined;
}

/** Resolves and checks a call; `leftMs` is how long that may still take. */
type CheckCall = (
  deps: ExecuteToolDeps,
  ctx: RequestContext,
  request: ExecuteToolRequest,
  leftMs: () => number,
) => Promise<CheckedCall>;

/** The current execution, once its target is known. */
interface Run extends CheckedCall, EndedCall {
  readonly target: Target;
}

/**
 * Executes a tool with one of the account's connections. Refusals come in the order of the contract: tool, toolset,
 * connection, application, licence, inputs; then RATE_LIMIT_EXCEEDED, if the account or the connection has no free slot
 * in time; then what the policy of the call's toolset refuses. A refusal executes nothing and leaves no row, and calls no
 * vendor except one that alone knows which fields a query may name. Later failures are results with `isSuccess` false and a
 * row. `check` takes the place of the checks up to the inputs for a call that is no tool's of the catalogue.
 */
export async function executeTool(
  deps: ExecuteToolDeps,
  ctx: RequestContext,
  request: ExecuteToolRequest,
  check: CheckCall = checkToolCall,
): Promise<ExecuteToolResult> {
  const startedAt = deps.clock.now();
  const until = endOfCall(ctx.deadline, deps.timeoutMs, Date.now());
  const { signal } = ctx;
  const held = {
    accountId: accountOf(ctx),
    signal,
    // Of all that was sent: what the tool does not know is in memory too.
    heldBytes: () => heldBytes([request.fields, ...request.filters.map(({ value }) => value)]),
  };
  const { target, inputs, approval, shown } = await deps.checkSlots.run(
    { ...held, lane: '', waitMs: waitMs(until, Date.now()) },
    async () => {
      const leftMs = (): number => waitMs(until, Date.now());
      const checked = await check(deps, ctx, request, leftMs);
      const { definition } = checked.target.tool;
      const { fields } = checked.inputs;
      const shown = await showFields(deps, ctx, definition, fields, leftMs());
      return { ...checked, shown, target: await limitedTarget(deps, ctx, checked.target, request) };
    },
  );
  const { connection, tool } = target;
  const { secrets = [], outputFields } = request;
  const started = { inputs, approval, shown, startedAt, until, secrets, outputFields };
  const call = { ...held, connection, isDryRun: request.dryRun, waitMs: () => waitMs(until, Date.now()) };
  // What was sent along is bounded as every body is.
  const readsFiles =
    !request.dryRun &&
    fileInputsOf(tool.definition.inputSchema, inputs.fields).some(({ source }) => source.kind !== 'inline');
  return waitForVendor(readsFiles ? { ...deps, slots: deps.fileSlots } : deps, call, {
    work: async (hasWaited) => {
      // The connection may have been deleted or have lost its licence meanwhile.
      const current = hasWaited ? await currentTarget(deps, ctx, target) : target;
      const run = startRun(deps, current, started);
      if (request.dryRun) return preview(deps, ctx, run);
      return execute(deps, ctx, run);
    },
    sayWhen: (limitedUntil) => {
      const run = startRun(deps, target, started);
      return recordUncalled(deps, ctx, run, limitMessage(tool.applicationSlug, limitedUntil));
    },
  });
}

/** Why a call was not made, for people. */
function limitMessage(applicationSlug: string, until: Date): string {
  return `${applicationSlug} takes no further calls of this connection until ${until.toISOString()}: its rate limit is reached. Nothing was sent.`;
}

async function checkToolCall(
  deps: ExecuteToolDeps,
  ctx: RequestContext,
  request: ExecuteToolRequest,
  leftMs: () => number,
): Promise<CheckedCall> {
  const target = await resolveTarget(deps, ctx, request);
  refuseUnlicensed(target.connection);
  const approval = await findApproval(deps, ctx, request.approvalId);
  const o = { accountId: accountOf(ctx), signal: ctx.signal, timeoutMs: leftMs() };
  const { tool, toolset } = target;
  const given = ownFields(tool.definition.inputSchema, request.fields, request.schemaProfile);
  const fields = withFixedFields(toolset?.policy ?? null, tool.definition, given);
  const inputs = await checkInputs(deps, tool, { ...request, fields }, o);
  await findFileInputs(deps, ctx, tool.definition, inputs.fields);
  return { target, inputs, approval };
}

/**
 * The target of a call before it waits for its vendor: read anew if the vendor limits its connection and only the version of the
 * credential, which not every read of a connection tells, says whether the limit still holds.
 */
async function limitedTarget(
  deps: ExecuteToolDeps,
  ctx: RequestContext,
  target: Target,
  { dryRun }: Pick<ExecuteToolRequest, 'dryRun'>,
): Promise<Target> {
  const { connection } = target;
  if (dryRun || connection.credential !== undefined) return target;
  if (deps.vendorLimits.until(accountOf(ctx), connection) === undefined) return target;
  return await currentTarget(deps, ctx, target);
}

async function currentTarget(deps: ExecuteToolDeps, ctx: RequestContext, target: Target): Promise<Target> {
  const connection = await deps.connections.getConnection(ctx, target.connection.id, undefined);
  refuseUnlicensed(connection);
  return { ...target, connection };
}

function startRun(
  deps: ExecuteToolDeps,
  target: Target,
  o: Pick<Run, 'inputs' | 'approval' | 'until' | 'outputFields'> & {
    readonly startedAt: Date;
    readonly shown: FlaggedFields;
    readonly secrets: readonly string[];
  },
): Run {
  const { definition, applicationSlug } = target.tool;
  const { shown } = o;
  return {
    target,
    inputs: o.inputs,
    approval: o.approval,
    maskedFields: { shown, secrets: [...shown.secrets, ...o.secrets] },
    until: o.until,
    outputFields: o.outputFields,
    info: (attempts) => ({
      startedAt: o.startedAt,
      durationMs: Math.max(0, deps.clock.now().getTime() - o.startedAt.getTime()),
      connectionId: target.connection.id,
      connectionResolution: target.resolution,
      applicationSlug,
      toolSlug: definition.toolSlug,
      toolVersion: definition.version,
      attempts,
    }),
  };
}

async function execute(deps: ExecuteToolDeps, ctx: RequestContext, run: Run): Promise<ExecuteToolResult> {
  const opened = await openRun(deps, ctx, run);
  if (opened.kind === 'none') return recordUncalled(deps, ctx, run, opened.errorMessage);
  const { call } = opened;
  const masker = createCallMasker(call.credential, run.maskedFields.secrets);
  const undoAdmission = await admitRun(deps, ctx, run, masker);
  const vendor = { mayHaveActed: false };
  try {
    // After the admission: a call that is held back fetches nothing either.
    const leftMs = Math.max(1, run.until - Date.now());
    const fields = await resolveFileInputs(deps, ctx, call.tool, call.fields, leftMs);
    const recorded = {
      accountId: accountOf(ctx),
      mayHaveEffects: mayHaveEffects(run.target.tool),
      started: () => historyRecord({ ...uncalled(run, ''), info: run.info(0) }, masker),
    };
    const { historyId, result } = await recordExecution(deps, ctx, recorded, async () => {
      vendor.mayHaveActed = true;
      const end = await callAndEnd(deps, ctx, run, { ...call, fields }, masker);
      vendor.mayHaveActed = !('refusal' in end);
      return end;
    });
    return { ...result, historyId };
  } catch (error) {
    if (!vendor.mayHaveActed) await undoAdmission();
    throw error;
  }
}

/** Calls the vendor; the row and the result, or the refusal of a call of which nothing was executed. */
async function callAndEnd(
  deps: ExecuteToolDeps,
  ctx: RequestContext,
  run: Run,
  call: ToolCall,
  masker: Masker,
) {
  const { outcome, attempts, secrets } = await callVendor(
    deps,
    ctx,
    run.target.connection.id,
    call,
    run.until,
  );
  if (!outcome.isSuccess && outcome.isOverloaded)
    return { refusal: overloaded(maskedMessage(outcome.errorMessage, masker)) };
  // A call that may have effects is never refused once its vendor has been called.
  if (!mayHaveEffects(run.target.tool) && outcome.inputIssues)
    return { refusal: inputRefusal(run, outcome.inputIssues, secrets) };
  return endCall(deps, ctx, run, { outcome, attempts, secrets, masker });
}

/** Opens the run's call. VALIDATION_ERROR for a request that leads outside the application's API. */
async function openRun(deps: ExecuteToolDeps, ctx: RequestContext, run: Run): Promise<OpenedCall> {
  const opened = await openCall(deps, ctx, run.target, run.inputs);
  if (opened.kind === 'none' || opened.call.tool.execution.type !== 'passthrough') return opened;
  const sent = deps.runtime.preview(opened.call);
  if (sent.type === 'refused' && sent.inputIssues)
    throw inputRefusal(run, sent.inputIssues, secretsOf(opened.call.credential));
  return opened;
}

/** Admits a run by the policy of its toolset, once nothing else keeps it from calling the vendor. */
function admitRun(
  deps: ExecuteToolDeps,
  ctx: RequestContext,
  run: Run,
  masker: Masker,
): Promise<UndoAdmission> {
  return admitCall(deps, ctx, {
    toolset: run.target.toolset,
    applicationSlug: run.target.tool.applicationSlug,
    toolSlug: run.target.tool.definition.toolSlug,
    toolVersion: run.target.tool.definition.version,
    aliases: run.target.tool.definition.aliases,
    connectionId: run.target.connection.id,
    connectionIds: [],
    endUserId: run.target.connection.endUserId,
    inputs: run.inputs,
    shownFields: () => run.maskedFields.shown.masked(),
    masker: () => Promise.resolve(masker),
    approval: run.approval,
  });
}

function inputRefusal(run: Run, issues: readonly InputIssue[], secrets: readonly string[]): ApiError {
  const masker = createMasker([...secrets, ...run.maskedFields.secrets]);
  const mask = (text: string): string => maskedMessage(text, masker);
  return validationError(...issues.map(({ field, issue }) => ({ field: mask(field), issue: mask(issue) })));
}

/** Records an execution that ended before a vendor could be called, as a row with its outcome. */
async function recordUncalled(
  deps: ExecuteToolDeps,
  ctx: RequestContext,
  run: Run,
  errorMessage: string,
): Promise<ExecuteToolResult> {
  const record = historyRecord(uncalled(run, errorMessage), maskEverything);
  const historyId = await deps.history.insert(ctx, accountOf(ctx), record, true);
  return { outcome: record.outcome, historyId, info: record.info };
}

function uncalled(run: Run, errorMessage: string) {
  return {
    fields: run.maskedFields.shown,
    outcome: { isSuccess: false as const, errorMessage },
    info: run.info(0),
    outputMismatch: [],
  };
}

async function preview(deps: ExecuteToolDeps, ctx: RequestContext, run: Run): Promise<ExecuteToolResult> {
  const opened = await openRun(deps, ctx, run);
  const end = (outcome: Outcome): ExecuteToolResult => ({ outcome, historyId: undefined, info: run.info(0) });
  if (opened.kind === 'none') return end({ isSuccess: false, errorMessage: opened.errorMessage });
  const masker = createCallMasker(opened.call.credential, run.maskedFields.secrets);
  const sent = deps.runtime.preview(opened.call);
  if (sent.type === 'refused')
    return end({ isSuccess: false, errorMessage: maskedMessage(sent.errorMessage, masker) });
  return end(await maskOutput(deps, ctx, run.until, { ...sent }, masker));
}
