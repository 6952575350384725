import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import type { Toolset } from '../../domain/toolset.ts';
import { toolset } from '../../testing/toolsets.ts';
import { requireCurrentToolset } from './require-current-toolset.ts';

const POLICY = { readOnly: false, fixedFields: { a: { b: 1 } }, callsPerHour: 5, requireApproval: ['c'] };
const held = toolset({ policy: POLICY });

function check(stored: Toolset | undefined) {
  const toolsets = { find: () => Promise.resolve(stored) };
  return requireCurrentToolset({ toolsets }, testContext(), held);
}

test('a toolset is the same with another name', async () => {
  await expect(check({ ...structuredClone(held), name: 'Other' })).resolves.toBeUndefined();
});

test('a toolset that is gone is NOT_FOUND', async () => {
  await expect(check(undefined)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test.each<[string, Partial<Toolset>]>([
  ['connections', { connectionIds: [8] }],
  ['tools', { tools: [] }],
  ['workflows', { workflowTokens: ['wf'] }],
  ['readOnly', { policy: { ...POLICY, readOnly: true } }],
  ['fixedFields', { policy: { ...POLICY, fixedFields: { a: { b: 2 } } } }],
  ['callsPerHour', { policy: { ...POLICY, callsPerHour: 4 } }],
  ['requireApproval', { policy: { ...POLICY, requireApproval: [] } }],
  ['approvedByOther', { policy: { ...POLICY, approvedByOther: true } }],
  ['no policy', { policy: null }],
])('a toolset with other %s is another one', async (_what, change) => {
  await expect(check({ ...held, ...change })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});
