import { createConnectorDecoder } from '@fairlead/connector-model/codec';
import { TriggerTypeService } from '@fairlead/contracts/catalog/v1/trigger_type_service_pb';
import type { Clock } from '@fairlead/service-kit/clock';
import type { KeyRing } from '@fairlead/service-kit/key-ring';
import { createRpcClient } from '@fairlead/service-kit/rpc/client';
import type { RpcPeer } from '@fairlead/service-kit/rpc/peer';
import type { TriggerTypes } from '../ports/trigger-types.ts';

/** The trigger types of the catalog service. */
export function createTriggerTypesClient(o: {
  readonly peer: RpcPeer;
  readonly callerKeys: KeyRing;
  readonly clock: Clock;
}): TriggerTypes {
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
