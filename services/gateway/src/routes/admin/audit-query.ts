import { z } from 'zod';
import { instant } from '@fairlead/rest-kit/fields';

/** The filters of a list of audit entries. */
export const auditQuery = z.object({
  from: instant.optional().describe('Inclusive.'),
  to: instant.optional().describe('Exclusive.'),
  actor: z
    .string()
    .regex(
      /^(?:operator|system|usr_[0-9A-Za-z]{1,64})$/,
      'must be the id of a user (usr_…), operator or system',
    )
    .optional()
    .describe('The actor: the id of a user, `operator` or `system`.'),
  action: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9.]{0,99}$/, 'must be the name of an action, such as createConnection')
    .optional()
    .describe('The action as the entry names it, for example `createConnection`.'),
});
