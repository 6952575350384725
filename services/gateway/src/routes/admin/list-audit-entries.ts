import { auditEntryRecord, presentAuditEntry } from '@fairlead/rest-records/audit-entry';
import { defineRoute } from '../define-route.ts';
import { auditQuery } from './audit-query.ts';

export const listAuditEntries = defineRoute(
  {
    operationId: 'listAuditEntries',
    method: 'get',
    path: '/admin/v1/audit',
    tags: ['Administration'],
    summary: 'List audit entries',
    description:
      'Who did what to which record, newest first: every call that changed something or showed a secret, including the operator’s calls. Calls that run tools are in the execution history instead. Entries are kept for 400 days, or as long as the installation is configured to.',
    services: ['auditTrail'],
    permission: 'administration',
    query: auditQuery,
    page: { defaultTop: 100 },
    response: auditEntryRecord,
  },
  async ({ ctx, principal, query, page, services }) => {
    const { from, to, actor, action } = query;
    const { items, totalCount } = await services.auditTrail.list(ctx, principal.accountId, {
      filter: { from, to, actor, action },
      page,
    });
    return { items: items.map(presentAuditEntry), totalCount };
  },
);
