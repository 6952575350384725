import type { ServiceImpl } from '@connectrpc/connect';
import type { TriggerTypeService } from '@fairlead/contracts/catalog/v1/trigger_type_service_pb';
import { requestContext } from '@fairlead/service-kit/rpc/request';
import type { DepsOf } from '@fairlead/service-kit/deps-of';
import { listTriggerTypes } from '../use-cases/list-trigger-types.ts';
import { resolveTriggerType } from '../use-cases/resolve-trigger-type.ts';
import { fromListTriggerTypesRequest, toResolvedTriggerType, toTriggerType } from './convert-trigger-type.ts';

/** TriggerTypeService of proto/fairlead/catalog/v1 over the use cases. */
export function createTriggerTypeService(
  deps: DepsOf<typeof listTriggerTypes | typeof resolveTriggerType>,
): ServiceImpl<typeof TriggerTypeService> {
  return {
    async listTriggerTypes(request, h) {
      const query = fromListTriggerTypesRequest(request);
      const { items, totalCount } = await listTriggerTypes(deps, requestContext(h), query);
      return { items: items.map(toTriggerType), totalCount };
    },
    async resolveTriggerType({ slug }, h) {
      return toResolvedTriggerType(await resolveTriggerType(deps, requestContext(h), slug));
    },
  };
}
