import { describe } from 'vitest';
import { idempotencyStoreSuite } from './idempotency-suite.ts';
import { memoryIdempotencyStore } from './memory-idempotency.ts';

describe('the idempotency store in memory', () => {
  idempotencyStoreSuite((o) => memoryIdempotencyStore(o));
});
