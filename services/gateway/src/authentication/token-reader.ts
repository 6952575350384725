import type { AccessToken, ReadAccessToken } from '@fairlead/access/access-token';
import type { Clock } from '@fairlead/service-kit/clock';

/** Reads bearer tokens. */
export interface TokenReader {
  /**
   * The claims of a token for `audience`; undefined for text that is not one of our tokens, and for a token that is expired or
   * for another audience. Synchronous for a token that was read before. Does not check whether it was revoked.
   */
  read(text: string, audience: string): AccessToken | undefined | Promise<AccessToken | undefined>;
}

/** Limits the memory that many tokens can occupy. */
const MAX_ENTRIES = 10_000;
/** Longer than any token we issue; longer texts are rejected without verifying a signature. */
const MAX_TOKEN_LENGTH = 8192;

/** Creates the reader; a token's claims are cached until it expires. */
export function createTokenReader(o: {
  readonly read: ReadAccessToken;
  readonly clock: Clock;
  readonly maxEntries?: number;
}): TokenReader {
  const { clock, maxEntries = MAX_ENTRIES } = o;
  // Keyed by the token itself: hashing it would cost half as much as the rest of the request's processing.
  const known = new Map<string, AccessToken>();

  async function verify(text: string, audience: string): Promise<AccessToken | undefined> {
    const token = await o.read(text);
    if (token?.audience !== audience) return undefined;
    known.set(text, token);
    const [oldest] = known.keys();
    if (known.size > maxEntries && oldest !== undefined) known.delete(oldest);
    return token;
  }

  return {
    read(text, audience) {
      if (text.length > MAX_TOKEN_LENGTH) return undefined;
      const cached = known.get(text);
      if (cached !== undefined && cached.expiresAt > clock.now())
        return cached.audience === audience ? cached : undefined;
      known.delete(text);
      return verify(text, audience);
    },
  };
}
