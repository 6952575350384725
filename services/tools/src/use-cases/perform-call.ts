import type { Credential, InputIssue, ToolCall } from '@fairlead/connector-runtime/call';
import { createMasker } from '@fairlead/connector-runtime/value-masking';
import type { Masker } from '@fairlead/connector-runtime/value-masking';
import type { JsonObject } from '@fairlead/connector-model/model';
import { overloaded, validationError } from '@fairlead/errors/api-error';
import type { ApiError } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Approval, BoundConnection } from '../domain/approval.ts';
import type { ExecutionInfo, Outcome } from '../domain/execution.ts';
import { historyRecord, maskedMessage } from '../domain/history-record.ts';
import { createCallMasker, maskEverything, secretsOf } from '../domain/masking.ts';
import { mayHaveEffects, namesOf } from '../domain/target.ts';
import type { Target } from '../domain/target.ts';
import type { Catalog } from '../ports/catalog.ts';
import type { Connections } from '../ports/connections.ts';
import type { Runtime } from '../ports/runtime.ts';
import { admitCall } from './admit-call.ts';
import type { AdmitCallDeps, UndoAdmission } from './admit-call.ts';
import { callVendor } from './call-vendor.ts';
import type { CallVendorDeps } from './call-vendor.ts';
import type { Inputs } from './check-inputs.ts';
import { endCall } from './end-call.ts';
import type { EndCallDeps, EndedCall } from './end-call.ts';
import { openCall } from './open-call.ts';
import type { OpenedCall } from './open-call.ts';
import { recordExecution } from './record-execution.ts';
import type { RecordExecutionDeps } from './record-execution.ts';
import { requireCurrent } from './require-current.ts';
import type { RequireCurrentDeps } from './require-current.ts';
import { resolveFileInputs } from './resolve-file-inputs.ts';
import type { ResolveFileInputsDeps } from './resolve-file-inputs.ts';

/** The ports of every stage of a call, from its credential to its row. */
export interface PerformCallDeps
  extends
    RecordExecutionDeps,
    AdmitCallDeps,
    CallVendorDeps,
    EndCallDeps,
    RequireCurrentDeps,
    ResolveFileInputsDeps {
  readonly catalog: Catalog;
  readonly connections: Connections;
  readonly runtime: Runtime;
  readonly files: EndCallDeps['files'] & ResolveFileInputsDeps['files'];
  readonly clock: Clock;
}

/** A checked call that has its slot. */
export interface StartedCall extends EndedCall {
  readonly target: Target;
  readonly inputs: Inputs;
  /** The approval that the call names. */
  readonly approval?: Approval | undefined;
  /** The connection of the target was read then, or later. */
  readonly readAt: Date;
}

/** The result of a call. */
export interface ExecuteToolResult {
  readonly outcome: Outcome;
  /** Absent for a dry run. */
  readonly historyId: number | undefined;
  readonly info: ExecutionInfo;
}

/** A call that may leave at once. */
interface AdmittedCall {
  /** With the contents of its files. */
  readonly fields: JsonObject;
  readonly undo: UndoAdmission;
}

/**
 * Opens the credential of a call, admits it, records it, calls its vendor and ends it. Until the vendor is called, a refusal leaves no
 * row and uses nothing up; without a credential the row says so.
 */
export async function performCall(
  deps: PerformCallDeps,
  ctx: RequestContext,
  run: StartedCall,
): Promise<ExecuteToolResult> {
  const opened = await openRun(deps, ctx, run);
  if (opened.kind === 'none') return recordUncalled(deps, ctx, run, opened.errorMessage);
  const { call } = opened;
  const masker = createCallMasker(call.credential, run.maskedFields.secrets);
  const { fields, undo } = await admitRun(deps, ctx, run, call, masker);
  const vendor = { mayHaveActed: false };
  try {
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
    if (!vendor.mayHaveActed) await undo();
    throw error;
  }
}

