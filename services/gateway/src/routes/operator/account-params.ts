import { z } from 'zod';

/** The path of one account. */
export const accountParams = z.object({
  accountId: z.string().regex(/^acc_[0-9A-Za-z]{1,64}$/, 'must be the id of an account'),
});
