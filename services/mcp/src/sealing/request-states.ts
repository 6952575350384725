import { accountOf } from '@fairlead/service-kit/context/context';
import type { Clock } from '@fairlead/service-kit/clock';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { SealingError } from '@fairlead/sealing/sealed-value';
import type { SealedValue } from '@fairlead/sealing/sealed-value';
import type { Sealer } from '@fairlead/sealing/sealing';
import type { RequestStates } from '../ports/request-states.ts';

const PREFIX = 'fairlead.';
const LIFETIME_MS = 600_000;
const PLACE = 'request state';

/** States sealed with the data key of the caller’s account. */
export function createRequestStates(o: {
  readonly sealer: Pick<Sealer, 'seal' | 'open'>;
  readonly clock: Clock;
}): RequestStates {
  const nowMs = (): number => o.clock.now().getTime();
  return {
    async seal(ctx, binding, state) {
      const text = JSON.stringify({ state, expiresAtMs: nowMs() + LIFETIME_MS });
      return `${PREFIX}${await o.sealer.seal(accountOf(ctx), [PLACE, ...binding], text)}`;
    },
    isOwn: (text) => text.startsWith(PREFIX),
    async open(ctx, binding, text) {
      // A client may send anything; open() throws a SealingError for an invalid value.
      const sealed = text.slice(PREFIX.length) as SealedValue;
      try {
        const opened = await o.sealer.open(accountOf(ctx), [PLACE, ...binding], sealed);
        const { state, expiresAtMs } = new LazyJson(Buffer.from(opened.reveal())).parseObject();
        const isOver = typeof expiresAtMs !== 'number' || expiresAtMs <= nowMs();
        return isOver || typeof state !== 'object' || state === null || Array.isArray(state)
          ? undefined
          : state;
      } catch (error) {
        if (error instanceof SealingError) return undefined;
        throw error;
      }
    },
  };
}
