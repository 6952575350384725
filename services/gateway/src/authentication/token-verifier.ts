import type { Clock } from '@fairlead/service-kit/clock';
import type { TokenVerifier } from '../ports/token-verifier.ts';
import type { AccessToken, ReadAccessToken } from '@fairlead/access/access-token';

/** Limits the memory that many tokens can occupy. */
const MAX_ENTRIES = 10_000;
/** Longer than any of our tokens; the signature of a longer text is not checked. */
const MAX_TOKEN_LENGTH = 8192;

/**
 * Verifies tokens for one `audience`. A token's claims are cached until it expires; `isLive`, which has its own cache,
 * is called each time.
 */
export function createTokenVerifier(o: {
  readonly audience: string;
  readonly read: ReadAccessToken;
  /** Whether the token's grant, or its client and itself, were not revoked. */
  readonly isLive: (token: AccessToken) => Promise<boolean>;
  readonly clock: Clock;
  readonly maxEntries?: number;
}): TokenVerifier {
  const { audience, clock, maxEntries = MAX_ENTRIES } = o;
  // By the token itself: a hash of it would cost half as much as all the rest of a request's way in, and protect little in a
  // process that holds the keys which tokens are signed with.
  const known = new Map<string, AccessToken>();

  async function read(text: string): Promise<AccessToken | undefined> {
    const cached = known.get(text);
    if (cached !== undefined) {
      if (cached.expiresAt > clock.now()) return cached;
      known.delete(text);
    }
    const token = await o.read(text);
    if (token?.audience !== audience) return undefined;
    known.set(text, token);
    const [oldest] = known.keys();
    if (known.size > maxEntries && oldest !== undefined) known.delete(oldest);
    return token;
  }

  return {
    async verify(text) {
      if (text.length > MAX_TOKEN_LENGTH) return undefined;
      const token = await read(text);
      return token !== undefined && (await o.isLive(token)) ? token : undefined;
    },
  };
}
