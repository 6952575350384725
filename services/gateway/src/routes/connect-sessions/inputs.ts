import { z } from 'zod';
import { text } from '@fairlead/rest-kit/fields';

/** The path of one connect session. */
export const sessionParams = z.object({
  sessionId: z.string().regex(/^cs_[0-9A-Za-z]{1,64}$/, 'must be the id of a connect session'),
});

/** The account's own id of its customer. */
export const endUserId = text(1, 255).describe('Your id of your customer.');
