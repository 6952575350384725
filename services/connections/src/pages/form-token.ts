import { createHash, timingSafeEqual } from 'node:crypto';

/** The token of a form shows that its page was sent to the browser that holds `secret`, which scripts cannot read. */
export function formTokenOf(secret: string): string {
  return createHash('sha256').update(`form of ${secret}`).digest('base64url');
}

/** Whether a form's token is the one of `secret`. */
export function isFormTokenOf(secret: string, given: string | null): boolean {
  const [one, other] = [Buffer.from(given ?? ''), Buffer.from(formTokenOf(secret))];
  return one.length === other.length && timingSafeEqual(one, other);
}
