import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import type { MemberReference } from '../domain/records.ts';
import { resolveAccounts } from './resolve-accounts.ts';

const deps = {
  credentials: {
    findMembers: (_ctx: unknown, references: readonly MemberReference[]) =>
      Promise.resolve(references.map(() => ({ account: undefined, user: undefined }))),
  },
};
const references = (count: number): readonly MemberReference[] =>
  Array.from({ length: count }, (_, index) => ({
    accountId: `acc_${index}`,
    userId: undefined,
    keyId: undefined,
  }));

test('a thousand references are resolved in one call, and no more', async () => {
  expect(await resolveAccounts(deps, testContext(), references(1_000))).toHaveLength(1_000);
  await expect(resolveAccounts(deps, testContext(), references(1_001))).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    details: [{ field: 'references' }],
  });
});
