import type { AccountData } from '@fairlead/service-kit/account-data';
import type { Sealer } from '@fairlead/service-kit/sealing/sealing';

/** All data of an account that this service stores. */
export function createAccountData(sealer: Pick<Sealer, 'shred'>): AccountData {
  return {
    exports: [],
    async erase(_ctx, accountId) {
      await sealer.shred(accountId);
      return true;
    },
  };
}
