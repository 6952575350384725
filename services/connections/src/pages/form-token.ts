import { createHash, timingSafeEqual } from 'node:crypto';

/**
 * A token that a form sends back. It proves that the form's page was sent to the browser that has `secret`, a cookie unreadable for
 * scripts.
 */
export function formTokenOf(secret: string): string {
  return createHash('sha256').update(`form of ${secret}`).digest('base64url');
}

/** Whether a form's token matches `secret`. */
export function isFormTokenOf(secret: string, token: string | null): boolean {
  const [one, other] = [Buffer.from(token ?? ''), Buffer.from(formTokenOf(secret))];
  return one.length === other.length && timingSafeEqual(one, other);
}
