import { randomBytes } from 'node:crypto';
import type { DevStack } from '../setup/dev-stack.ts';
import { AMPLE_BUDGETS } from '../setup/raise-budgets.ts';

/** An account of a benchmark, with budgets that are never reached. */
export interface Account {
  readonly accountId: string;
  readonly apiKey: string;
}

/** Creates one. */
export async function createAccount({ baseUrl, operatorKey }: DevStack): Promise<Account> {
  const mark = randomBytes(6).toString('hex');
  const response = await fetch(new URL('/operator/v1/accounts', baseUrl), {
    method: 'POST',
    headers: { 'x-api-key': operatorKey, 'content-type': 'application/json' },
    body: JSON.stringify({
      name: `Bench ${mark}`,
      ownerName: 'Bench',
      ownerEmail: `bench-${mark}@test.example`,
      ownerPassword: randomBytes(12).toString('base64url'),
      budgets: AMPLE_BUDGETS,
    }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`An account could not be made: ${response.status} ${text}`);
  // The contract defines these members of the response.
  return JSON.parse(text) as Account;
}

/** Deletes an account with its data. */
export async function removeAccount(
  { baseUrl, operatorKey }: DevStack,
  { accountId }: Account,
): Promise<void> {
  await fetch(new URL(`/operator/v1/accounts/${accountId}`, baseUrl), {
    method: 'DELETE',
    headers: { 'x-api-key': operatorKey },
  });
}

/** Calls the API and returns the body, if it is an object. */
export type Call = (method: string, path: string, body?: object) => Promise<Record<string, unknown>>;

/** Calls the API as an account; throws unless it succeeds. */
export function callerOf({ baseUrl }: DevStack, { apiKey }: Account): Call {
  return async (method, path, body) => {
    const response = await fetch(new URL(path, baseUrl), {
      method,
      headers: { 'x-api-key': apiKey, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    // All routes called here return objects, or nothing.
    return (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
  };
}
