import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { createAccount, removeAccount } from './support/accounts.ts';
import { expectError, expectList, get, post, stack } from './support/api.ts';
import type { Answer } from './support/api.ts';
import { createConnection, createCrmConnection } from './support/connections.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { row } from './support/row.ts';
import { waitingCalls } from './support/waiting-calls.ts';

/** Defaults of ACCOUNT_CONCURRENCY and CONNECTION_CONCURRENCY, in effect with one replica of tools. */
const PER_ACCOUNT = 100;
const PER_CONNECTION = 20;
/** Maximum number of an account's waiting calls. */
const WAITING = 200;
/** Three bodies of this size may wait; a fourth exceeds the limit. */
const LARGE_BODY = 'x'.repeat(4_500_000);

let account: TestAccount;
beforeAll(async () => {
  account = await createAccount();
});
afterAll(() => removeAccount(account));

const executions = async (): Promise<number> => expectList(await get('/v1/executions', account)).totalCount;

describe('many executions of one account at once', () => {
  row(
    ['limits.8', 'errors.8', 'errors.32', 'completion.everywhere.74'],
    'above the bound of a connection and of the account they wait; above what may wait they are 429 with Retry-After 1, not executed and not recorded',
    async () => {
      const [running, waiting] = [new AbortController(), new AbortController()];
      const execute = (
        client: AbortController,
        id: number,
        { delayMs, ...rest }: { readonly delayMs: number; readonly padding?: string },
      ): Promise<Answer> => {
        const answer = post(
          `/v1/tools/sandbox-crm-simulate-failure/execute?connectionId=${id}`,
          { fields: { status: 422, delayMs, message: 'as asked', ...rest } },
          { apiKey: account.apiKey, signal: client.signal },
        );
        // Most of them end with their client when the test ends.
        answer.catch(() => {});
        return answer;
      };
      const busy = await Promise.all(
        Array.from({ length: PER_ACCOUNT / PER_CONNECTION }, (_, index) =>
          createCrmConnection(`Busy ${index}`, account.apiKey),
        ),
      );
      const last = await createCrmConnection('Last', account.apiKey);
      const other = await createCrmConnection('Other', stack.otherAccount.apiKey);

      // From here on, everything must happen before these calls reach their deadline.
      const slow = { delayMs: 60_000 };
      for (const { id } of busy)
        for (let index = 0; index < PER_CONNECTION; index += 1) void execute(running, id, slow);
      await expect.poll(executions).toBe(PER_ACCOUNT);
      for (const { id } of busy) void execute(waiting, id, slow);
      const large = Array.from({ length: 4 }, () =>
        execute(waiting, last.id, { delayMs: 0, padding: LARGE_BODY }),
      );
      const refused = await Promise.race(large);
      expectError(refused, 429, 'RATE_LIMIT_EXCEEDED');
      expect(refused.headers.get('retry-after')).toBe('1');
      const unaffected = await post(
        `/v1/tools/sandbox-crm-whoami/execute?connectionId=${other.id}`,
        {},
        { apiKey: stack.otherAccount.apiKey },
      );
      expect(unaffected.status, unaffected.text).toBe(200);
      expect(await executions()).toBe(PER_ACCOUNT);

      await expect.poll(() => waitingCalls()).toBe(busy.length + large.length - 1);
      // Waiting calls leave with their clients before a permit is free, and never run.
      waiting.abort();
      await expect.poll(() => waitingCalls()).toBe(0);
      running.abort();
      const next = await post(
        `/v1/tools/sandbox-crm-whoami/execute?connectionId=${last.id}`,
        {},
        { apiKey: account.apiKey },
      );
      expect(next.status, next.text).toBe(200);
      expect(await executions()).toBe(PER_ACCOUNT + 1);
    },
  );
});

describe('many calls of one account’s connections to vendors at once', () => {
  row(
    ['limits.8', 'errors.8', 'errors.32'],
    'a test of a connection, and one to an MCP server that is created, are 429 with Retry-After 1 when too many wait',
    async () => {
      const sockets = new Set<Socket>();
      const silent = createServer((socket) => {
        sockets.add(socket);
        socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
      }).listen(0, '127.0.0.1');
      await once(silent, 'listening');
      const baseUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`; // a listening TCP server has one
      const own = await createAccount();
      const client = new AbortController();
      const test = (id: number, signal?: AbortSignal): Promise<Answer> =>
        post(`/v1/connections/${id}/test`, undefined, {
          apiKey: own.apiKey,
          ...(signal === undefined ? {} : { signal }),
        });
      const connections = await Promise.all(
        Array.from({ length: PER_ACCOUNT / PER_CONNECTION }, (_, index) =>
          createConnection(
            {
              applicationSlug: 'http',
              connectionName: `Silent ${index}`,
              authenticationId: 1,
              fields: { baseUrl, apiKey: 'k' },
            },
            own.apiKey,
          ),
        ),
      );
      const other = await createCrmConnection('Other', stack.otherAccount.apiKey);
      // From here on, everything must happen before these calls reach their deadline.
      for (let sent = 0; sent < PER_ACCOUNT + WAITING; sent += 1)
        test(connections[sent % connections.length]?.id ?? 0, client.signal).catch(() => undefined);
      await expect.poll(() => waitingCalls('connections')).toBe(WAITING);

      const mcp = { applicationSlug: 'mcp', connectionName: 'MCP', authenticationId: 0 };
      for (const refused of [
        await test(connections[0]?.id ?? 0),
        await post('/v1/connections', { ...mcp, fields: { serverUrl: `${baseUrl}/mcp` } }, own),
      ]) {
        expectError(refused, 429, 'RATE_LIMIT_EXCEEDED');
        expect(refused.headers.get('retry-after')).toBe('1');
      }
      expect(expectList(await get('/v1/connections', own)).totalCount).toBe(connections.length);
      const unaffected = await post(`/v1/connections/${other.id}/test`, undefined, {
        apiKey: stack.otherAccount.apiKey,
      });
      expect(unaffected.body, unaffected.text).toEqual({ isSuccess: true, errorMessage: null });

      client.abort();
      await expect.poll(() => waitingCalls('connections')).toBe(0);
      for (const socket of sockets) socket.destroy();
      silent.close();
      await removeAccount(own);
    },
  );
});