/** Opens the run's call. VALIDATION_ERROR for a request that leads outside the application's API. */
export async function openRun(
  deps: Pick<PerformCallDeps, 'catalog' | 'connections' | 'runtime'>,
  ctx: RequestContext,
  run: StartedCall,
): Promise<OpenedCall> {
  const opened = await openCall(deps, ctx, run.target, run.inputs);
  if (opened.kind === 'none' || opened.call.tool.execution.type !== 'passthrough') return opened;
  const sent = deps.runtime.preview(opened.call);
  if (sent.type === 'refused' && sent.inputIssues)
    throw inputRefusal(run, sent.inputIssues, secretsOf(opened.call.credential));
  return opened;
}

/** Requires that nothing which the checks of a run depend on has changed meanwhile (requireCurrent). */
export async function requireCurrentRun(
  deps: RequireCurrentDeps,
  ctx: RequestContext,
  { target, readAt }: StartedCall,
  credential: Credential | undefined,
): Promise<void> {
  const { toolset, connection } = target;
  await requireCurrent(deps, ctx, { toolset, connection, credential, readAt });
}

/** Records an execution that ended before a vendor could be called, as a row with its outcome. */
export async function recordUncalled(
  deps: Pick<PerformCallDeps, 'history'>,
  ctx: RequestContext,
  run: StartedCall,
  errorMessage: string,
): Promise<ExecuteToolResult> {
  const record = historyRecord(uncalled(run, errorMessage), maskEverything);
  const historyId = await deps.history.insert(ctx, accountOf(ctx), record, true);
  return { outcome: record.outcome, historyId, info: record.info };
}

/**
 * Admits a run by the policy of its toolset as it is now, once nothing else keeps it from calling the vendor, and reads its files: a call
 * that is held back fetches none. As that may take its time, toolset and connection are read again afterwards.
 */
async function admitRun(
  deps: PerformCallDeps,
  ctx: RequestContext,
  run: StartedCall,
  call: ToolCall,
  masker: Masker,
): Promise<AdmittedCall> {
  await requireCurrentRun(deps, ctx, run, call.credential);
  const { toolset, tool, connection } = run.target;
  const names = namesOf(tool);
  const undo = await admitCall(deps, ctx, {
    toolset,
    applicationSlug: tool.applicationSlug,
    ...names,
    // A server that moves a slug could make another tool of it with the same version.
    toolVersion: `${names.identities[0]}@${tool.definition.version}`,
    connectionId: connection.id,
    bound: () => Promise.resolve([boundConnection(connection.id, call)]),
    endUserId: connection.endUserId,
    inputs: run.inputs,
    shownFields: () => run.maskedFields.shown.masked(),
    masker: () => Promise.resolve(masker),
    approval: run.approval,
  });
  try {
    const leftMs = Math.max(1, run.until - Date.now());
    const fields = await resolveFileInputs(deps, ctx, call.tool, call.fields, leftMs);
    if (fields !== call.fields) await requireCurrentRun(deps, ctx, run, call.credential);
    return { fields, undo };
  } catch (error) {
    await undo();
    throw error;
  }
}

/** The connection of a call with the credential that the call is made with. */
function boundConnection(id: number, { connector, method, credential }: ToolCall): BoundConnection {
  return { id, revision: credential.revision ?? '', baseUrl: method.baseUrl ?? connector.baseUrl };
}

/** Calls the vendor; the row and the result, or the refusal of a call of which nothing was executed. */
async function callAndEnd(
  deps: PerformCallDeps,
  ctx: RequestContext,
  run: StartedCall,
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

function inputRefusal(run: StartedCall, issues: readonly InputIssue[], secrets: readonly string[]): ApiError {
  const masker = createMasker([...secrets, ...run.maskedFields.secrets]);
  const mask = (text: string): string => maskedMessage(text, masker);
  return validationError(...issues.map(({ field, issue }) => ({ field: mask(field), issue: mask(issue) })));
}

function uncalled(run: StartedCall, errorMessage: string) {
  return {
    fields: run.maskedFields.shown,
    outcome: { isSuccess: false as const, errorMessage },
    info: run.info(0),
    outputMismatch: [],
  };
}
