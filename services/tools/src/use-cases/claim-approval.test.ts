import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import type { Approval } from '../domain/approval.ts';
import { approval } from '../testing/approvals.ts';
import { claimApproval } from './claim-approval.ts';

async function claim(named: Approval | undefined, open: Approval | 'full' = approval()): Promise<unknown> {
  const deps: Parameters<typeof claimApproval>[0] = {
    approvals: {
      open: () => Promise.resolve(open),
      claim: (_ctx, _account, id) => Promise.resolve(named?.approvalId === id && named.status === 'approved'),
    },
    fingerprints: { of: () => ['equal', 'equal by a former key'] },
    clock: new ManualClock(approval().createdAt),
  };
  return await claimApproval(deps, testContext(), {
    toolsetId: 't',
    applicationSlug: 'crm',
    toolSlug: 'send',
    toolVersion: '1.0.0',
    connectionId: 7,
    inputs: { fields: {}, filters: [], sorts: [], top: 5, offset: undefined },
    shownFields: () => ({}),
    approval: named,
  }).catch((error: unknown) => error);
}

it('uses the approval of exactly this call, also by a former key', async () => {
  const { approvalId } = approval();
  for (const fingerprint of ['equal', 'equal by a former key'])
    expect(await claim(approval({ status: 'approved', fingerprint }))).toBe(approvalId);
  const required = { code: 'APPROVAL_REQUIRED', approvalId };
  for (const status of ['pending', 'used', 'expired'] as const)
    expect(await claim(approval({ status }))).toMatchObject(required);
  for (const status of ['approved', 'rejected'] as const)
    expect(await claim(approval({ status, fingerprint: 'other' }))).toMatchObject(required);
  expect(await claim(undefined)).toMatchObject(required);
  expect(await claim(approval({ status: 'rejected' }))).toMatchObject({ code: 'FORBIDDEN' });
  expect(await claim(undefined, 'full')).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
});
