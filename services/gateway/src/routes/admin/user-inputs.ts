import { Secret } from '@fairlead/service-kit/secret';
import { z } from 'zod';
import { text } from '@fairlead/rest-kit/fields';

const MAX_EMAIL_LENGTH = 254;
/** Longest part before the @ (RFC 5321, 4.5.3.1.1). */
const MAX_LOCAL_PART_LENGTH = 64;

export const userId = z.string().regex(/^usr_[0-9A-Za-z]{1,64}$/, 'must be the id of a user');

/** The path of one user. */
export const userParams = z.object({ userId });

/** An e-mail address; case does not matter. */
export const email = z
  .string()
  // Before the pattern, which would read a text of any length.
  .max(MAX_EMAIL_LENGTH, { abort: true })
  .check(
    z.email({ error: ({ code }) => (code === 'invalid_format' ? 'must be an e-mail address' : undefined) }),
  )
  .refine((address) => address.lastIndexOf('@') <= MAX_LOCAL_PART_LENGTH, 'must be an e-mail address')
  .toLowerCase();

export const userName = text(1, 200);

/** A new password of the length that NIST SP 800-63B requires; no response contains it. */
export const password = text(8, 200)
  .transform((plain) => new Secret(plain))
  .meta({ format: 'password', writeOnly: true });
