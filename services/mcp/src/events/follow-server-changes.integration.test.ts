import { McpServerChangedSchema } from '@fairlead/contracts/mcp/v1/mcp_events_pb';
import { randomBase62 } from '@fairlead/service-kit/ids';
import { defineEvent } from '@fairlead/service-kit/nats/events';
import { connectNats } from '@fairlead/service-kit/nats/nats';
import { Secret } from '@fairlead/service-kit/secret';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { expect, inject, test } from 'vitest';
import { followServerChanges } from './follow-server-changes.ts';

test('a change of a server is seen with its account', async () => {
  const log = createLogger({ service: 'test', level: 'silent' });
  const nats = await connectNats({ url: new Secret(inject('natsUrl')), name: 'test', log });
  const accountId = `acc_${randomBase62(16)}`;
  const changed: (string | undefined)[] = [];
  followServerChanges(nats, (account) => changed.push(account));
  const change = { accountId, serverId: 'srv', changeId: 'c', isDone: true };
  // A subscription receives only later messages.
  await expect
    .poll(async () => {
      await nats.publish(defineEvent(McpServerChangedSchema), change);
      return changed;
    })
    .toContain(accountId);
  await nats.close();
});
