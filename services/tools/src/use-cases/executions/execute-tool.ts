import { ApiError } from '@fairlead/errors/api-error';
import { accountOf, confinementOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { heldBytes } from '@fairlead/service-kit/slots/held-bytes';
import type { Approval } from '../../domain/approval.ts';
import { endOfCall, waitMs } from '../../domain/call-time.ts';
import type { CheckedCall } from '../../domain/checked-call.ts';
import type { ExecutionResult } from '../../domain/execution.ts';
import { fileInputsOf } from '../../domain/file-input.ts';
import { historyRecord, uncalledRecord } from '../../domain/history-record.ts';
import type { OutputFields } from '../../domain/output-fields.ts';
import { ownInputs } from '../../domain/own-inputs.ts';
import { withFixedFields } from '../../domain/policy.ts';
import type { Inputs } from '../../domain/query.ts';
import { mayHaveEffects, namesOf, refuseUnlicensed, versionedTool } from '../../domain/target.ts';
import type { Target } from '../../domain/target.ts';
import { requireFixedFields } from '../../domain/toolset-scope.ts';
import type { ExecutionPorts } from '../../ports/execution-ports.ts';
import { findApproval } from '../approvals/find-approval.ts';
import { dropHeldFiles } from '../files/drop-held-files.ts';
import { findFileInputs } from '../files/find-file-inputs.ts';
import { admitOpenedCall } from './admit-opened-call.ts';
import { callTool } from './call-tool.ts';
import { checkAgain } from './check-again.ts';
import { checkInputs } from './check-inputs.ts';
import type { RequestedInputs } from './check-inputs.ts';
import { maskAnswer } from './mask-answer.ts';
import { openCheckedCall } from './open-checked-call.ts';
import { previewCall } from './preview-call.ts';
import { recordExecution } from './record-execution.ts';
import { recordUncalled } from './record-uncalled.ts';
import { resolveTarget } from './resolve-target.ts';
import type { TargetRequest } from './resolve-target.ts';
import { showFields } from './show-fields.ts';
import { waitForVendor } from './wait-for-vendor.ts';

/** One call as the caller sent it. */
export interface ExecuteToolRequest extends TargetRequest, RequestedInputs {
  /** The dialect in which a model made the fields; empty: the tool's own. */
  readonly schemaProfile: string;
  readonly dryRun: boolean;
  /** The approval of the call, where its toolset demands one. */
  readonly approvalId?: string | undefined;
  /** The part of its output that is returned; undefined: all. */
  readonly outputFields?: OutputFields | undefined;
  /** Other secrets that its fields or its output may hold; masked as the connection's are. */
  readonly secrets?: readonly string[];
  /** The only tools that it may call, as versionedTool names them; undefined: any. */
  readonly approvedTools?: readonly string[] | undefined;
}

/** A request that may be executed. */
interface CheckedRequest {
  readonly target: Target;
  readonly inputs: Inputs;
  /** The approval that the request names. */
  readonly approval?: Approval | undefined;
}

/** Resolves, authorises and validates a request; `leftMs` is how long that may still take. */
type CheckRequest = (
  ports: ExecutionPorts,
  ctx: RequestContext,
  request: ExecuteToolRequest,
  leftMs: () => number,
) => Promise<CheckedRequest>;

/** When a request arrived, and its deadline in milliseconds of real time. */
interface Time {
  readonly startedAt: Date;
  readonly until: number;
}

/**
 * Executes a tool with one of the account's connections: resolves, authorises and validates the request, waits for a slot, opens the
 * credential, records the call, calls the vendor, masks what it answers, and returns that.
 *
 * Refusals come in the order of the contract: tool, toolset, connection, application, licence, inputs; then RATE_LIMIT_EXCEEDED, if the
 * account or the connection has no free slot in time; then those of the toolset's policy. A refusal executes nothing and leaves no row, and
 * calls no vendor except one that alone knows which fields a query may name. Later failures are results with `isSuccess` false and a
 * row. A call whose toolset or connection changes before it leaves is checked anew. `check` takes the place of the first three stages for a
 * request that is for no tool of the catalogue.
 */
export async function executeTool(
  ports: ExecutionPorts,
  ctx: RequestContext,
  request: ExecuteToolRequest,
  check: CheckRequest = checkRequest,
): Promise<ExecutionResult> {
  const startedAt = ports.clock.now();
  const time = { startedAt, until: endOfCall(ctx.deadline, ports.timeoutMs, Date.now()) };
  return await checkAgain(async () => {
    const call = await checkCall(ports, ctx, request, time, check);
    return await waitForVendor(slotsOf(ports, call, request), waitingCall(ctx, call, request), {
      work: async (hasWaited) =>
        await makeCall(ports, ctx, hasWaited ? await readAgain(ports, ctx, call) : call, request),
      sayWhen: (limitedUntil) => recordUncalled(ports, ctx, call, limitMessage(call, limitedUntil)),
    });
  });
}

/** Resolves, authorises and validates a request for a tool of the catalogue. */
async function checkRequest(
  ports: ExecutionPorts,
  ctx: RequestContext,
  request: ExecuteToolRequest,
  leftMs: () => number,
): Promise<CheckedRequest> {
  const target = await resolveTarget(ports, ctx, request);

  if (request.approvedTools?.includes(versionedTool(target.tool)) === false) throw notApproved(target);
  refuseUnlicensed(target.connection);
  const approval = await findApproval(ports, ctx, request.approvalId);

  const { tool, toolset } = target;
  const policy = toolset?.policy ?? null;
  const given = ownInputs(tool.definition, request, request.schemaProfile);
  const fields = withFixedFields(policy, namesOf(tool), given.fields);
  const o = { accountId: accountOf(ctx), signal: ctx.signal, timeoutMs: leftMs() };
  const inputs = await checkInputs(ports, tool, { ...given, fields }, o);
  requireFixedFields(policy, { ...namesOf(tool), isPlatform: tool.isPlatform }, inputs.fields);
  await findFileInputs(ports, ctx, tool.definition, inputs.fields);
  return { target, inputs, approval };
}

/** Makes a call that has its slot. A dry run sends, records and uses up nothing. */
async function makeCall(
  ports: ExecutionPorts,
  ctx: RequestContext,
  checked: CheckedCall,
  { dryRun }: ExecuteToolRequest,
): Promise<ExecutionResult> {
  if (dryRun) return await previewCall(ports, ctx, checked);
  const opened = await openCheckedCall(ports, ctx, checked);
  if (opened.kind === 'none') return await recordUncalled(ports, ctx, checked, opened.errorMessage);

  // Toolset, policy, connection and caller are read again: from here on, the call leaves at once.
  const admitted = await admitOpenedCall(ports, ctx, checked, opened.call);

  const recorded = {
    accountId: accountOf(ctx),
    mayHaveEffects: mayHaveEffects(checked.target.tool),
    started: () =>
      historyRecord(uncalledRecord(checked.maskedFields.shown, checked.info(0), ''), admitted.masker),
    undo: admitted.undo,
  };
  const { historyId, result } = await recordExecution(ports, ctx, recorded, async () => {
    const answer = await callTool(ports, ctx, checked, admitted);
    return 'refusal' in answer ? answer : await maskAnswer(ports, ctx, checked, answer);
  });

  if (admitted.approval !== undefined) await dropHeldFiles(ports, ctx, admitted.approval);
  return { ...result, historyId };
}

/** Checks a request in a slot of its account for that. */
async function checkCall(
  ports: ExecutionPorts,
  ctx: RequestContext,
  request: ExecuteToolRequest,
  time: Time,
  check: CheckRequest,
): Promise<CheckedCall> {
  const leftMs = (): number => waitMs(time.until, Date.now());
  return await ports.checkSlots.run({ ...slotOf(ctx, request), lane: '', waitMs: leftMs() }, async () => {
    const readAt = ports.clock.now();
    const { target, inputs, approval } = await check(ports, ctx, request, leftMs);
    const shown = await showFields(ports, ctx, target.tool.definition, inputs.fields, leftMs());
    return {
      target: await withCredentialVersion(ports, ctx, target, request),
      readAt,
      inputs,
      approval,
      maskedFields: { shown, secrets: [...shown.secrets, ...(request.secrets ?? [])] },
      outputFields: request.outputFields,
      until: time.until,
      info: infoOf(ports, ctx, target, time),
    };
  });
}

function infoOf(
  { clock }: ExecutionPorts,
  ctx: RequestContext,
  { tool: { applicationSlug, definition }, connection, resolution }: Target,
  { startedAt }: Time,
): CheckedCall['info'] {
  const confinement = confinementOf(ctx);
  return (attempts) => ({
    startedAt,
    durationMs: Math.max(0, clock.now().getTime() - startedAt.getTime()),
    connectionId: connection.id,
    connectionResolution: resolution,
    applicationSlug,
    toolSlug: definition.toolSlug,
    toolVersion: definition.version,
    attempts,
    ...(confinement && { keyId: confinement.keyId }),
  });
}

/**
 * The target of a call before it waits for its vendor: read anew if the vendor limits its connection and only the version of the
 * credential, which not every read of a connection tells, says whether the limit still holds.
 */
async function withCredentialVersion(
  ports: ExecutionPorts,
  ctx: RequestContext,
  target: Target,
  { dryRun }: ExecuteToolRequest,
): Promise<Target> {
  const { connection } = target;
  if (dryRun || connection.credential !== undefined) return target;
  if (ports.vendorLimits.until(accountOf(ctx), connection) === undefined) return target;
  return await presentTarget(ports, ctx, target);
}

/** A call that has waited, with its connection as it is now. CallerRefused if its caller may not act any more. */
async function readAgain(
  ports: ExecutionPorts,
  ctx: RequestContext,
  call: CheckedCall,
): Promise<CheckedCall> {
  const readAt = ports.clock.now();
  const [target] = await Promise.all([
    presentTarget(ports, ctx, call.target),
    ports.callers.requireCurrent(ctx),
  ]);
  return { ...call, target, readAt };
}

async function presentTarget(ports: ExecutionPorts, ctx: RequestContext, target: Target): Promise<Target> {
  const connection = await ports.connections.getConnection(ctx, target.connection.id, undefined);
  refuseUnlicensed(connection);
  return { ...target, connection };
}

/** The slots that a call waits for. A body is bounded as every body is, so that files in it need no other slots. */
function slotsOf(ports: ExecutionPorts, { target, inputs }: CheckedCall, { dryRun }: ExecuteToolRequest) {
  const files = fileInputsOf(target.tool.definition.inputSchema, inputs.fields);
  const readsFiles = !dryRun && files.some(({ source }) => source.kind !== 'inline');
  return readsFiles ? { ...ports, slots: ports.fileSlots } : ports;
}

function waitingCall(
  ctx: RequestContext,
  { target: { connection }, until }: CheckedCall,
  request: ExecuteToolRequest,
) {
  const left = (): number => waitMs(until, Date.now());
  return { ...slotOf(ctx, request), connection, isDryRun: request.dryRun, waitMs: left };
}

/** The request holds all that was sent: members that the tool does not know are in memory, too. */
function slotOf(ctx: RequestContext, { fields, filters }: ExecuteToolRequest) {
  return {
    accountId: accountOf(ctx),
    signal: ctx.signal,
    heldBytes: () => heldBytes([fields, ...filters.map(({ value }) => value)]),
  };
}

function notApproved({ tool: { applicationSlug, definition } }: Target): ApiError {
  return new ApiError(
    'FORBIDDEN',
    `The run was approved with another tool, or another version of it, than ${definition.toolSlug} of ${applicationSlug} is now. It was not called.`,
  );
}

/** Why a call was not made, for people. */
function limitMessage({ target }: CheckedCall, until: Date): string {
  return `${target.tool.applicationSlug} takes no further calls of this connection until ${until.toISOString()}: its rate limit is reached. Nothing was sent.`;
}
