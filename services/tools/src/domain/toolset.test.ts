import { expect, it } from 'vitest';
import { toolset } from '../testing/toolsets.ts';
import { checkToolset } from './toolset.ts';

const policy = { readOnly: false, fixedFields: {}, callsPerHour: null, requireApproval: [] };

it('holds each item of a list once, in order', () => {
  const a = { applicationSlug: 'crm', toolSlug: 'a' };
  const b = { applicationSlug: 'crm', toolSlug: 'b' };
  expect(
    checkToolset({
      connectionIds: [3, 1, 3],
      tools: [b, a, { ...b }],
      workflowTokens: ['x', 'x'],
      policy: { ...policy, requireApproval: ['b', 'a', 'b'] },
    }),
  ).toEqual({
    connectionIds: [3, 1],
    tools: [b, a],
    workflowTokens: ['x'],
    policy: { ...policy, requireApproval: ['b', 'a'] },
  });
  expect(checkToolset({ name: 'Only the name' })).toEqual({ name: 'Only the name' });
});

it.each([
  ['name', { name: '' }],
  ['name', { name: 'x'.repeat(201) }],
  ['description', { description: 'x'.repeat(2_001) }],
  ['connections', { connectionIds: Array.from({ length: 501 }, (_, index) => index + 1) }],
  ['connections[1].connectionId', { connectionIds: [1, 0] }],
  ['tools', { tools: Array.from({ length: 1_001 }, () => ({ applicationSlug: 'crm', toolSlug: 'a' })) }],
  ['workflows', { workflowTokens: Array.from({ length: 101 }, () => 'x') }],
  ['policy.callsPerHour', { policy: { ...policy, callsPerHour: 0 } }],
  ['policy.callsPerHour', { policy: { ...policy, callsPerHour: 1.5 } }],
  [
    'policy.requireApproval',
    { policy: { ...policy, requireApproval: Array.from({ length: 201 }, () => 'x') } },
  ],
  ['policy.fixedFields', { policy: { ...policy, fixedFields: { a: { b: 'x'.repeat(70_000) } } } }],
  [
    'policy',
    {
      policy: {
        ...policy,
        requireApproval: Array.from({ length: 200 }, (_, index) => `${index}${'x'.repeat(400)}`),
      },
    },
  ],
])('names %s when it is out of bounds', (field, wrong) => {
  expect(() => checkToolset({ ...toolset(), ...wrong })).toThrow(
    expect.objectContaining({ code: 'VALIDATION_ERROR', details: [expect.objectContaining({ field })] }),
  );
});
