import { DEFAULT_BUDGETS } from '@fairlead/access/budgets';
import { expect, test } from 'vitest';
import type { McpServerAccess } from '../ports/mcp-server-lookup.ts';
import { checkClient } from './check-client.ts';

const SERVER: McpServerAccess = { accountId: 'acc_1', isActive: true, isAnonymousAllowed: true };

test.each<[string, McpServerAccess | undefined, boolean, string | undefined]>([
  ['goes on acting', SERVER, true, undefined],
  ['whose server is gone may not act', undefined, true, 'invalidCredential'],
  [
    'whose server is of another account may not act',
    { ...SERVER, accountId: 'acc_2' },
    true,
    'invalidCredential',
  ],
  ['whose server is not active may not act', { ...SERVER, isActive: false }, true, 'invalidCredential'],
  [
    'whose server admits only users may not act',
    { ...SERVER, isAnonymousAllowed: false },
    true,
    'invalidCredential',
  ],
  ['whose account is being erased may not act', SERVER, false, 'invalidCredential'],
])('a client without a credential %s', async (_name, server, isOpen, refusal) => {
  const asked: unknown[] = [];
  const answer =
    <T>(found: T) =>
    (id: string) => {
      asked.push(id);
      return Promise.resolve(found);
    };
  const deps = {
    mcpServers: { find: answer(server) },
    findBudgets: answer(isOpen ? DEFAULT_BUDGETS : undefined),
  };
  const caller = { kind: 'anonymousClient', accountId: 'acc_1', serverId: 'server-1' } as const;
  expect(await checkClient(deps, caller)).toBe(refusal);
  expect(asked).toEqual(['server-1', 'acc_1']);
});
