import type { ServiceImpl } from '@connectrpc/connect';
import type { OperatorService } from '@fairlead/contracts/identity/v1/operator_service_pb';
import { readPage } from '@fairlead/service-kit/page';
import type { DepsOf } from '@fairlead/service-kit/deps-of';
import type { SigningKeys } from '../oauth/keys/signing-keys.ts';
import { closeAccount } from '../use-cases/close-account.ts';
import { createAccount } from '../use-cases/create-account.ts';
import { getAccount } from '../use-cases/get-account.ts';
import { listAccounts } from '../use-cases/list-accounts.ts';
import { updateAccount } from '../use-cases/update-account.ts';
import {
  fromCreateAccountRequest,
  fromSettings,
  toAccount,
  toCreateAccountResponse,
} from './convert-account.ts';
import { platformContext } from './platform-context.ts';

/** OperatorService of proto/fairlead/identity/v1 over the use cases. */
export function createOperatorService(
  deps: DepsOf<
    | typeof listAccounts
    | typeof getAccount
    | typeof createAccount
    | typeof updateAccount
    | typeof closeAccount
  > & { readonly signingKeys: Pick<SigningKeys, 'rotate'> },
): ServiceImpl<typeof OperatorService> {
  return {
    async listAccounts({ page }, h) {
      const { items, totalCount } = await listAccounts(deps, platformContext(h), readPage(page));
      return { items: items.map(toAccount), totalCount };
    },
    async findAccount({ accountId }, h) {
      return { account: toAccount(await getAccount(deps, platformContext(h), accountId)) };
    },
    async createAccount(request, h) {
      const ctx = platformContext(h);
      return toCreateAccountResponse(await createAccount(deps, ctx, fromCreateAccountRequest(request)));
    },
    async changeAccount({ accountId, settings }, h) {
      const ctx = platformContext(h);
      return { account: toAccount(await updateAccount(deps, ctx, accountId, fromSettings(settings))) };
    },
    async closeAccount({ accountId }, h) {
      await closeAccount(deps, platformContext(h), accountId);
      return {};
    },
    async rotateSigningKey(_request, h) {
      platformContext(h);
      return { kid: await deps.signingKeys.rotate() };
    },
  };
}
