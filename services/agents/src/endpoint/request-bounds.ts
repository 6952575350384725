import { createHash } from 'node:crypto';
import { ApiError, overloaded } from '@fairlead/errors/api-error';

/** How many requests of agents this replica takes. */
export interface RequestBounds {
  /** Runs the work of a request with this Authorization header; RATE_LIMIT_EXCEEDED if there were too many. */
  within(address: string, authorization: string, work: () => Promise<void>): Promise<void>;
}

/** Requests of one token in a second: a busy agent of 100 tasks sends fewer. */
const PER_TOKEN = 500;
/** Requests with a token of no agent from one network address in a second. */
const REFUSED_PER_ADDRESS = 20;
/** Addresses and tokens that are counted at the same time; the counts of a second are forgotten after it. */
const MAX_COUNTED = 50_000;
const SECOND_MS = 1_000;

/** Bounds for each token, and for addresses that send tokens of no agent: behind one address there may be many agents. */
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
