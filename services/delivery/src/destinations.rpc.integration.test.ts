import { AccountDataService } from '@fairlead/contracts/common/v1/account_data_service_pb';
import { ChangeService } from '@fairlead/contracts/common/v1/change_service_pb';
import { DestinationDeletedSchema } from '@fairlead/contracts/delivery/v1/destination_changes_pb';
import { DestinationService } from '@fairlead/contracts/delivery/v1/destination_service_pb';
import { decodeEvent, defineEvent } from '@fairlead/service-kit/nats/events';
import { eraseAll, exportAll, platformContext } from '@fairlead/service-kit/testing/account-data';
import { testContext } from '@fairlead/service-kit/testing/context';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { startDelivery } from './testing/start-delivery.ts';
import type { TestDelivery } from './testing/start-delivery.ts';

let service: TestDelivery;
beforeAll(async () => {
  service = await startDelivery(inject('mongodbUri'), inject('natsUrl'));
});
afterAll(() => service.close());

const url = 'https://receiver.example/in';
const headers = { 'x-key': 'value-of-the-header' };
const mine = () => testContext();
const accountIdOf = (ctx: ReturnType<typeof mine>) => (ctx.caller as { accountId: string }).accountId;

test('a deleted destination has a change record, which names it', async () => {
  const [ctx, client] = [mine(), service.client(DestinationService)];
  const { destination } = await client.createDestination(ctx, { url, isEnabled: true });
  await client.deleteDestination(ctx, { id: destination?.id ?? '' });
  const { changes } = await service.client(ChangeService).listChanges(platformContext, { limit: 100 });
  const own = changes.filter(({ accountId }) => accountId === accountIdOf(ctx));
  const deleted = defineEvent(DestinationDeletedSchema);
  expect(own.map(({ subject, payload }) => [subject, decodeEvent(deleted, payload).destinationId])).toEqual([
    [deleted.subject, destination?.id],
  ]);
});

test('an account gets its destinations without what is secret in them, and is erased whole', async () => {
  const [ctx, client] = [mine(), service.client(DestinationService)];
  const { destination, signingSecret } = await client.createDestination(ctx, {
    url,
    headers,
    isEnabled: true,
  });
  const gone = await client.createDestination(ctx, { url, isEnabled: true });
  await client.deleteDestination(ctx, { id: gone.destination?.id ?? '' });
  const accountData = service.client(AccountDataService);
  const exported = await exportAll(accountData, accountIdOf(ctx));
  expect(exported['destinations']).toMatchObject([{ id: destination?.id, url, headerNames: ['x-key'] }]);
  for (const secret of [signingSecret, 'value-of-the-header', 's1.'])
    expect(JSON.stringify(exported)).not.toContain(secret);
  await eraseAll(accountData, accountIdOf(ctx));
  for (const { name } of await service.db.listCollections().toArray()) {
    const documents = await service.db.collection(name).find().toArray();
    expect(JSON.stringify(documents), name).not.toContain(accountIdOf(ctx));
  }
});
