import { ApiError } from '@fairlead/errors/api-error';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { requiresApproval } from '../domain/policy.ts';
import type { Toolset } from '../domain/toolset.ts';
import type { ApprovalStore } from '../ports/approvals.ts';
import type { HourlyCalls } from '../ports/hourly-calls.ts';
import { claimApproval } from './claim-approval.ts';
import type { ApprovableCall, ClaimApprovalDeps } from './claim-approval.ts';

/** What admitCall needs. */
export interface AdmitCallDeps extends ClaimApprovalDeps {
  readonly approvals: Pick<ApprovalStore, 'open' | 'claim' | 'release'>;
  readonly hourlyCalls: HourlyCalls;
}

/** A call that runs once it is admitted. */
export interface AdmissibleCall extends Omit<ApprovableCall, 'toolsetId'> {
  /** The toolset that it is confined to; undefined: none. */
  readonly toolset: Pick<Toolset, 'id' | 'policy'> | undefined;
  /** Slugs that the tool has had; the policy may name it by one. */
  readonly aliases: readonly string[];
}

/**
 * Admits a call that runs at once, by the policy of its toolset: uses its approval, and counts it. FORBIDDEN and
 * APPROVAL_REQUIRED as claimApproval; RATE_LIMIT_EXCEEDED if the toolset's calls of the hour are used up. A call that is
 * refused counts as none and leaves its approval as it was.
 */
export async function admitCall(
  deps: AdmitCallDeps,
  ctx: RequestContext,
  { toolset, aliases, ...call }: AdmissibleCall,
): Promise<void> {
  const policy = toolset?.policy ?? null;
  if (toolset === undefined || policy === null) return;
  const claimed = requiresApproval(policy, { toolSlug: call.toolSlug, aliases })
    ? await claimApproval(deps, ctx, { ...call, toolsetId: toolset.id })
    : undefined;
  if (policy.callsPerHour === null) return;
  try {
    await countCall(deps, ctx, toolset.id, policy.callsPerHour);
  } catch (error) {
    if (claimed !== undefined) await deps.approvals.release(accountOf(ctx), claimed, deps.clock.now());
    throw error;
  }
}

async function countCall(
  { hourlyCalls }: AdmitCallDeps,
  ctx: RequestContext,
  toolsetId: string,
  callsPerHour: number,
): Promise<void> {
  const counted = await hourlyCalls.take(accountOf(ctx), toolsetId, callsPerHour);
  switch (counted.outcome) {
    case 'admitted':
      return;
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
