import type { ServiceImpl } from '@connectrpc/connect';
import type { AccountService } from '@fairlead/contracts/identity/v1/account_service_pb';
import { accountOf } from '@fairlead/service-kit/context/context';
import { requestContext } from '@fairlead/service-kit/rpc/request';
import type { DepsOf } from '@fairlead/service-kit/deps-of';
import { getAccount } from '../use-cases/get-account.ts';
import { updateAccount } from '../use-cases/update-account.ts';
import { fromSettings, toAccount } from './convert-account.ts';

/** AccountService of proto/fairlead/identity/v1 over the use cases. */
export function createAccountService(
  deps: DepsOf<typeof getAccount | typeof updateAccount>,
): ServiceImpl<typeof AccountService> {
  return {
    async getAccount(_request, h) {
      const ctx = requestContext(h);
      return { account: toAccount(await getAccount(deps, ctx, accountOf(ctx))) };
    },
    async updateAccount({ settings }, h) {
      const ctx = requestContext(h);
      const account = await updateAccount(deps, ctx, accountOf(ctx), fromSettings(settings));
      return { account: toAccount(account) };
    },
  };
}
