import { createHash } from 'node:crypto';
import { randomBase62 } from '@fairlead/service-kit/ids';
import { OAUTH_PATH } from '@fairlead/access/resources';
import type { PageKeys } from './page-keys.ts';

const LIFETIME_SECONDS = 180 * 24 * 60 * 60;
const RANDOM_LENGTH = 22;

/** Recognises browsers that have signed in before, so that other people's failed attempts do not slow them down. It grants no access. */
export interface KnownBrowsers {
  /** The Set-Cookie value that makes the browser known for an e-mail address. */
  cookieFor(email: string): string;
  /** The browser's identifier; undefined if it is not known for that address. */
  recognise(email: string, cookieHeader: string | undefined): string | undefined;
}

/** Known browsers carry one cookie per e-mail address, signed by `keys`. The address cannot be read from it. */
export function createKnownBrowsers(o: {
  readonly keys: PageKeys;
  readonly publicUrl: string;
}): KnownBrowsers {
  const isSecure = new URL(o.publicUrl).protocol === 'https:';
  const nameOf = (email: string): string =>
    `fairlead-browser-${createHash('sha256').update(email).digest('hex').slice(0, 8)}`;
  return {
    cookieFor(email) {
      const random = randomBase62(RANDOM_LENGTH);
      const code = o.keys.sign('known-browser', email, random);
      const attributes = `Path=${OAUTH_PATH}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
      return `${nameOf(email)}=${random}.${code}; ${attributes}; Max-Age=${LIFETIME_SECONDS}`;
    },
    recognise(email, cookieHeader = '') {
      const prefix = `${nameOf(email)}=`;
      const pair = cookieHeader.split(';').find((part) => part.trim().startsWith(prefix));
      const [random = '', code = ''] = (pair?.trim().slice(prefix.length) ?? '').split('.');
      return o.keys.isSigned(code, 'known-browser', email, random) ? random : undefined;
    },
  };
}
