import { z } from 'zod';
import { isSameText } from './same-text.ts';

/** The e-mail address and password that a person enters. */
export const signInForm = z.object({ email: z.string().default(''), password: z.string().default('') });

/** The message for any wrong pair; it does not say which of the two is wrong. */
export const NO_MATCH = 'That e-mail and password do not match. Check both and try again.';

/** Whether the form has the person's e-mail and password. */
export function isPerson(
  form: z.infer<typeof signInForm>,
  user: { readonly email: string; readonly password: string },
): boolean {
  const isKnown = form.email.trim().toLowerCase() === user.email.toLowerCase();
  return isSameText(form.password, user.password) && isKnown;
}
