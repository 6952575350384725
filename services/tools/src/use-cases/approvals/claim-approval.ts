import type { Json, JsonObject } from '@fairlead/connector-model/json';
import type { ValueMasker } from '@fairlead/connector-runtime/value-masking';
import { ApiError, validationError } from '@fairlead/errors/api-error';
import { accountOf, userIdOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { guid } from '@fairlead/service-kit/ids';
import { LazyJson, parsedMembers } from '@fairlead/service-kit/json/lazy-json';
import { canonicalCall, expiryOf, secretRepeated } from '../../domain/approval.ts';
import type { Approval, ApprovedCall } from '../../domain/approval.ts';
import { CallChanged } from '../../domain/call-changed.ts';
import type { CallOrigin } from '../../domain/call-origin.ts';
import type { ApprovalStore } from '../../ports/approvals.ts';
import type { CallFingerprints } from '../../ports/call-fingerprints.ts';
import type { Connections } from '../../ports/connections.ts';
import type { ToolsetStore } from '../../ports/toolset-store.ts';
import type { Inputs } from '../../domain/query.ts';
import { describeFileInputs } from '../files/describe-file-inputs.ts';
import { dropHeldFiles } from '../files/drop-held-files.ts';
import { holdFileInputs } from '../files/hold-file-inputs.ts';
import type { HoldFileInputsDeps } from '../files/hold-file-inputs.ts';

export interface ClaimApprovalDeps extends HoldFileInputsDeps {
  readonly approvals: Pick<ApprovalStore, 'findOfCall' | 'open' | 'claim' | 'remove'>;
  readonly connections: Pick<Connections, 'findConnections'>;
  readonly fingerprints: CallFingerprints;
  readonly toolsets: Pick<ToolsetStore, 'find'>;
}

/** A call that needs an approval. */
export interface ApprovableCall extends Omit<ApprovedCall, 'userId' | 'inputs' | 'bound'> {
  readonly origin: CallOrigin;
  /** Reads the connections that the call may use. */
  readonly bound: () => Promise<ApprovedCall['bound']>;
  /** All inputs of the call. */
  readonly inputs: Inputs;
  /** The input schema, which says which inputs are files. */
  readonly inputSchema: JsonObject;
  /** Time limit for fetching all its files. */
  readonly leftMs: () => number;
  /** The fields for the approver: flagged secrets masked, otherwise complete, up to MAX_APPROVED_BYTES of inputs. */
  readonly shownFields: () => JsonObject;
  /** Masks the other secrets in the inputs. */
  readonly masker: () => Promise<ValueMasker>;
  /** The named approval; MCP clients name none, but send the same call again. */
  readonly approval: Approval | undefined;
  /** Whether somebody other than the calling user must decide. */
  readonly requiresOther: boolean;
}

/** Larger inputs cannot be approved: nobody would read them, and everything approved must be shown. */
const MAX_APPROVED_BYTES = 256 * 1024;
/** Maximum number of pending approvals per user. */
const MAX_PENDING = 1_000;
const FULL_RETRY_SECONDS = 60;

/**
 * Uses the approval of exactly this call and returns it: the named one or, through an MCP server, that of an equal call. FORBIDDEN if it
 * was rejected, or without a calling user. Otherwise APPROVAL_REQUIRED with the id of the approval that the call waits for; equal calls
 * share it. VALIDATION_ERROR if an approver could not see everything: the inputs are too large, or hide a secret. The first such call has
 * its files fetched and stored, with the refusals of holdFileInputs.
 */
export async function claimApproval(
  deps: ClaimApprovalDeps,
  ctx: RequestContext,
  call: ApprovableCall,
): Promise<Approval> {
  const { toolsetId, applicationSlug, toolSlug, connectionId, endUserId } = call;
  const accountId = accountOf(ctx);
  const userId = userIdOf(ctx);
  if (userId === null) throw noRequester();
  const query = queryOf(call.inputs);
  const fields = await describeFileInputs(deps, ctx, call, call.inputs.fields);
  // A member that alone is too large is not parsed.
  const isTooLarge = (value: unknown) => value instanceof LazyJson && value.bytes.length > MAX_APPROVED_BYTES;
  if (Object.values(fields).some(isTooLarge)) throw tooLarge();
  const bound = await call.bound();
  const text = canonicalCall({ ...call, bound, userId, inputs: { fields: parsedMembers(fields), query } });
  if (Buffer.byteLength(text) > MAX_APPROVED_BYTES) throw tooLarge();
  const fingerprints = deps.fingerprints.of(text);
  const now = deps.clock.now();
  // Steps of a run never repeat a call.
  const isSentAgain = call.origin.source === 'mcp';
  const approval =
    call.approval ??
    (isSentAgain ? await deps.approvals.findOfCall(ctx, accountId, fingerprints, now) : undefined);
  if (approval !== undefined && fingerprints.includes(approval.fingerprint)) {
    if (approval.status === 'rejected')
      throw new ApiError('FORBIDDEN', 'The call was not approved: its approval was rejected.');
    const notDecidedBy = call.requiresOther ? userId : undefined;
    if (await deps.approvals.claim(ctx, accountId, approval.approvalId, { notDecidedBy, now }))
      return approval;
  }
  const approvalId = guid();
  const request = async (): Promise<Approval> => {
    const masker = await call.masker();
    const fields = call.shownFields();
    if (hides(masker, fields) || hides(masker, query)) throw secretRepeated('fields');
    const keeper = { approvalId, endUserId, until: expiryOf(now) };
    const holding = { keeper, masker, leftMs: call.leftMs };
    return {
      approvalId,
      status: 'pending',
      toolsetId,
      applicationSlug,
      toolSlug,
      connectionId,
      endUserId,
      fields: LazyJson.of(fields),
      query: LazyJson.of(query),
      files: await holdFileInputs(deps, ctx, call, call.inputs.fields, holding),
      requestedBy: userId,
      decidedBy: null,
      requiresOther: call.requiresOther,
      fingerprint: fingerprints[0],
      createdAt: now,
      updatedAt: now,
    };
  };
  // A tool's call was checked with its connection, even if that has changed since.
  const theirs =
    connectionId === null ? await countOfEndUser(deps, ctx, call, bound) : Number(endUserId !== null);
  const { requiresOther } = call;
  const o = { requestedBy: userId, requiresOther, fingerprints, most: MAX_PENDING, now };
  const newApprovals: Approval[] = [];
  const open = await deps.approvals.open(ctx, accountId, o, async () => {
    const requested = await request();
    newApprovals.push(requested);
    return requested;
  });
  // An equal call was faster, or the maximum was reached.
  if (open === 'full' || open.approvalId !== approvalId)
    for (const requested of newApprovals) await dropHeldFiles(deps, ctx, requested);
  // If an end user or toolset is deleted concurrently, either the deletion or this step comes last, and ends the approval.
  const isInVain = async (): Promise<boolean> =>
    theirs > (await countOfEndUser(deps, ctx, call, bound)) ||
    (await deps.toolsets.find(ctx, accountId, toolsetId)) === undefined;
  if (open !== 'full' && (await isInVain())) {
    await deps.approvals.remove(ctx, accountId, open.approvalId);
    await dropHeldFiles(deps, ctx, open);
    throw new CallChanged();
  }
  throw approvalRequired(open, isSentAgain);
}

/** Number of its end user's connections that a call may use now; 0 without an end user. */
async function countOfEndUser(
  { connections }: Pick<ClaimApprovalDeps, 'connections'>,
  ctx: RequestContext,
  { endUserId }: ApprovableCall,
  bound: ApprovedCall['bound'],
): Promise<number> {
  if (endUserId === null) return 0;
  return (await connections.findConnections(ctx, { ids: bound.connections.map(({ id }) => id), endUserId }))
    .length;
}

/** An approval is for one caller, and anonymous clients cannot be told apart. */
function noRequester(): ApiError {
  return new ApiError(
    'FORBIDDEN',
    'The call has to be approved, which only a call of a user can be: the client has no credential. Nothing was executed.',
  );
}

function tooLarge(): ApiError {
  return validationError({
    field: 'fields',
    issue: `must be at most ${MAX_APPROVED_BYTES / 1024} KiB of JSON for a call that has to be approved`,
  });
}

/** Whether a part that the schema does not flag contains a secret. */
function hides(masker: ValueMasker, fields: JsonObject): boolean {
  return JSON.stringify(masker.object(fields)) !== JSON.stringify(fields);
}

function approvalRequired(open: Approval | 'full', isSentAgain: boolean): ApiError {
  if (open === 'full')
    return new ApiError(
      'RATE_LIMIT_EXCEEDED',
      `The call has to be approved, and ${MAX_PENDING} approvals of its user are pending. Decide some of them first.`,
      { retryAfterSeconds: FULL_RETRY_SECONDS },
    );
  const { approvalId, status } = open;
  if (isSentAgain)
    return new ApiError(
      'APPROVAL_REQUIRED',
      `${whoApproves(open)} Then send the same call again. Nothing was executed.`,
      {
        approvalId,
      },
    );
  const message =
    status === 'approved'
      ? `The call is approved. Repeat it with approvalId=${approvalId}.`
      : `The call has to be approved. Once approval ${approvalId} is, repeat the call with approvalId=${approvalId}.`;
  return new ApiError('APPROVAL_REQUIRED', `${message} Nothing was executed.`, { approvalId });
}

function whoApproves({ approvalId, requiresOther }: Approval): string {
  const who = requiresOther ? 'A user other than its caller' : 'A user';
  return `The call has to be approved. ${who} with the permission tools.write approves it: approval ${approvalId}.`;
}

/** The inputs of the call other than its fields. */
function queryOf({ filters, sorts, top, offset }: Inputs): JsonObject {
  const query: Record<string, Json> = {};
  if (filters.length > 0) query['filters'] = filters.map((filter) => ({ ...filter }));
  if (sorts.length > 0) query['sorts'] = sorts.map((sort) => ({ ...sort }));
  if (top !== undefined) query['top'] = top;
  if (offset !== undefined) query['offset'] = offset;
  return query;
}
