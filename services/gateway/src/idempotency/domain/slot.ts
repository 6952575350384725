import { createHash } from 'node:crypto';
import type { IdempotentCall } from './call.ts';

/** The place of one key of one owner on one target. */
export interface Slot {
  /** The same for the same owner, key and target only. Holds none of them in plain: targets may carry what is private. */
  readonly id: string;
  /** Undefined: the operator of the platform. */
  readonly accountId: string | undefined;
  /** Whose data key seals what is stored there. */
  readonly sealingScope: string;
}

/** No account's id: those begin with `acc_`. */
const OPERATOR_SCOPE = 'operator';

/** Where the answer of `call` is kept. */
export function slotOf({ owner, key, target }: IdempotentCall): Slot {
  const accountId = owner === 'operator' ? undefined : owner.accountId;
  const userId = owner === 'operator' ? undefined : owner.userId;
  return {
    id: digest(JSON.stringify([accountId ?? null, userId ?? null, key, target])),
    accountId,
    sealingScope: accountId ?? OPERATOR_SCOPE,
  };
}

/** SHA-256, in base64url. */
export function digest(value: string | Uint8Array): string {
  return createHash('sha256').update(value).digest('base64url');
}
