import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, vi } from 'vitest';
import { startVendor } from '../faults/support/vendor.ts';
import type { RecordingVendor } from '../faults/support/vendor.ts';
import { createAccount, createApiKey, createUser, expectStatus, removeAccount } from './support/accounts.ts';
import { del, expectError, get, patch, post } from './support/api.ts';
import type { Answer } from './support/api.ts';
import { createConnection } from './support/connections.ts';
import { postForm, serverMetadata, withToken } from './support/oauth.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { row } from './support/row.ts';
import { waitingCalls } from './support/waiting-calls.ts';

const SEND = 'http-send-request';
/** Default of CONNECTION_CONCURRENCY, in effect with one replica of tools. */
const PER_CONNECTION = 20;

let account: TestAccount;
let vendor: RecordingVendor;
let connectionId: number;
let toolsetId: string;
let slug: string;
beforeEach(async () => {
  account = await createAccount();
  vendor = await startVendor();
  const body = { applicationSlug: 'http', connectionName: 'Slow', authenticationId: 0 };
  connectionId = (await createConnection(body, account.apiKey)).id;
  slug = `flow-${randomUUID()}`;
  const step = { toolSlug: SEND, connectionId, onError: 'continue' };
  const steps = [
    {
      ...step,
      id: 'first',
      forEach: '=[1, 2, 3]',
      fields: { method: 'POST', url: `="${vendor.url}/first/" & $string(item)` },
    },
    { ...step, id: 'second', fields: { method: 'POST', url: `${vendor.url}/second` } },
  ];
  // An account's first expression starts its worker, which a busy machine may not do in time (429).
  const workflowToken = await vi.waitFor(
    async () =>
      expectStatus(await post('/v1/workflows', { name: 'Flow', slug, steps }, account), 201).body
        .workflowToken,
    { timeout: 90_000 },
  );
  const toolset = { name: 'Held', connections: [{ connectionId }], workflows: [{ workflowToken }] };
  toolsetId = expectStatus(await post('/v1/toolsets', toolset, account), 201).body.id;
});
afterEach(async () => {
  vendor.close();
  await removeAccount(account);
});

type Options = Parameters<typeof post>[2];

/** A caller, how they lose the right to act, and how a new call of theirs is refused. */
interface Revocable {
  readonly as: Options;
  readonly revoke: () => Promise<void>;
  readonly status: 401 | 403;
  readonly code: 'UNAUTHORIZED' | 'ACCOUNT_USER_INACTIVE';
}

async function revocableKey(): Promise<Revocable> {
  const key = await createApiKey(account, { toolsetId });
  const revoke = async (): Promise<void> =>
    void expectStatus(await del(`/admin/v1/api-keys/${key.id}`, account), 204);
  return { as: key, revoke, status: 401, code: 'UNAUTHORIZED' };
}

async function deactivatedUser(): Promise<Revocable> {
  const user = await createUser(account, { role: 'member' });
  const revoke = async (): Promise<void> =>
    void expectStatus(await patch(`/admin/v1/users/${user.userId}`, { isActive: false }, account), 200);
  return { as: user, revoke, status: 403, code: 'ACCOUNT_USER_INACTIVE' };
}

async function revocableToken(): Promise<Revocable> {
  const body = { name: 'Machine', grantTypes: ['client_credentials'], scopes: ['tools.execute'] };
  const client = expectStatus(await post('/admin/v1/oauth-clients', body, account), 201).body;
  const { token_endpoint: endpoint } = await serverMetadata();
  const { body: tokens } = await postForm(endpoint, client, { grant_type: 'client_credentials' });
  const revoke = async (): Promise<void> =>
    void expectStatus(await del(`/admin/v1/oauth-clients/${client.clientId}`, account), 204);
  return { as: withToken(tokens.access_token), revoke, status: 401, code: 'UNAUTHORIZED' };
}

/** Revokes the caller's right to act; resolves once new calls are refused. */
async function revoke({ as, revoke: end, status }: Revocable): Promise<void> {
  await end();
  await expect.poll(async () => (await get('/v1/auth/whoami', as)).status).toBe(status);
}

const CALLERS = [
  { name: 'whose key is revoked', caller: revocableKey },
  { name: 'who is deactivated', caller: deactivatedUser },
  {
    name: 'whose OAuth client is deleted',
    caller: revocableToken,
  },
];

describe.each(CALLERS)('for a caller $name', ({ caller }) => {
  row(
    ['completion.everywhere.63', 'completion.everywhere.64'],
    'a run that has begun calls no vendor any more, and its row says so',
    async () => {
      const revocable = await caller();
      const atVendor = vendor.hold('POST /first/1');
      const path = `/v1/tools/${slug}/execute?toolsetId=${toolsetId}`;
      const run = post(path, {}, revocable.as);
      await atVendor;
      await revoke(revocable);
      vendor.release();
      const { body } = expectStatus(await run, 200);
      const errorMessage = expect.stringMatching(
        new RegExp(`^The run was stopped in step "first": ${revocable.code}: .* No further call was made`),
      ) as string;
      expect(body).toMatchObject({ isSuccess: false, errorMessage });
      expect(vendor.calls).toEqual(['POST /first/1']);
      const executions = await get(`/v1/executions/${body.historyId}`, account);
      expect(expectStatus(executions, 200).body).toMatchObject({ isSuccess: false, errorMessage });
    },
  );

  row(
    ['completion.everywhere.63', 'completion.everywhere.64'],
    'a call that waits for a slot is refused when it gets one',
    async () => {
      const revocable = await caller();
      const send = (path: string, as: Options): Promise<Answer> => {
        const fields = { method: 'POST', url: vendor.url + path };
        return post(`/v1/tools/${SEND}/execute?toolsetId=${toolsetId}`, { fields }, as);
      };
      const atVendor = vendor.hold('POST /slow');
      const slow = Array.from({ length: PER_CONNECTION }, () => send('/slow', account));
      await atVendor;
      await expect.poll(() => vendor.calls.length).toBe(PER_CONNECTION);
      const refused = send('/late', revocable.as);
      const others = send('/other', account);
      await expect.poll(() => waitingCalls()).toBe(2);
      await revoke(revocable);
      vendor.release();
      await Promise.all(slow);
      expectError(await refused, revocable.status, revocable.code);
      expect((await others).body).toMatchObject({ isSuccess: true });
      expect(vendor.calls.slice(PER_CONNECTION)).toEqual(['POST /other']);
    },
  );
});
