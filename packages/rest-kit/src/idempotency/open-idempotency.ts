import { erasedOnly } from '@fairlead/service-kit/account-data';
import type { AccountData } from '@fairlead/service-kit/account-data';
import type { ModuleResources } from '@fairlead/service-kit/lifecycle/module-resources';
import type { Sealer } from '@fairlead/sealing/sealing';
import { createAnswerCodec } from './answer-codec.ts';
import type { Idempotency } from './idempotency.ts';
import { idempotencyRepository } from './storage/idempotency.repository.ts';
import { createIdempotentRunner } from './use-cases/run-once.ts';

/** Opens the idempotency module. When it closes, calls whose clients have disconnected have `graceMs` to finish. */
export function openIdempotency({
  store,
  sealer,
  log,
  closers,
  graceMs,
}: ModuleResources & {
  readonly sealer: Sealer;
  readonly graceMs: number;
}): {
  readonly once: Idempotency;
  readonly accountData: AccountData;
} {
  const repository = idempotencyRepository(store);
  const once = createIdempotentRunner({ store: repository, codec: createAnswerCodec(sealer), log });
  closers.push('idempotency', () => once.drain(graceMs));
  return { once, accountData: erasedOnly((accountId) => repository.eraseIdempotencyOf(accountId)) };
}
