import { z } from 'zod';

/** The path parameters of one file. */
export const fileParams = z.object({ fileId: z.string().regex(/^file_[0-9A-Za-z]{22}$/) });
