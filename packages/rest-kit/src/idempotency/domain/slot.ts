import { createHash } from 'node:crypto';
import type { IdempotentCall } from './call.ts';

/** The slot of one owner's key for one target. */
export interface Slot {
  /** A hash of owner, key and target. It hides the target, which may contain private data. */
  readonly id: string;
  /** The account; undefined: the operator of the platform. */
  readonly accountId: string | undefined;
  /** The owner of the data key that seals the slot's response. */
  readonly sealingScope: string;
}

/** The owner of the data key for the operator's slots. No account has this id, because account ids begin with `acc_`. */
export const OPERATOR_SCOPE = 'operator';

/** The position to which a piece of a stored response is bound. */
export function pieceBinding(slotId: string, lockId: string, index: number): readonly string[] {
  return ['idempotency', slotId, lockId, String(index)];
}

/** The slot that stores the response of `call`. */
export function slotOf({ owner, key, target }: IdempotentCall): Slot {
  const accountId = owner === 'operator' ? undefined : owner.accountId;
  const { userId = null, restrictedKeyId } = owner === 'operator' ? {} : owner;
  const restricted = restrictedKeyId === undefined ? [] : [restrictedKeyId];
  return {
    id: digest(JSON.stringify([accountId ?? null, userId, key, target, ...restricted])),
    accountId,
    sealingScope: accountId ?? OPERATOR_SCOPE,
  };
}

/** SHA-256, in base64url. */
export function digest(value: string | Uint8Array): string {
  return createHash('sha256').update(value).digest('base64url');
}
