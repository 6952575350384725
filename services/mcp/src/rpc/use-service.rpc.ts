import type { ServiceImpl } from '@connectrpc/connect';
import type { UseService } from '@fairlead/contracts/common/v1/use_service_pb';
import { requestContext } from '@fairlead/service-kit/rpc/request';
import { listUses } from '../use-cases/uses/list-uses.ts';
import type { ListUsesDeps } from '../use-cases/uses/list-uses.ts';
import { removeUses } from '../use-cases/uses/remove-uses.ts';
import type { RemoveUsesDeps } from '../use-cases/uses/remove-uses.ts';

/** UseService of proto/fairlead/common/v1 over the use cases. */
export function createUseService(deps: ListUsesDeps & RemoveUsesDeps): ServiceImpl<typeof UseService> {
  return {
    async listUses({ connectionId, workflowToken }, h) {
      const used = workflowToken === '' ? { connectionId } : { workflowToken };
      return { uses: [...(await listUses(deps, requestContext(h), used))] };
    },
    async removeUses(members, h) {
      await removeUses(deps, requestContext(h), members);
      return {};
    },
  };
}
