import { createHash } from 'node:crypto';
import { ApiError, overloaded } from '@fairlead/errors/api-error';

/** Limits the requests of agents to this replica. */
export interface RequestBounds {
  /** Runs `work` for a request with this Authorization header; RATE_LIMIT_EXCEEDED if there were too many. */
  within(address: string, authorization: string, work: () => Promise<void>): Promise<void>;
}

/** Requests per second of one token: a busy agent with 100 tasks sends fewer. */
const PER_TOKEN = 500;
/** Requests per second with unknown tokens, per network address. */
const REFUSED_PER_ADDRESS = 20;
/** Maximum number of counters; they are reset every second. */
const MAX_COUNTED = 50_000;
const SECOND_MS = 1_000;

/** Limits per valid token, and per network address for unknown tokens: many agents may share one address. */
export function createRequestBounds(nowMs: () => number = () => performance.now()): RequestBounds {
  let second = 0;
  let tokens = new Map<string, number>();
  let refused = new Map<string, number>();
  const count = (counts: Map<string, number>, key: string): number => {
    const next = (counts.get(key) ?? 0) + 1;
    if (counts.size < MAX_COUNTED || counts.has(key)) counts.set(key, next);
    return next;
  };
  return {
    async within(address, authorization, work) {
      const now = Math.floor(nowMs() / SECOND_MS);
      if (now !== second) {
        second = now;
        tokens = new Map();
        refused = new Map();
      }
      const ofAddress = refused;
      const token = createHash('sha256').update(authorization).digest('base64url');
      if (count(tokens, token) > PER_TOKEN || (ofAddress.get(address) ?? 0) >= REFUSED_PER_ADDRESS)
        throw overloaded('Too many requests of agents.');
      try {
        await work();
      } catch (error) {
        if (error instanceof ApiError && error.code === 'UNAUTHORIZED') count(ofAddress, address);
        throw error;
      }
    },
  };
}
