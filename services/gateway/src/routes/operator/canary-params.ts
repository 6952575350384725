import { z } from 'zod';

/** The path of one canary. */
export const canaryParams = z.object({
  service: z.string().regex(/^[a-z]{1,32}$/, 'must be the name of a service'),
});
