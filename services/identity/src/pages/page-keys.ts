import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Secret } from '@fairlead/service-kit/secret';

/** Authenticates the values that pages give to a browser, and verifies them when they come back. */
export interface PageKeys {
  /** The MAC of `parts`, valid for this purpose only: 43 characters of base64url. */
  sign(purpose: string, ...parts: readonly string[]): string;
  /** Whether `code` is the MAC of `parts` under any of the keys; takes the same time for each wrong code. */
  isSigned(code: string, purpose: string, ...parts: readonly string[]): boolean;
}

/** HMAC-SHA256 with the first key; MACs by the other keys are still accepted. */
export function createPageKeys(keys: () => readonly Secret[]): PageKeys {
  return {
    sign(purpose, ...parts) {
      const [first] = keys();
      if (first === undefined) throw new Error('The pages have no key.');
      return codeOf(first, purpose, parts).toString('base64url');
    },
    isSigned(code, purpose, ...parts) {
      const bytes = Buffer.from(code, 'base64url');
      // Tries every key even after a match, to take constant time.
      return (
        keys().filter((key) => {
          const expected = codeOf(key, purpose, parts);
          return bytes.length === expected.length && timingSafeEqual(bytes, expected);
        }).length > 0
      );
    },
  };
}

function codeOf(key: Secret, purpose: string, parts: readonly string[]): Buffer {
  // JSON, because two different lists of texts never serialize alike.
  return createHmac('sha256', key.reveal())
    .update(JSON.stringify(['oauth-pages', purpose, ...parts]))
    .digest();
}
