import { auditReportRecord, presentAuditReport } from '../../present/audit-entry.ts';
import { defineRoute } from '../define-route.ts';
import { accountParams } from './account-params.ts';

/** GET /operator/v1/accounts/{accountId}/audit/verify */
export const verifyAuditLog = defineRoute(
  {
    operationId: 'verifyAuditLog',
    method: 'get',
    path: '/operator/v1/accounts/{accountId}/audit/verify',
    tags: ['Operator'],
    summary: 'Check that the audit log of an account is as it was written',
    description:
      'Compares every entry that is kept with the hash chain and names the first batch that does not fit.',
    auth: 'operator',
    services: ['auditTrail', 'identity'],
    params: accountParams,
    resource: 'account',
    response: auditReportRecord,
    callsApplication: true,
    errors: [],
  },
  async ({ ctx, params, services }) => {
    const { id } = await services.identity.getAccount(ctx, params.accountId);
    return presentAuditReport(await services.auditTrail.verify(ctx, id));
  },
);
