import { AccountDataService } from '@fairlead/contracts/common/v1/account_data_service_pb';
import type { AccountData } from '@fairlead/service-kit/account-data';
import { createAccountDataService } from '@fairlead/service-kit/account-data';
import { systemClock } from '@fairlead/service-kit/clock';
import { createRpcClient } from '@fairlead/service-kit/rpc/client';
import { platformContext } from '@fairlead/service-kit/testing/account-data';
import { testPeer } from '@fairlead/service-kit/testing/peer';
import { afterEach, describe, expect, test } from 'vitest';
import { TEST_CALLER_KEYS } from '../testing/edge.ts';
import { startRemote } from '../testing/remote.ts';
import { localDomain, remoteDomain } from './account-domain.ts';
import type { AccountDomain } from './ports/account-domain.ts';

const COUNT = 2_345;

/** One kind with so many rows that two calls are needed to erase them, and one kind without rows. */
function rows(): AccountData {
  const left = new Map([['acc_1', COUNT]]);
  return {
    exports: [
      { collection: 'none', async *read() {} },
      {
        collection: 'rows',
        async *read(_ctx, accountId, after) {
          const count = left.get(accountId) ?? 0;
          for (let row = after === undefined ? 0 : Number(after) + 1; row < count; row += 1)
            yield await Promise.resolve({ position: String(row), record: { row } });
        },
      },
    ],
    erase(_ctx, accountId) {
      left.set(accountId, Math.max(0, (left.get(accountId) ?? 0) - 1_000));
      return Promise.resolve(left.get(accountId) === 0);
    },
  };
}

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

async function remote(data: AccountData): Promise<AccountDomain> {
  const server = await startRemote((router) =>
    router.service(AccountDataService, createAccountDataService(data)),
  );
  closers.push(() => server.close());
  const peer = testPeer('remote', { httpUrl: server.url, grpcUrl: server.url });
  closers.push(() => peer.close());
  return remoteDomain(
    'rows',
    createRpcClient(AccountDataService, { peer, callerKeys: TEST_CALLER_KEYS, clock: systemClock }),
  );
}

async function readAll(domain: AccountDomain, accountId: string) {
  const found: Record<string, string[]> = {};
  let most = 0;
  for await (const { collection, records } of domain.read(platformContext, accountId)) {
    found[collection] = [...(found[collection] ?? []), ...records];
    most = Math.max(most, records.length);
  }
  return { found, most };
}

describe.each([
  ['a module of the gateway', (data: AccountData) => Promise.resolve(localDomain('rows', data))],
  ['a service', remote],
])('%s', (_name, make) => {
  test('gives out every record once, in pages, and every kind', async () => {
    const { found, most } = await readAll(await make(rows()), 'acc_1');
    expect(found['none']).toEqual([]);
    expect(found['rows']).toEqual(Array.from({ length: COUNT }, (_, row) => `{"row":${row}}`));
    expect(most).toBeLessThanOrEqual(1_000);
  });

  test('gives out empty kinds of an account that it does not know', async () => {
    expect((await readAll(await make(rows()), 'acc_0')).found).toEqual({ none: [], rows: [] });
  });

  test('is erased call by call', async () => {
    const domain = await make(rows());
    const answers = [];
    for (let calls = 0; calls < 4; calls += 1) answers.push(await domain.erase(platformContext, 'acc_1'));
    expect(answers).toEqual([false, false, true, true]);
    expect((await readAll(domain, 'acc_1')).found['rows']).toEqual([]);
  });
});
