import type { RequestContext } from '@fairlead/service-kit/context/context';
import { eraseAccount } from './use-cases/erase-account.ts';
import type { EraseAccountDeps } from './use-cases/erase-account.ts';
import { exportAccount } from './use-cases/export-account.ts';
import type { ExportAccountDeps } from './use-cases/export-account.ts';

/** The operator's operations on all data of an account. */
export interface AccountOperations {
  /** Erases everything (eraseAccount). */
  erase(ctx: RequestContext, accountId: string): Promise<void>;
  /** Exports everything except secrets (exportAccount). */
  export(ctx: RequestContext, accountId: string): AsyncIterable<string>;
}

/** Creates the operator's operations over all domains that store data of accounts. */
export function createAccountOperations(deps: EraseAccountDeps & ExportAccountDeps): AccountOperations {
  return {
    erase: (ctx, accountId) => eraseAccount(deps, ctx, accountId),
    export: (ctx, accountId) => exportAccount(deps, ctx, accountId),
  };
}
