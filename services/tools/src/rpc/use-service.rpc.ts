import type { ServiceImpl } from '@connectrpc/connect';
import type { UseService } from '@fairlead/contracts/common/v1/use_service_pb';
import { requestContext } from '@fairlead/service-kit/rpc/request';
import { listUses } from '../use-cases/toolsets/list-uses.ts';
import type { ListUsesDeps } from '../use-cases/toolsets/list-uses.ts';
import { removeConnectionUses } from '../use-cases/toolsets/remove-connection-uses.ts';
import type { RemoveConnectionUsesDeps } from '../use-cases/toolsets/remove-connection-uses.ts';

/** UseService of proto/fairlead/common/v1 over the use cases. */
export function createUseService(
  deps: ListUsesDeps & RemoveConnectionUsesDeps,
): ServiceImpl<typeof UseService> {
  return {
    async listUses({ connectionId, workflowToken }, h) {
      const used = workflowToken === '' ? { connectionId } : { workflowToken };
      return { uses: [...(await listUses(deps, requestContext(h), used))] };
    },
    async removeUses({ connectionIds }, h) {
      await removeConnectionUses(deps, requestContext(h), connectionIds);
      return {};
    },
  };
}
