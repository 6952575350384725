import type { RequestContext } from '@fairlead/service-kit/context/context';
import { eraseAccount } from './use-cases/erase-account.ts';
import type { EraseAccountDeps } from './use-cases/erase-account.ts';
import { exportAccount } from './use-cases/export-account.ts';
import type { ExportAccountDeps } from './use-cases/export-account.ts';

/** What the operator may do with all of an account's data at once. */
export interface AccountOperations {
  /** Erases everything (eraseAccount). */
  erase(ctx: RequestContext, accountId: string): Promise<void>;
  /** Gives out everything but secrets (exportAccount). */
  export(ctx: RequestContext, accountId: string): AsyncIterable<string>;
}

/** The operations over everything that keeps data of accounts. */
export function createAccountOperations(deps: EraseAccountDeps & ExportAccountDeps): AccountOperations {
  return {
    erase: (ctx, accountId) => eraseAccount(deps, ctx, accountId),
    export: (ctx, accountId) => exportAccount(deps, ctx, accountId),
  };
}
