import { createAccountPermits } from '@fairlead/service-kit/permits/account-permits';
import type { PermitCall } from '@fairlead/service-kit/permits/account-permits';
import { WAITING_LIMITS } from '@fairlead/service-kit/permits/permit-queue';
import { expect, test } from 'vitest';
import { endUserPermit, mcpServerPermit, signInPermit } from './vendor-permits.ts';

const { signal } = new AbortController();
const session = (connectSessionId: string | null, userId = 'usr_1', at = 'https://crm.example/authorize') =>
  signInPermit({ accountId: 'acc_1', userId, connectSessionId }, at, signal);
const server = (url: string) => mcpServerPermit('acc_1', url, signal, () => 0);

test.each([
  ['an end user', endUserPermit('acc_1', 'customer-1', signal), endUserPermit('acc_1', 'customer-2', signal)],
  ['a session’s sign-ins', session('cs_1'), session('cs_2')],
  ['a user’s sign-ins', session(null), session(null, 'usr_2')],
  ['a user’s sign-ins at a vendor', session(null), session(null, 'usr_1', 'https://erp.example/')],
  ['an MCP server', server('https://dead.example/mcp'), server('https://mcp.example/mcp')],
  ['sign-ins of sessions with the same opener', session('cs_1'), session(null)],
])('calls of %s that never end leave a turn to the others', async (_whose, hanging, other) => {
  const permits = createAccountPermits({ perAccount: 100, perPartition: 20, ...WAITING_LIMITS });
  const hang = (permit: PermitCall) => permits.run(permit, () => new Promise(() => {})).catch(() => {});
  for (let count = 0; count < 300; count += 1) void hang({ ...hanging, waitMs: 3_600_000 });
  expect(await permits.run(other, (hasWaited) => Promise.resolve(hasWaited))).toBe(false);
  permits.close();
});

test('calls of an end user, and of a session’s sign-ins, take no more than four turns of the account', () => {
  for (const permit of [endUserPermit('acc_1', 'customer-1', signal), session('cs_1')])
    expect(permit.partitionLimits).toEqual({ running: 4, waiting: 16 });
});
