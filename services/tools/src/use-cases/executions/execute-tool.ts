import type { CallingClient } from '@fairlead/connector-runtime/mcp/calling-client';
import { ApiError } from '@fairlead/errors/api-error';
import { accountOf, confinementOf, userIdOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { heldBytes } from '@fairlead/service-kit/permits/held-bytes';
import type { Approval } from '../../domain/approval.ts';
import type { CallOrigin } from '../../domain/call-origin.ts';
import { answerTime, endOfCall, waitMs } from '../../domain/call-time.ts';
import { infoOf } from '../../domain/checked-call.ts';
import type { CheckedCall } from '../../domain/checked-call.ts';
import type { ExecutionResult } from '../../domain/execution.ts';
import { fileInputsOf } from '../../domain/file-input.ts';
import { startedRecord } from '../../domain/history-record.ts';
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
import { checkInputs } from './check-inputs.ts';
import type { RequestedInputs } from './check-inputs.ts';
import { maskAnswer } from './mask-answer.ts';
import { openCheckedCall } from './open-checked-call.ts';
import { previewCall } from './preview-call.ts';
import { readConnectionAgain } from './read-connection-again.ts';
import { recordExecution } from './record-execution.ts';
import { recordUncalled } from './record-uncalled.ts';
import { repeatIfChanged } from './repeat-if-changed.ts';
import { resolveTarget } from './resolve-target.ts';
import type { TargetRequest } from './resolve-target.ts';
import { showFields } from './show-fields.ts';
import { waitForVendor } from './wait-for-vendor.ts';

/** A call, as sent. */
export interface ExecuteToolRequest extends TargetRequest, RequestedInputs {
  readonly origin: CallOrigin;
  /** Dialect in which a model created the fields; empty: the tool's own. */
  readonly schemaProfile: string;
  readonly dryRun: boolean;
  /** The approval of the call, if its toolset requires one. */
  readonly approvalId?: string | undefined;
  /** The requested part of its output; undefined: all. */
  readonly outputFields?: OutputFields | undefined;
  /** Further secrets that fields or output may contain; masked like the connection's. */
  readonly secrets?: readonly string[];
  /** The only tools that it may call, as versionedTool names them; undefined: any. */
  readonly approvedTools?: readonly string[] | undefined;
  /** The MCP client to which an MCP server's tool may send requests; undefined: none. */
  readonly client?: CallingClient | undefined;
  /** For MCP clients: returns the complete result of an MCP server's tool, and files instead of a result that is too large. */
  readonly takesMcpResult?: boolean | undefined;
}

interface CheckedRequest {
  readonly target: Target;
  readonly inputs: Inputs;
  /** The approval that the request names. */
  readonly approval?: Approval | undefined;
}

/** Resolves, authorises and validates a request; `leftMs` is the remaining time for it. */
type CheckRequest = (
  ports: ExecutionPorts,
  ctx: RequestContext,
  request: ExecuteToolRequest,
  leftMs: () => number,
) => Promise<CheckedRequest>;

/** Arrival of a request, and its deadline in milliseconds of real time. */
interface CallTime {
  readonly startedAt: Date;
  readonly until: number;
  /** CallOptions.answerMs. */
  readonly answerMs: number;
}

/**
 * Executes a tool with one of the account's connections:
 *
 * 1. resolves, authorises and validates the request (`checkRequest`, or `check` for a request that is for no tool of the catalogue);
 * 2. waits until the connection has a permit, and its vendor takes calls;
 * 3. opens the credential;
 * 4. admits the call by the policy of its toolset as it is now, which uses its approval and counts it;
 * 5. writes the row of a call that may have effects;
 * 6. calls the vendor;
 * 7. masks the answer, writes the row with it, and returns it.
 *
 * A refusal is an error: nothing was executed, there is no row, and what the call had used is given back. Refusals come in the order of the
 * contract: tool, toolset, connection, application, licence, inputs; RATE_LIMIT_EXCEEDED, if there is no permit in time; policy.
 * No vendor is called for one, except one that alone knows which fields a query may name. Every other failure, such as a missing credential
 * or a limit of the vendor, is a result with `isSuccess` false and a row; only if that cannot be written, the error of the database. A call whose toolset or connection changes before its request
 * is sent begins anew with the first stage.
 */
export async function executeTool(
  ports: ExecutionPorts,
  ctx: RequestContext,
  request: ExecuteToolRequest,
  check: CheckRequest = checkRequest,
): Promise<ExecutionResult> {
  const startedAt = ports.clock.now();
  const [deadline, now] = [ctx.deadline, Date.now()];
  const time = {
    startedAt,
    until: endOfCall(deadline, ports.timeoutMs, now),
    answerMs: request.client === undefined ? 0 : answerTime(deadline, ports.timeoutMs, now),
  };
  return await repeatIfChanged(async () => {
    const call = await checkCall(ports, ctx, request, time, check);
    return await waitForVendor(permitsFor(ports, call, request), waitingCall(ctx, call, request), {
      onPermit: async (hasWaited) => {
        const current = hasWaited ? await refreshCall(ports, ctx, call) : call;
        return request.dryRun
          ? await previewCall(ports, ctx, current)
          : await callWithPermit(ports, ctx, current);
      },
      onVendorLimit: (until) => recordUncalled(ports, ctx, call, limitMessage(call, until)),
    });
  });
}

/** Stage 1, in an account's permit for checks. */
async function checkCall(
  ports: ExecutionPorts,
  ctx: RequestContext,
  request: ExecuteToolRequest,
  time: CallTime,
  check: CheckRequest,
): Promise<CheckedCall> {
  const leftMs = (): number => waitMs(time.until, Date.now());
  return await ports.checkPermits.run(
    { ...placeOf(ctx, request), partition: '', waitMs: leftMs() },
    async () => {
      const readAt = ports.clock.now();
      const { target, inputs, approval } = await check(ports, ctx, request, leftMs);
      const preview = await showFields(ports, ctx, target.tool.definition, inputs.fields, leftMs());
      return {
        target: await withCredentialVersion(ports, ctx, target, request),
        origin: request.origin,
        readAt,
        inputs,
        approval,
        maskedFields: { shown: preview, secrets: [...preview.secrets, ...(request.secrets ?? [])] },
        outputFields: request.outputFields,
        client: request.client,
        takesMcpResult: request.takesMcpResult && target.tool.definition.execution.type === 'mcp',
        takesFiles: request.takesMcpResult,
        until: time.until,
        answerMs: time.answerMs,
        info: infoOf(target, {
          ...time,
          clock: ports.clock,
          origin: request.origin,
          userId: userIdOf(ctx),
          keyId: confinementOf(ctx)?.keyId,
        }),
      };
    },
  );
}

/** Stage 1 for a tool of the catalogue. */
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
  const ownFields = ownInputs(tool.definition, request, request.schemaProfile);
  const fields = withFixedFields(policy, namesOf(tool), ownFields.fields);
  const { source } = request.origin;
  const limits = { accountId: accountOf(ctx), signal: ctx.signal, timeoutMs: leftMs(), source };
  const inputs = await checkInputs(ports, tool, { ...ownFields, fields }, limits);
  requireFixedFields(policy, { ...namesOf(tool), isPlatform: tool.isPlatform }, inputs.fields);
  await findFileInputs(ports, ctx, tool.definition, inputs.fields);
  return { target, inputs, approval };
}

