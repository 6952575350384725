import { createRouterTransport } from '@connectrpc/connect';
import { LicenceStatus } from '@fairlead/contracts/connections/v1/connection_pb';
import { CredentialService } from '@fairlead/contracts/connections/v1/credential_service_pb';
import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { testCallerKeys } from '@fairlead/service-kit/testing/rpc';
import { expect, test } from 'vitest';
import { createConnectionsClient } from './connections.ts';

/** A client of a service that opens every connection; the credential version is the number of the read. */
function client() {
  let reads = 0n;
  const open = (id: number) => ({
    connection: { id, applicationSlug: 'crm', licence: { status: LicenceStatus.ACTIVE } },
    credential: { version: reads, fieldsJson: Buffer.from('{}'), secrets: [`secret-${id}`] },
  });
  const transport = createRouterTransport(({ service }) => {
    service(CredentialService, {
      resolveConnections({ items }) {
        reads += 1n;
        return { results: items.map(({ request }) => ({ found: open(Number(request?.by.value)) })) };
      },
      getCredentials: () => ({
        outcome: {
          case: 'credential',
          value: {
            version: reads + 1n,
            fieldsJson: Buffer.from('{}'),
            secrets: [],
            grantedScopes: { scopes: ['read'] },
          },
        },
      }),
    });
  });
  const peer = { service: 'connections', addresses: [], transport, close: () => Promise.resolve() };
  const clock = new ManualClock(new Date());
  // Time stands still, because reads are shared for milliseconds only.
  return createConnectionsClient({ peer, callerKeys: testCallerKeys, clock }, { nowMs: () => 0 });
}

test('calls that share a read share what is made of it; after a credential was opened anew, it is read anew', async () => {
  const connections = client();
  const ctx = testContext();
  const read = (id: number) => connections.getConnection(ctx, id, undefined);
  const [first, same, other] = await Promise.all([read(7), read(7), read(8)]);
  expect(same).toBe(first);
  expect(first).toMatchObject({ id: 7, isLicensed: true, credential: { version: 1, secrets: ['secret-7'] } });
  expect(other).toMatchObject({ id: 8, credential: { secrets: ['secret-8'] } });
  expect(await read(7)).toBe(first);
  expect(await connections.getCredentials(ctx, 7, 1)).toMatchObject({
    credential: { grantedScopes: ['read'] },
  });
  expect(await read(7)).toMatchObject({ id: 7, credential: { version: 2 } });
});
