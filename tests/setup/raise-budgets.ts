import type { DevStack } from './dev-stack.ts';

/** More than any test needs: the defaults are for people, and suites send thousands of calls. */
export const AMPLE_BUDGETS = {
  burstPerSecond: 1_000_000,
  hourly: 1_000_000_000,
  searchPerSecond: 1_000_000,
  searchPerHour: 1_000_000_000,
  triggerTestPerMinute: 1_000_000,
  hookPerSecond: 1_000_000,
} as const;

/** Raises an account's budgets through the API, as its administrator. */
async function raiseBudgets(baseUrl: string, apiKey: string): Promise<void> {
  const answer = await fetch(new URL('/admin/v1/account', baseUrl), {
    method: 'PATCH',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ budgets: AMPLE_BUDGETS }),
  });
  if (!answer.ok) throw new Error(`Budgets cannot be raised: ${answer.status} ${await answer.text()}`);
}

/** Raises the seeded accounts' budgets. */
export async function raiseSeededBudgets({ baseUrl, account, otherAccount }: DevStack): Promise<void> {
  for (const { apiKey } of [account, otherAccount]) await raiseBudgets(baseUrl, apiKey);
}
