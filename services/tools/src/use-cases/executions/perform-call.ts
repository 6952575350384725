import type { ToolCall } from '@fairlead/connector-runtime/call';
import type { Masker } from '@fairlead/connector-runtime/value-masking';
import type { JsonObject } from '@fairlead/connector-model/model';
import { overloaded } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Approval, BoundConnection } from '../../domain/approval.ts';
import type { ExecutionInfo, Outcome } from '../../domain/execution.ts';
import { withContents } from '../../domain/file-input.ts';
import { historyRecord, maskedMessage, uncalledRecord } from '../../domain/history-record.ts';
import { inputRefusal } from '../../domain/input-refusal.ts';
import { createCallMasker } from '../../domain/masking.ts';
import { mayHaveEffects, namesOf } from '../../domain/target.ts';
import type { Target } from '../../domain/target.ts';
import type { Catalog } from '../../ports/catalog.ts';
import type { Connections } from '../../ports/connections.ts';
import type { Runtime } from '../../ports/runtime.ts';
import { admitCall } from './admit-call.ts';
import type { Admission, AdmitCallDeps } from './admit-call.ts';
import { callVendor } from './call-vendor.ts';
import type { CallVendorDeps } from './call-vendor.ts';
import type { Inputs } from './check-inputs.ts';
import { dropHeldFiles } from '../files/drop-held-files.ts';
import { endCall } from './end-call.ts';
import type { EndCallDeps, EndedCall } from './end-call.ts';
import { openCheckedCall } from './open-checked-call.ts';
import { readFileInputs } from '../files/read-file-inputs.ts';
import { recordUncalled } from './record-uncalled.ts';
import { recordExecution } from './record-execution.ts';
import type { RecordExecutionDeps } from './record-execution.ts';
import { requireCurrent } from './require-current.ts';
import type { RequireCurrentDeps } from './require-current.ts';

/** The ports of every stage of a call, from its credential to its row. */
export interface PerformCallDeps
  extends RecordExecutionDeps, AdmitCallDeps, CallVendorDeps, EndCallDeps, RequireCurrentDeps {
  readonly catalog: Catalog;
  readonly connections: Connections;
  readonly runtime: Runtime;
  readonly files: EndCallDeps['files'] & AdmitCallDeps['files'];
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
interface AdmittedCall extends Admission {
  /** With the contents of its files. */
  readonly fields: JsonObject;
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
  const opened = await openCheckedCall(deps, ctx, run);
  if (opened.kind === 'none') return recordUncalled(deps, ctx, run, opened.errorMessage);
  const { call } = opened;
  const masker = createCallMasker(call.credential, run.maskedFields.secrets);
  const { fields, undo, approval } = await admitRun(deps, ctx, run, call, masker);
  const vendor = { mayHaveActed: false };
  try {
    const recorded = {
      accountId: accountOf(ctx),
      mayHaveEffects: mayHaveEffects(run.target.tool),
      started: () => historyRecord(uncalledRecord(run.maskedFields.shown, run.info(0), ''), masker),
    };
    const { historyId, result } = await recordExecution(deps, ctx, recorded, async () => {
      vendor.mayHaveActed = true;
      const end = await callAndEnd(deps, ctx, run, { ...call, fields }, masker);
      vendor.mayHaveActed = !('refusal' in end);
      return end;
    });
    if (approval !== undefined) await dropHeldFiles(deps, ctx, approval);
    return { ...result, historyId };
  } catch (error) {
    if (!vendor.mayHaveActed) await undo();
    throw error;
  }
}

/**
 * Admits a run by the policy of its toolset as it is now, once nothing else keeps it from calling the vendor, and reads its files: a call
 * that is refused fetches none, and one that was approved sends what was fetched for its approval. As that may take its time, toolset and
 * connection are read again afterwards.
 */
async function admitRun(
  deps: PerformCallDeps,
  ctx: RequestContext,
  run: StartedCall,
  call: ToolCall,
  masker: Masker,
): Promise<AdmittedCall> {
  await requireCurrent(deps, ctx, run, call.credential);
  const { toolset, tool, connection } = run.target;
  const names = namesOf(tool);
  const leftMs = (): number => Math.max(1, run.until - Date.now());
  const admission = await admitCall(deps, ctx, {
    toolset,
    applicationSlug: tool.applicationSlug,
    ...names,
    // A server that moves a slug could make another tool of it with the same version.
    toolVersion: `${names.identities[0]}@${tool.definition.version}`,
    connectionId: connection.id,
    bound: () => Promise.resolve({ connections: [boundConnection(connection.id, call)] }),
    endUserId: connection.endUserId,
    inputs: run.inputs,
    inputSchema: call.tool.inputSchema,
    leftMs,
    shownFields: () => run.maskedFields.shown.masked(),
    masker: () => Promise.resolve(masker),
    approval: run.approval,
  });
  try {
    const { approval } = admission;
    const files = await readFileInputs(deps, ctx, call.tool, call.fields, { approval, leftMs });
    if (files.length > 0) await requireCurrent(deps, ctx, run, call.credential);
    return { ...admission, fields: withContents(call.fields, files) };
  } catch (error) {
    await admission.undo();
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
  const { id } = run.target.connection;
  let withdrawal: Error | undefined;
  const beforeSend = (): Promise<void> =>
    requireCurrent(deps, ctx, run, call.credential).catch((error: Error) => {
      withdrawal = error;
      throw error;
    });
  const { outcome, attempts, secrets } = await callVendor(deps, ctx, id, call, run.until, beforeSend);
  if (!outcome.isSuccess && outcome.isWithdrawn && withdrawal !== undefined) return { refusal: withdrawal };
  if (!outcome.isSuccess && outcome.isOverloaded)
    return { refusal: overloaded(maskedMessage(outcome.errorMessage, masker)) };
  // A call that may have effects is never refused once its vendor has been called.
  if (!mayHaveEffects(run.target.tool) && outcome.inputIssues)
    return { refusal: inputRefusal(outcome.inputIssues, [...secrets, ...run.maskedFields.secrets]) };
  return endCall(deps, ctx, run, { outcome, attempts, secrets, masker });
}
