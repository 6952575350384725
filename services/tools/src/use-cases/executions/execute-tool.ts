import { ApiError } from '@fairlead/errors/api-error';
import { accountOf, confinementOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { AccountSlots } from '@fairlead/service-kit/slots/account-slots';
import { heldBytes } from '@fairlead/service-kit/slots/held-bytes';
import type { FlaggedFields } from '@fairlead/connector-runtime/secret-fields/secret-fields';
import type { Approval } from '../../domain/approval.ts';
import { endOfCall, waitMs } from '../../domain/call-time.ts';
import { fileInputsOf } from '../../domain/file-input.ts';
import type { OutputFields } from '../../domain/output-fields.ts';
import { ownInputs } from '../../domain/own-inputs.ts';
import { withFixedFields } from '../../domain/policy.ts';
import { namesOf, refuseUnlicensed, versionedTool } from '../../domain/target.ts';
import type { Target } from '../../domain/target.ts';
import { requireFixedFields } from '../../domain/toolset-scope.ts';
import type { ToolsetStore } from '../../ports/toolset-store.ts';
import type { VendorLimits } from '../../ports/vendor-limits.ts';
import { checkAgain } from './check-again.ts';
import { checkInputs } from './check-inputs.ts';
import type { CheckInputsDeps, Inputs, RequestedInputs } from './check-inputs.ts';
import { findApproval } from '../approvals/find-approval.ts';
import type { FindApprovalDeps } from '../approvals/find-approval.ts';
import { findFileInputs } from '../files/find-file-inputs.ts';
import { performCall } from './perform-call.ts';
import { recordUncalled } from './record-uncalled.ts';
import type { ExecuteToolResult, PerformCallDeps, StartedCall } from './perform-call.ts';
import { previewCall } from './preview-call.ts';
import { resolveTarget } from './resolve-target.ts';
import type { TargetRequest } from './resolve-target.ts';
import { showFields } from './show-fields.ts';
import { waitForVendor } from './wait-for-vendor.ts';
import type { WaitForVendorDeps } from './wait-for-vendor.ts';

export type { ExecuteToolResult };

/** What executeTool needs. */
export interface ExecuteToolDeps
  extends PerformCallDeps, CheckInputsDeps, FindApprovalDeps, WaitForVendorDeps {
  readonly approvals: PerformCallDeps['approvals'] & FindApprovalDeps['approvals'];
  readonly toolsets: Pick<ToolsetStore, 'find'>;
  readonly vendorLimits: VendorLimits;
  /** In place of `slots` for calls whose inputs are files that are read, which are in memory until the vendor has answered. */
  readonly fileSlots: Pick<AccountSlots, 'run'>;
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
  /** The only tools that it may call, as versionedTool names them; undefined: any. */
  readonly approvedTools?: readonly string[] | undefined;
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

/** When a call arrived, and its deadline in milliseconds of real time. */
interface CallTime {
  readonly startedAt: Date;
  readonly until: number;
}

/**
 * Executes a tool with one of the account's connections. Refusals come in the order of the contract: tool, toolset,
 * connection, application, licence, inputs; then RATE_LIMIT_EXCEEDED, if the account or the connection has no free slot
 * in time; then what the policy of the call's toolset refuses. A refusal executes nothing and leaves no row, and calls no
 * vendor except one that alone knows which fields a query may name. Later failures are results with `isSuccess` false and a
 * row. A call whose toolset or connection changes before it leaves is checked anew. `check` takes the place of the checks up to the inputs
 * for a call that is no tool's of the catalogue.
 */
export async function executeTool(
  deps: ExecuteToolDeps,
  ctx: RequestContext,
  request: ExecuteToolRequest,
  check: CheckCall = checkToolCall,
): Promise<ExecuteToolResult> {
  const time = {
    startedAt: deps.clock.now(),
    until: endOfCall(ctx.deadline, deps.timeoutMs, Date.now()),
  };
  return await checkAgain(() => checkAndCall(deps, ctx, request, check, time));
}

async function checkAndCall(
  deps: ExecuteToolDeps,
  ctx: RequestContext,
  request: ExecuteToolRequest,
  check: CheckCall,
  { startedAt, until }: CallTime,
): Promise<ExecuteToolResult> {
  const { signal } = ctx;
  const held = {
    accountId: accountOf(ctx),
    signal,
    // Of all that was sent: what the tool does not know is in memory too.
    heldBytes: () => heldBytes([request.fields, ...request.filters.map(({ value }) => value)]),
  };
  const { target, inputs, approval, shown, readAt } = await deps.checkSlots.run(
    { ...held, lane: '', waitMs: waitMs(until, Date.now()) },
    async () => {
      const leftMs = (): number => waitMs(until, Date.now());
      const readAt = deps.clock.now();
      const checked = await check(deps, ctx, request, leftMs);
      const { definition } = checked.target.tool;
      const { fields } = checked.inputs;
      const shown = await showFields(deps, ctx, definition, fields, leftMs());
      const target = await limitedTarget(deps, ctx, checked.target, request);
      return { ...checked, shown, target, readAt };
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
      const current = hasWaited ? await currentCall(deps, ctx, target) : { readAt, target };
      const run = startRun(deps, ctx, current, started);
      return request.dryRun ? previewCall(deps, ctx, run) : performCall(deps, ctx, run);
    },
    sayWhen: (limitedUntil) => {
      const run = startRun(deps, ctx, { readAt, target }, started);
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
  if (request.approvedTools?.includes(versionedTool(target.tool)) === false) throw notApproved(target);
  refuseUnlicensed(target.connection);
  const approval = await findApproval(deps, ctx, request.approvalId);
  const o = { accountId: accountOf(ctx), signal: ctx.signal, timeoutMs: leftMs() };
  const { tool, toolset } = target;
  const given = ownInputs(tool.definition, request, request.schemaProfile);
  const policy = toolset?.policy ?? null;
  const fields = withFixedFields(policy, namesOf(tool), given.fields);
  const inputs = await checkInputs(deps, tool, { ...given, fields }, o);
  requireFixedFields(policy, { ...namesOf(tool), isPlatform: tool.isPlatform }, inputs.fields);
  await findFileInputs(deps, ctx, tool.definition, inputs.fields);
  return { target, inputs, approval };
}

function notApproved({ tool: { applicationSlug, definition } }: Target): ApiError {
  return new ApiError(
    'FORBIDDEN',
    `The run was approved with another tool, or another version of it, than ${definition.toolSlug} of ${applicationSlug} is now. It was not called.`,
  );
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

/** A call that has waited, as it is now. CallerRefused if its caller may not act any more. */
async function currentCall(
  deps: ExecuteToolDeps,
  ctx: RequestContext,
  target: Target,
): Promise<Pick<StartedCall, 'target' | 'readAt'>> {
  const readAt = deps.clock.now();
  const [current] = await Promise.all([currentTarget(deps, ctx, target), deps.callers.requireCurrent(ctx)]);
  return { readAt, target: current };
}

async function currentTarget(deps: ExecuteToolDeps, ctx: RequestContext, target: Target): Promise<Target> {
  const connection = await deps.connections.getConnection(ctx, target.connection.id, undefined);
  refuseUnlicensed(connection);
  return { ...target, connection };
}

function startRun(
  deps: ExecuteToolDeps,
  ctx: RequestContext,
  { target, readAt }: Pick<StartedCall, 'target' | 'readAt'>,
  o: Pick<StartedCall, 'inputs' | 'approval' | 'until' | 'outputFields'> & {
    readonly startedAt: Date;
    readonly shown: FlaggedFields;
    readonly secrets: readonly string[];
  },
): StartedCall {
  const { definition, applicationSlug } = target.tool;
  const { shown } = o;
  const confinement = confinementOf(ctx);
  return {
    target,
    readAt,
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
      ...(confinement && { keyId: confinement.keyId }),
    }),
  };
}
