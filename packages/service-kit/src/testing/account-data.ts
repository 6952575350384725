import type { AccountDataService } from '@fairlead/contracts/common/v1/account_data_service_pb';
import type { RequestContext } from '../context/context.ts';
import type { RpcClient } from '../rpc/client.ts';
import { testContext } from './context.ts';

/** The context of a call by the platform itself. */
export const platformContext: RequestContext = testContext({
  caller: { kind: 'service', service: 'gateway' },
});

/** All data that a service exports of an account, by kind. */
export async function exportAll(
  client: RpcClient<typeof AccountDataService>,
  accountId: string,
): Promise<Record<string, unknown[]>> {
  const found: Record<string, unknown[]> = {};
  let cursor = '';
  do {
    const page = await client.exportAccountData(platformContext, { accountId, cursor });
    const records = page.records.map((text) => JSON.parse(text) as unknown);
    found[page.collection] = [...(found[page.collection] ?? []), ...records];
    cursor = page.nextCursor;
  } while (cursor !== '');
  return found;
}

/** Erases all data of an account, in as many calls as needed; returns their number. */
export async function eraseAll(
  client: RpcClient<typeof AccountDataService>,
  accountId: string,
): Promise<number> {
  for (let calls = 1; ; calls += 1) {
    if ((await client.eraseAccountData(platformContext, { accountId })).isComplete) return calls;
  }
}
