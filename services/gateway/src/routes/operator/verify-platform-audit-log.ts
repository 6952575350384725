import { auditReportRecord, presentAuditReport } from '@fairlead/rest-records/audit-entry';
import { defineRoute } from '../define-route.ts';

export const verifyPlatformAuditLog = defineRoute(
  {
    operationId: 'verifyPlatformAuditLog',
    method: 'get',
    path: '/operator/v1/audit/verify',
    tags: ['Operator'],
    summary: 'Verify that the platform’s own audit log is unaltered',
    auth: 'operator',
    services: ['auditTrail'],
    response: auditReportRecord,
    callsApplication: true,
  },
  async ({ ctx, services }) => presentAuditReport(await services.auditTrail.verify(ctx, undefined)),
);
