import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAccount, expectStatus, removeAccount } from './support/accounts.ts';
import { del, post, put } from './support/api.ts';
import { createConnection, setDefault } from './support/connections.ts';
import type { TestAccount } from './support/own-accounts.ts';

let account: TestAccount;
let vendor: Server;
let baseUrl: string;
beforeAll(async () => {
  account = await createAccount();
  // A vendor that returns whose token each call had; returning the token itself would be masked.
  vendor = createServer((request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ owner: request.headers.authorization?.replace(`Bearer ${TOKEN}`, '') }));
  });
  await once(vendor.listen(0, '127.0.0.1'), 'listening');
  baseUrl = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`;
});
afterAll(async () => {
  vendor.close();
  vendor.closeAllConnections();
  await removeAccount(account);
});

/** Prefix of all connections' tokens. */
const TOKEN = 'token-of-the-owner-';

interface Seen {
  readonly beganAt: number;
  /** The connection whose token the vendor got, or the refusal's code. */
  readonly outcome: string;
}

const connect = async (name: string): Promise<number> => {
  const fields = { baseUrl, token: TOKEN + name };
  const body = { applicationSlug: 'http', connectionName: name, authenticationId: 3, fields };
  return (await createConnection(body, account.apiKey)).id;
};

async function execute(query: string): Promise<string> {
  const path = `/v1/tools/http-send-request/execute?${query}`;
  const answer = await post(path, { fields: { method: 'GET', url: '/' } }, account);
  if (answer.status !== 200) return answer.body.errorCode;
  return String(answer.body.output.body.owner);
}

/**
 * Makes changes one after another while eight callers execute continuously. Each call that began after a change was answered, and was
 * answered before the next change was sent, must have that change's outcome.
 */
async function expectChangesToHold(
  query: string,
  changes: readonly { readonly outcome: string; readonly apply: () => Promise<unknown> }[],
): Promise<void> {
  const end = new AbortController();
  let holds: { readonly outcome: string } | undefined;
  const wrong: Seen[] = [];
  let judged = 0;
  const caller = async (): Promise<void> => {
    while (!end.signal.aborted) {
      const expected = holds;
      const beganAt = performance.now();
      const outcome = await execute(query);
      if (expected === undefined || holds !== expected) continue;
      judged += 1;
      if (outcome !== expected.outcome) wrong.push({ beganAt, outcome });
    }
  };
  const callers = Array.from({ length: 8 }, caller);
  for (const { outcome, apply } of changes) {
    holds = undefined;
    await apply();
    holds = { outcome };
    const before = judged;
    await expect.poll(() => judged, { timeout: 90_000 }).toBeGreaterThan(before + 8);
  }
  end.abort();
  await Promise.all(callers);
  expect(wrong).toEqual([]);
}

describe('what has changed of a connection holds for every call made after the answer, however many calls run', () => {
  test('its licence', async () => {
    const id = await connect('licensed');
    const licence = (status: string) => async (): Promise<void> =>
      void expectStatus(await put(`/admin/v1/connections/${id}/licence`, { status }, account), 200);
    const changes = [
      { outcome: 'CONNECTION_BLOCKED', apply: licence('none') },
      { outcome: 'licensed', apply: licence('active') },
    ];
    await expectChangesToHold(`connectionId=${id}`, [...changes, ...changes, ...changes]);
  });

  test('its credential', async () => {
    const id = await connect('first');
    const replace = (owner: string) => ({
      outcome: owner,
      apply: async (): Promise<void> => {
        const body = { connectionName: 'Replaced', fields: { baseUrl, token: TOKEN + owner } };
        expectStatus(await put(`/v1/connections/${id}`, body, account), 200);
      },
    });
    await expectChangesToHold(
      `connectionId=${id}`,
      ['second', 'third', 'fourth', 'fifth'].map((owner) => replace(owner)),
    );
  });

  test('which one is the default, and whether it exists', async () => {
    const ids = [await connect('one'), await connect('two')] as const;
    const choose = (id: number, outcome: string) => ({
      outcome,
      apply: () => setDefault(id, account.apiKey),
    });
    const remove = {
      outcome: 'NO_DEFAULT_CONNECTION',
      apply: async (): Promise<void> =>
        void expectStatus(await del(`/v1/connections/${ids[1]}`, account), 204),
    };
    await expectChangesToHold('', [
      choose(ids[1], 'two'),
      choose(ids[0], 'one'),
      choose(ids[1], 'two'),
      remove,
    ]);
  });
});
