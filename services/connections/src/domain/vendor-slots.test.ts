import { createAccountSlots } from '@fairlead/service-kit/slots/account-slots';
import type { SlotCall } from '@fairlead/service-kit/slots/account-slots';
import { WAITING_LIMITS } from '@fairlead/service-kit/slots/slot-queue';
import { expect, test } from 'vitest';
import { endUserSlot, mcpServerSlot, signInSlot } from './vendor-slots.ts';

const { signal } = new AbortController();
const session = (connectSessionId: string | null, userId = 'usr_1', at = 'https://crm.example/authorize') =>
  signInSlot({ accountId: 'acc_1', userId, connectSessionId }, at, signal);
const server = (url: string) => mcpServerSlot('acc_1', url, signal, () => 0);

test.each([
  ['an end user', endUserSlot('acc_1', 'customer-1', signal), endUserSlot('acc_1', 'customer-2', signal)],
  ['a session’s sign-ins', session('cs_1'), session('cs_2')],
  ['a user’s sign-ins', session(null), session(null, 'usr_2')],
  ['a user’s sign-ins at a vendor', session(null), session(null, 'usr_1', 'https://erp.example/')],
  ['an MCP server', server('https://dead.example/mcp'), server('https://mcp.example/mcp')],
  ['sign-ins of sessions with the same opener', session('cs_1'), session(null)],
])('calls of %s that never end leave a turn to the others', async (_whose, hanging, other) => {
  const slots = createAccountSlots({ perAccount: 100, perPartition: 20, ...WAITING_LIMITS });
  const hang = (slot: SlotCall) => slots.run(slot, () => new Promise(() => {})).catch(() => {});
  for (let count = 0; count < 300; count += 1) void hang({ ...hanging, waitMs: 3_600_000 });
  expect(await slots.run(other, (hasWaited) => Promise.resolve(hasWaited))).toBe(false);
  slots.close();
});

test('calls of an end user, and of a session’s sign-ins, take no more than four turns of the account', () => {
  for (const slot of [endUserSlot('acc_1', 'customer-1', signal), session('cs_1')])
    expect(slot.partitionLimits).toEqual({ running: 4, waiting: 16 });
});
