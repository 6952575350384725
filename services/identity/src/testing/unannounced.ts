import type { ChangeIdentity } from '../ports/identity-change.ts';

/** Writes without publishing a change. */
export const unannounced: ChangeIdentity = (_accountId, write) => write();
