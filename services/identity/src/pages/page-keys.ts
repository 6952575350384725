import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Secret } from '@fairlead/service-kit/secret';

/** Signs what the pages give to a browser, and verifies what it sends back. */
export interface PageKeys {
  /** The code of `parts` for this purpose only: 43 characters of base64url. */
  sign(purpose: string, ...parts: readonly string[]): string;
  /** Whether `code` is that of `parts`, by any of the keys; takes the same time for each wrong code. */
  isSigned(code: string, purpose: string, ...parts: readonly string[]): boolean;
}

/** HMAC-SHA256 with the first of the current keys; codes by the others are still accepted. */
export function createPageKeys(keys: () => readonly Secret[]): PageKeys {
  return {
    sign(purpose, ...parts) {
      const [first] = keys();
      if (first === undefined) throw new Error('The pages have no key.');
      return codeOf(first, purpose, parts).toString('base64url');
    },
    isSigned(code, purpose, ...parts) {
      const given = Buffer.from(code, 'base64url');
      // Every key is tried, whichever matches.
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
  // JSON, because two different lists of texts never have the same form.
  return createHmac('sha256', key.reveal())
    .update(JSON.stringify(['oauth-pages', purpose, ...parts]))
    .digest();
}
