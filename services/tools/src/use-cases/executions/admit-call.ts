import { ApiError } from '@fairlead/errors/api-error';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Approval } from '../../domain/approval.ts';
import { requiresApproval } from '../../domain/policy.ts';
import type { NamedTool } from '../../domain/policy.ts';
import type { Toolset } from '../../domain/toolset.ts';
import type { ApprovalStore } from '../../ports/approvals.ts';
import type { HourlyCalls } from '../../ports/hourly-calls.ts';
import { claimApproval } from '../approvals/claim-approval.ts';
import type { ApprovableCall, ClaimApprovalDeps } from '../approvals/claim-approval.ts';

export interface AdmitCallDeps extends ClaimApprovalDeps {
  readonly approvals: Pick<ApprovalStore, 'findOfCall' | 'open' | 'claim' | 'remove' | 'release'>;
  readonly hourlyCalls: HourlyCalls;
}

/** A call to be admitted. */
export interface AdmissibleCall extends Omit<ApprovableCall, 'toolsetId' | 'requiresOther'>, NamedTool {
  /** The toolset to which it is restricted; undefined: none. */
  readonly toolset: Pick<Toolset, 'id' | 'policy'> | undefined;
}

/** Undoes an admission, for a call of which nothing was executed. Never rejects; later calls of it do nothing. */
export type UndoAdmission = () => Promise<void>;

/** An admitted call. */
export interface Admission {
  readonly undo: UndoAdmission;
  /** The used approval; undefined: none was needed. */
  readonly approval: Approval | undefined;
}

/**
 * Admits a call under its toolset's policy: uses its approval, and counts it. FORBIDDEN and APPROVAL_REQUIRED as for claimApproval;
 * RATE_LIMIT_EXCEEDED if the toolset has used its calls of the hour. A refused call is not counted and leaves its approval unchanged; if
 * the call is refused later, the returned `undo` restores both. If the process dies before `undo`, approval and count stay used: an
 * approved call runs at most once.
 */
export async function admitCall(
  deps: AdmitCallDeps,
  ctx: RequestContext,
  { toolset, aliases, identities, ...call }: AdmissibleCall,
): Promise<Admission> {
  const used: (() => Promise<void>)[] = [];
  const undo: UndoAdmission = async () => {
    for (const giveBack of used.splice(0))
      await giveBack().catch((error: unknown) =>
        ctx.log.error({ err: error }, 'could not undo the admission of a refused call'),
      );
  };
  const policy = toolset?.policy ?? null;
  if (toolset === undefined || policy === null) return { undo, approval: undefined };
  let approval: Approval | undefined;
  if (requiresApproval(policy, { toolSlug: call.toolSlug, aliases, identities })) {
    const { approvedByOther: requiresOther = false } = policy;
    approval = await claimApproval(deps, ctx, { ...call, toolsetId: toolset.id, requiresOther });
    const { approvalId } = approval;
    used.push(() => deps.approvals.release(accountOf(ctx), approvalId, deps.clock.now()));
  }
  if (policy.callsPerHour === null) return { undo, approval };
  try {
    used.push(await countCall(deps, ctx, toolset.id, policy.callsPerHour));
  } catch (error) {
    await undo();
    throw error;
  }
  return { undo, approval };
}

async function countCall(
  { hourlyCalls }: AdmitCallDeps,
  ctx: RequestContext,
  toolsetId: string,
  callsPerHour: number,
): Promise<() => Promise<void>> {
  const counted = await hourlyCalls.take(accountOf(ctx), toolsetId, callsPerHour);
  switch (counted.outcome) {
    case 'admitted':
      return () => counted.giveBack();
    case 'refused':
      throw new ApiError(
        'RATE_LIMIT_EXCEEDED',
        `The toolset permits ${callsPerHour} calls an hour, which are used up. Nothing was executed.`,
        { retryAfterSeconds: counted.retryAfterSeconds },
      );
    case 'unavailable':
      throw new ApiError('UNAVAILABLE', 'The call cannot be counted now. Nothing was executed; try again.');
  }
}
