import { auditReportRecord, presentAuditReport } from '@fairlead/rest-records/audit-entry';
import { defineRoute } from '../define-route.ts';
import { accountParams } from './account-params.ts';

export const verifyAuditLog = defineRoute(
  {
    operationId: 'verifyAuditLog',
    method: 'get',
    path: '/operator/v1/accounts/{accountId}/audit/verify',
    tags: ['Operator'],
    summary: 'Verify that the audit log of an account is unaltered',
    description:
      'Compares every stored entry with the keyed chain and returns the first entry from which on the log does not hold. Who lacks the keys can change, insert or remove no chained entry unnoticed; removing all entries after a time is noticed only by the hashes in the gateway’s log.',
    auth: 'operator',
    services: ['auditTrail', 'operator'],
    params: accountParams,
    resource: 'account',
    response: auditReportRecord,
    callsApplication: true,
  },
  async ({ ctx, params: { accountId }, services }) => {
    await services.operator.findAccount(ctx, { accountId });
    return presentAuditReport(await services.auditTrail.verify(ctx, accountId));
  },
);
