import { randomBytes } from 'node:crypto';
import { call, post, stack } from './api.ts';
import type { Answer } from './api.ts';
import { createAccountOf } from './own-accounts.ts';
import type { TestAccount } from './own-accounts.ts';

/** A user of a test account, with password and key. */
export interface TestUser {
  readonly userId: string;
  readonly email: string;
  readonly password: string;
  readonly apiKey: string;
  readonly keyId: string;
}

/** Calls as the platform operator. */
export function asOperator(method: string, path: string, body?: unknown): Promise<Answer> {
  return call(method, path, { apiKey: stack.operatorKey, ...(body === undefined ? {} : { body }) });
}

/** Creates an account with these settings; its budgets are large by default. */
export function createAccount(settings: Record<string, unknown> = {}): Promise<TestAccount> {
  return createAccountOf(stack, settings);
}

/** Erases an account. */
export async function removeAccount({ accountId }: TestAccount): Promise<void> {
  expectStatus(await asOperator('DELETE', `/operator/v1/accounts/${accountId}`), 204);
}

/** Creates a user with an API key. */
export async function createUser(
  account: TestAccount,
  { role }: { readonly role: string },
): Promise<TestUser> {
  const mark = randomBytes(6).toString('hex');
  const email = `${role}-${mark}@test.example`;
  const password = `pw-${randomBytes(12).toString('base64url')}`;
  const created = await post('/admin/v1/users', { email, name: `A ${role}`, password, role }, account);
  const { userId } = expectStatus(created, 201).body;
  const { id: keyId, apiKey } = await createApiKey(account, { userId });
  return { userId, email, password, apiKey, keyId };
}

/** Creates an API key for `userId`, by default for the owner. */
export async function createApiKey(
  account: { readonly apiKey: string },
  body: Record<string, unknown> = {},
): Promise<{ readonly id: string; readonly apiKey: string }> {
  return expectStatus(await post('/admin/v1/api-keys', { name: 'Test key', ...body }, account), 201).body;
}

/** The response, which must have that status, because a test's setup must succeed. */
export function expectStatus(answer: Answer, status: number): Answer {
  if (answer.status !== status) throw new Error(`expected ${status}, got ${answer.status}: ${answer.text}`);
  return answer;
}
