import type { Json, JsonObject } from '@fairlead/connector-model/model';
import { createMasker } from '@fairlead/connector-runtime/value-masking';
import { ManualClock } from '@fairlead/service-kit/clock';
import { deferJson, setDeferred } from '@fairlead/service-kit/json/deferred-json';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import type { Approval } from '../domain/approval.ts';
import { approval } from '../testing/approvals.ts';
import { connection } from '../testing/tool-calls.ts';
import { claimApproval } from './claim-approval.ts';

const SECRET = 'secret-of-the-connection';
const requested: Approval[] = [];

async function claim(
  named: Approval | undefined,
  open: Approval | 'full' = approval(),
  fields: JsonObject = {},
): Promise<unknown> {
  const deps: Parameters<typeof claimApproval>[0] = {
    approvals: {
      open(_ctx, _account, wanted) {
        requested.push(wanted);
        return Promise.resolve(open);
      },
      remove: () => Promise.resolve(),
      claim: (_ctx, _account, id) => Promise.resolve(named?.approvalId === id && named.status === 'approved'),
    },
    connections: { findConnections: () => Promise.resolve([connection()]) },
    fingerprints: { of: () => ['equal', 'equal by a former key'] },
    clock: new ManualClock(approval().createdAt),
  };
  return await claimApproval(deps, testContext(), {
    toolsetId: 't',
    applicationSlug: 'crm',
    toolSlug: 'send',
    toolVersion: '1.0.0',
    connectionId: 7,
    bound: () => Promise.resolve({ connections: [] }),
    endUserId: 'customer-1',
    inputs: {
      fields,
      filters: [{ field: 'pin', operator: 'eq', value: SECRET }],
      sorts: [],
      top: 5,
      offset: undefined,
    },
    shownFields: () => fields,
    masker: () => Promise.resolve(createMasker([SECRET])),
    approval: named,
    requiresOther: false,
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

it('refuses inputs that nobody would read, and parses none that are too large by themselves', async () => {
  const large = { code: 'VALIDATION_ERROR', details: [{ field: 'fields' }] };
  expect(await claim(undefined, approval(), { text: 'x'.repeat(256 * 1024) })).toMatchObject(large);
  const list = deferJson(Buffer.from('[no JSON'.padEnd(257 * 1024))) as Json;
  expect(await claim(undefined, approval(), { list })).toMatchObject(large);
  const fields = { text: null };
  setDeferred(fields, 'text', Buffer.from('"no JSON'.padEnd(257 * 1024)));
  expect(await claim(undefined, approval(), fields)).toMatchObject(large);
});

it('shows whoever approves for which end user it is, and no secret, in the fields and beside them', async () => {
  await claim(undefined, approval(), { to: SECRET, text: 'Hi' });
  expect(requested.at(-1)).toMatchObject({
    endUserId: 'customer-1',
    fields: { to: '***', text: 'Hi' },
    query: { filters: [{ field: 'pin', operator: 'eq', value: '***' }], top: 5 },
  });
});
