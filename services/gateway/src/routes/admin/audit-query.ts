import { z } from 'zod';
import { filterText, instant } from '@fairlead/rest-kit/fields';

/** The filters of a list of audit entries. */
export const auditQuery = z.object({
  from: instant.optional().describe('Inclusive.'),
  to: instant.optional().describe('Exclusive.'),
  actor: filterText.optional().describe('The actor: the id of a user, `operator` or `system`.'),
  action: filterText.optional().describe('The action as the entry names it, for example `createConnection`.'),
});
