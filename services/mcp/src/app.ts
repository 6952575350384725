import { AccountDataService } from '@fairlead/contracts/common/v1/account_data_service_pb';
import { createAccountDataService } from '@fairlead/service-kit/account-data';
import { openRpcServer, openSealing, openStore } from '@fairlead/service-kit/lifecycle/open-resources';
import { startService } from '@fairlead/service-kit/lifecycle/start-service';
import type { RpcApp, ServiceOverrides } from '@fairlead/service-kit/lifecycle/start-service';
import type { McpConfig } from './config.ts';
import { createAccountData } from './storage/account-data.ts';
import { schema } from './storage/schema.ts';
import { sealedCollections } from './storage/sealed-collections.ts';

/** Starts the mcp service. When a part cannot start, closes what has started and throws. */
export function buildApp(config: McpConfig, overrides: ServiceOverrides = {}): Promise<RpcApp> {
  return startService({ name: 'mcp', config, ...overrides }, async (parts) => {
    const store = await openStore(parts, config, schema);
    const sealer = await openSealing(parts, config, store, sealedCollections);
    return await openRpcServer(parts, config, (router) =>
      router.service(AccountDataService, createAccountDataService(createAccountData(sealer))),
    );
  });
}
