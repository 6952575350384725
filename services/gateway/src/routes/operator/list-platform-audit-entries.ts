import { auditEntryRecord, presentAuditEntry } from '@fairlead/rest-records/audit-entry';
import { defineRoute } from '../define-route.ts';
import { auditQuery } from '../admin/audit-query.ts';

export const listPlatformAuditEntries = defineRoute(
  {
    operationId: 'listPlatformAuditEntries',
    method: 'get',
    path: '/operator/v1/audit',
    tags: ['Operator'],
    summary: 'List audit entries of the operator and the platform',
    description: 'Newest first. The entries outlive the accounts that they concern.',
    auth: 'operator',
    services: ['auditTrail'],
    query: auditQuery,
    page: { defaultTop: 100 },
    response: auditEntryRecord,
  },
  async ({ ctx, query, page, services }) => {
    const { from, to, actor, action } = query;
    const { items, totalCount } = await services.auditTrail.list(ctx, undefined, {
      filter: { from, to, actor, action },
      page,
    });
    return { items: items.map(presentAuditEntry), totalCount };
  },
);
