import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import { approval } from '../../testing/approvals.ts';
import { noFiles } from '../../testing/files.ts';
import { toolset } from '../../testing/toolsets.ts';
import { decideApproval } from './decide-approval.ts';

it('decides what can be decided so; the same again changes nothing', async () => {
  const asked: unknown[] = [];
  const found = approval({ status: 'rejected' });
  const deps: Parameters<typeof decideApproval>[0] = {
    approvals: {
      find: (_ctx, _account, id) => Promise.resolve(id === found.approvalId ? found : undefined),
      decide(_ctx, accountId, id, { from, to }) {
        asked.push([accountId, id, from, to]);
        return Promise.resolve(undefined);
      },
    },
    toolsets: { find: () => Promise.resolve(undefined) },
    files: noFiles.files,
    clock: new ManualClock(found.createdAt),
  };
  const ctx = testContext({ accountId: 'mine' });
  const { approvalId } = found;
  expect(await decideApproval(deps, ctx, { approvalId, isApproved: false })).toEqual(found);
  await expect(decideApproval(deps, ctx, { approvalId, isApproved: true })).rejects.toMatchObject({
    code: 'CONFLICT',
  });
  await expect(decideApproval(deps, ctx, { approvalId: 'x', isApproved: true })).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
  expect(asked).toEqual([
    ['mine', approvalId, ['pending', 'approved'], 'rejected'],
    ['mine', approvalId, ['pending'], 'approved'],
  ]);
});

const KEPT = {
  field: 'file',
  name: 'a.txt',
  contentType: 'text/plain',
  sizeBytes: 1,
  sha256: 'abc',
  text: null,
  heldFileId: 'file_1',
};

it.each(['approved', 'rejected'] as const)(
  'keeps its files once it is %s only if it is approved',
  async (status) => {
    const dropped: unknown[] = [];
    const decided = approval({ status, files: [KEPT] });
    const deps = {
      approvals: { find: () => Promise.resolve(approval()), decide: () => Promise.resolve(decided) },
      toolsets: { find: () => Promise.resolve(undefined) },
      files: { dropHeld: (...of: unknown[]) => Promise.resolve(void dropped.push(of)) },
      clock: new ManualClock(decided.createdAt),
    };
    const { approvalId } = decided;
    const ctx = testContext({ accountId: 'mine' });
    await decideApproval(deps, ctx, { approvalId, isApproved: status === 'approved' });
    expect(dropped).toEqual(status === 'approved' ? [] : [['mine', { approvalId }, decided.createdAt]]);
  },
);

const OTHER = { readOnly: false, fixedFields: {}, callsPerHour: null, requireApproval: [] };

it.each([
  ['at its request', true, undefined],
  ['now', false, toolset({ policy: { ...OTHER, approvedByOther: true } })],
] as const)(
  'is decided by nobody who called it, if the policy wants that %s',
  async (_when, requiresOther, stored) => {
    const found = approval({ requiresOther });
    const decided: string[] = [];
    const deps: Parameters<typeof decideApproval>[0] = {
      approvals: {
        find: () => Promise.resolve(found),
        decide(_ctx, _accountId, _id, { userId }) {
          decided.push(userId);
          return Promise.resolve(found);
        },
      },
      toolsets: { find: () => Promise.resolve(stored) },
      files: noFiles.files,
      clock: new ManualClock(found.createdAt),
    };
    const { approvalId, requestedBy } = found;
    for (const isApproved of [true, false]) {
      const own = decideApproval(deps, testContext({ userId: requestedBy }), { approvalId, isApproved });
      await expect(own).rejects.toMatchObject({ code: 'FORBIDDEN' });
      await decideApproval(deps, testContext({ userId: 'chief' }), { approvalId, isApproved });
    }
    expect(decided).toEqual(['chief', 'chief']);
  },
);
