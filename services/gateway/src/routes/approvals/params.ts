import { z } from 'zod';
import { guidText } from '@fairlead/rest-kit/fields';

/** The path parameters of one approval. */
export const approvalParams = z.object({ approvalId: guidText });
