import { expectStatus } from '../../contract/support/accounts.ts';
import { post } from '../../contract/support/api.ts';
import type { CallOptions } from '../../contract/support/api.ts';

/** A trigger with an inbound address. */
interface HookTrigger {
  readonly id: string;
  readonly inboundUrl: string;
}

/**
 * Creates a trigger with an inbound address. On a busy machine the account's worker may not parse its filter in time: then nothing is stored
 * and the call is repeated.
 */
export async function createHook(members: object, by: CallOptions): Promise<HookTrigger> {
  for (;;) {
    const answer = await post('/v1/triggers', { triggerTypeSlug: 'http_webhook', ...members }, by);
    // The contract's Trigger.
    if (answer.body.errorCode !== 'RATE_LIMIT_EXCEEDED') return expectStatus(answer, 201).body as HookTrigger;
  }
}
