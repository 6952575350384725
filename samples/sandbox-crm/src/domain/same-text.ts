import { createHash, timingSafeEqual } from 'node:crypto';

/** Compares secrets in constant time, so that the duration does not reveal where they differ. */
export function isSameText(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
