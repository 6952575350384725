import { z } from 'zod';
import { guidText } from '../../http/fields.ts';

/** The path parameters of one approval. */
export const approvalParams = z.object({ approvalId: guidText });
