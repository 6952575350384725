import type { ServiceImpl } from '@connectrpc/connect';
import type { UserService } from '@fairlead/contracts/identity/v1/user_service_pb';
import { readPage } from '@fairlead/service-kit/page';
import { requestContext } from '@fairlead/service-kit/rpc/request';
import type { DepsOf } from '@fairlead/service-kit/deps-of';
import { createUser } from '../use-cases/create-user.ts';
import { listUsers } from '../use-cases/list-users.ts';
import { updateUser } from '../use-cases/update-user.ts';
import { fromCreateUserRequest, fromUpdateUserRequest, toUser } from './convert-user.ts';

/** UserService of proto/fairlead/identity/v1 over the use cases. */
export function createUserService(
  deps: DepsOf<typeof listUsers | typeof createUser | typeof updateUser>,
): ServiceImpl<typeof UserService> {
  return {
    async listUsers({ page }, h) {
      const { items, totalCount } = await listUsers(deps, requestContext(h), readPage(page));
      return { items: items.map(toUser), totalCount };
    },
    async createUser(request, h) {
      return { user: toUser(await createUser(deps, requestContext(h), fromCreateUserRequest(request))) };
    },
    async updateUser(request, h) {
      const change = fromUpdateUserRequest(request);
      return { user: toUser(await updateUser(deps, requestContext(h), request.id, change)) };
    },
  };
}
