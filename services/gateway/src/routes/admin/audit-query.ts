import { z } from 'zod';
import { filterText, instant } from '../../http/fields.ts';

/** What narrows down a list of audit entries. */
export const auditQuery = z.object({
  from: instant.optional().describe('Inclusive.'),
  to: instant.optional().describe('Exclusive.'),
  actor: filterText.optional().describe('Who did it: the id of a user, `operator` or `system`.'),
  action: filterText.optional().describe('What was done, as the entry calls it: `createConnection`.'),
});
