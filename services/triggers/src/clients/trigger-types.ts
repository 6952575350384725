import { createConnectorDecoder } from '@fairlead/connector-model/codec';
import { TriggerTypeService } from '@fairlead/contracts/catalog/v1/trigger_type_service_pb';
import { createRpcClient } from '@fairlead/service-kit/rpc/client';
import type { RpcClientOptions } from '@fairlead/service-kit/rpc/client';
import type { TriggerTypes } from '../ports/trigger-types.ts';

/** Client of the catalog service's trigger types. */
export function createTriggerTypesClient(o: RpcClientOptions): TriggerTypes {
  const types = createRpcClient(TriggerTypeService, o);
  const decoder = createConnectorDecoder();
  return {
    async resolve(ctx, slug) {
      const { encodedDefinition, applicationSlug, applicationName } = await types.resolveTriggerType(ctx, {
        slug,
      });
      return { ...decoder.triggerType(encodedDefinition), applicationSlug, applicationName };
    },
  };
}