/** A call after its wait, with its current connection. CallerRefused if its caller may no longer act. */
async function refreshCall(
  ports: ExecutionPorts,
  ctx: RequestContext,
  call: CheckedCall,
): Promise<CheckedCall> {
  const readAt = ports.clock.now();
  const [target] = await Promise.all([
    readConnectionAgain(ports, ctx, call.target),
    ports.callers.requireCurrent(ctx),
  ]);
  return { ...call, target, readAt };
}

/** Stages 3 to 7, for a call with a permit. */
async function callWithPermit(
  ports: ExecutionPorts,
  ctx: RequestContext,
  checked: CheckedCall,
): Promise<ExecutionResult> {
  const opened = await openCheckedCall(ports, ctx, checked);
  if (opened.kind === 'none') return await recordUncalled(ports, ctx, checked, opened.errorMessage);

  const admitted = await admitOpenedCall(ports, ctx, checked, opened.call);

  // Writes the row first if the call may have effects, then calls the vendor. `undo` runs only if nothing was executed.
  const recorded = {
    accountId: accountOf(ctx),
    mayHaveEffects: mayHaveEffects(checked.target.tool),
    started: () => startedRecord(checked, admitted.masker),
    undo: admitted.undo,
  };
  const { historyId, result } = await recordExecution(ports, ctx, recorded, async () => {
    const answer = await callTool(ports, ctx, checked, admitted);
    return 'refusal' in answer ? answer : await maskAnswer(ports, ctx, checked, answer);
  });

  if (admitted.approval !== undefined) await dropHeldFiles(ports, ctx, admitted.approval);
  return { ...result, historyId };
}

/**
 * A vendor limits one version of a credential. If a limited connection was read without its version, it is read again to find out whether
 * the limit still applies.
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
  return await readConnectionAgain(ports, ctx, target);
}

/** Files in the body are limited with it; calls with other files use their own permits. */
function permitsFor(ports: ExecutionPorts, { target, inputs }: CheckedCall, { dryRun }: ExecuteToolRequest) {
  const files = fileInputsOf(target.tool.definition.inputSchema, inputs.fields);
  const readsFiles = !dryRun && files.some(({ source }) => source.kind !== 'inline');
  return readsFiles ? { ...ports, permits: ports.filePermits } : ports;
}

function waitingCall(
  ctx: RequestContext,
  { target: { connection }, until }: CheckedCall,
  request: ExecuteToolRequest,
) {
  const left = (): number => waitMs(until, Date.now());
  return { ...placeOf(ctx, request), connection, isDryRun: request.dryRun, waitMs: left };
}

/** The request for a permit. Its size is that of everything sent, including unknown members, because all of it is in memory. */
function placeOf(ctx: RequestContext, { fields, filters }: ExecuteToolRequest) {
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

/** The reason why a call was not made, for people. */
function limitMessage({ target }: CheckedCall, until: Date): string {
  return `${target.tool.applicationSlug} takes no further calls of this connection until ${until.toISOString()}: its rate limit is reached. Nothing was sent.`;
}
