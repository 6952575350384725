import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Secret } from '@fairlead/service-kit/secret';

/** What the pages know to be their own when a browser brings it back. */
export interface PageKeys {
  /** The code of `parts`, told apart from those of other purposes: 43 characters of base64url. */
  sign(purpose: string, ...parts: readonly string[]): string;
  /** Whether `code` is that of `parts`, by any of the keys; takes the same time for each wrong code. */
  isSigned(code: string, purpose: string, ...parts: readonly string[]): boolean;
}

/** HMAC-SHA256 by the first of the keys at that time; what the others signed is still known. */
export function createPageKeys(keys: () => readonly Secret[]): PageKeys {
  return {
    sign(purpose, ...parts) {
      const [first] = keys();
      if (first === undefined) throw new Error('The pages have no key.');
      return codeOf(first, purpose, parts).toString('base64url');
    },
    isSigned(code, purpose, ...parts) {
      const given = Buffer.from(code, 'base64url');
      // All of them, whichever fits.
      return (
        keys().filter((key) => {
          const expected = codeOf(key, purpose, parts);
          return given.length === expected.length && timingSafeEqual(given, expected);
        }).length > 0
      );
    },
  };
}

function codeOf(key: Secret, purpose: string, parts: readonly string[]): Buffer {
  // As JSON, in which no two lists of texts look the same.
  return createHmac('sha256', key.reveal())
    .update(JSON.stringify(['oauth-pages', purpose, ...parts]))
    .digest();
}
