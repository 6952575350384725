import type { ChangeIdentity } from '../ports/identity-change.ts';

/** Writes without telling any gateway. */
export const unannounced: ChangeIdentity = (_accountId, write) => write();
