import { AccountDataService } from '@fairlead/contracts/common/v1/account_data_service_pb';
import { createAccountDataService } from '@fairlead/service-kit/account-data';
import { openNats, openRpcServer, openStore } from '@fairlead/service-kit/lifecycle/open-resources';
import { startService } from '@fairlead/service-kit/lifecycle/start-service';
import type { RpcApp, ServiceOverrides } from '@fairlead/service-kit/lifecycle/start-service';
import type { TriggersConfig } from './config.ts';
import { eventsStream } from './events/event-stream.ts';
import { createAccountData } from './storage/account-data.ts';
import { schema } from './storage/schema.ts';

/** Starts the triggers service. When a part cannot start, closes what has started and throws. */
export function buildApp(config: TriggersConfig, overrides: ServiceOverrides = {}): Promise<RpcApp> {
  return startService({ name: 'triggers', config, ...overrides }, async (parts) => {
    const store = await openStore(parts, config, schema);
    await openNats(parts, config, [eventsStream]);
    return openRpcServer(parts, config, (router) =>
      router.service(AccountDataService, createAccountDataService(createAccountData(store))),
    );
  });
}
