import type { ServiceImpl } from '@connectrpc/connect';
import type { UseService } from '@fairlead/contracts/common/v1/use_service_pb';
import { requestContext } from '@fairlead/service-kit/rpc/request';
import { listConnectionUses } from '../use-cases/toolsets/list-connection-uses.ts';
import type { ListConnectionUsesDeps } from '../use-cases/toolsets/list-connection-uses.ts';
import { removeConnectionUses } from '../use-cases/toolsets/remove-connection-uses.ts';
import type { RemoveConnectionUsesDeps } from '../use-cases/toolsets/remove-connection-uses.ts';

/** UseService of proto/fairlead/common/v1 over the use cases. */
export function createUseService(
  deps: ListConnectionUsesDeps & RemoveConnectionUsesDeps,
): ServiceImpl<typeof UseService> {
  return {
    async listUses({ connectionId }, h) {
      return { uses: [...(await listConnectionUses(deps, requestContext(h), connectionId))] };
    },
    async removeUses({ connectionIds }, h) {
      await removeConnectionUses(deps, requestContext(h), connectionIds);
      return {};
    },
  };
}
