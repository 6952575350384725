import type { RoomDeps } from '../gateway-room.ts';
import { createAnswerCodec } from './answer-codec.ts';
import type { Idempotency } from './idempotency.ts';
import { idempotencyRepository } from './storage/idempotency.repository.ts';
import { createIdempotency } from './use-cases/run-once.ts';

/** Opens the idempotency room. What runs on without its client has `graceMs` to end at the close. */
export function openIdempotency({
  store,
  sealer,
  log,
  closers,
  graceMs,
}: RoomDeps & { readonly graceMs: number }): {
  readonly once: Idempotency;
  readonly erase: (accountId: string) => Promise<void>;
} {
  const repository = idempotencyRepository(store);
  const once = createIdempotency({ store: repository, codec: createAnswerCodec(sealer), log });
  closers.push('idempotency', () => once.drain(graceMs));
  return { once, erase: (accountId) => repository.eraseIdempotencyOf(accountId) };
}
