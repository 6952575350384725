import { createHash } from 'node:crypto';
import type { IdempotentCall } from './call.ts';

/** The slot of one key of one owner for one target. */
export interface Slot {
  /** Equal only for the same owner, key and target. Contains none of them in plain text: targets may contain private data. */
  readonly id: string;
  /** Undefined: the operator of the platform. */
  readonly accountId: string | undefined;
  /** The owner of the data key that seals the slot. */
  readonly sealingScope: string;
}

/** The owner of what seals the operator's slots. Not an account id: those begin with `acc_`. */
export const OPERATOR_SCOPE = 'operator';

/** The place of a piece of a stored response. */
export function pieceBinding(slotId: string, runId: string, index: number): readonly string[] {
  return ['idempotency', slotId, runId, String(index)];
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
