import { expect, test } from 'vitest';
import { MADE_AT, trigger } from '../testing/triggers.ts';
import { isWanted, retryAt } from './vendor-webhook.ts';

const webhook = { id: 'whk_1', connectionId: 7 };

test('a registration is wanted by an enabled trigger that names it, with its connection', () => {
  expect(isWanted(webhook, trigger({ webhookId: 'whk_1' }))).toBe(true);
  expect(isWanted(webhook, undefined)).toBe(false);
  expect(isWanted(webhook, trigger({ webhookId: 'whk_1', isEnabled: false }))).toBe(false);
  expect(isWanted(webhook, trigger({ webhookId: 'whk_2' }))).toBe(false);
  expect(isWanted(webhook, trigger({ webhookId: 'whk_1', connectionId: 8 }))).toBe(false);
});

test('failures are repeated later and later, up to an hour, for about a month', () => {
  const afterMs = (failures: number) => (retryAt(MADE_AT, failures)?.getTime() ?? 0) - MADE_AT.getTime();
  expect([1, 2, 3, 11, 12, 700].map(afterMs)).toEqual([2_000, 4_000, 8_000, 2_048_000, 3_600_000, 3_600_000]);
  expect(retryAt(MADE_AT, 701)).toBeUndefined();
});
