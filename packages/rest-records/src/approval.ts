import { ApprovalStatus } from '@fairlead/contracts/tools/v1/approval_pb';
import type { Approval } from '@fairlead/contracts/tools/v1/approval_pb';
import { nameOfValue } from '@fairlead/connector-model/proto-enums';
import { z } from 'zod';
import { jsonObject, timestamp } from '@fairlead/rest-kit/fields';
import { namesOf } from './enums.ts';
import { presentTime } from './values.ts';

/** The statuses of approvals, as the API names them. */
export const APPROVAL_STATUSES = {
  pending: ApprovalStatus.PENDING,
  approved: ApprovalStatus.APPROVED,
  rejected: ApprovalStatus.REJECTED,
  used: ApprovalStatus.USED,
  expired: ApprovalStatus.EXPIRED,
} as const;

/** An approval. */
export const approvalRecord = z
  .strictObject({
    approvalId: z.guid(),
    status: z.enum(namesOf(APPROVAL_STATUSES)),
    toolsetId: z.guid(),
    applicationSlug: z.string(),
    toolSlug: z.string(),
    connectionId: z.int32().nullable().describe('Null: the tool needs none.'),
    endUserId: z
      .string()
      .nullable()
      .describe('The end user whose connection the call uses, or for whom the workflow runs; null: none.'),
    fields: jsonObject.describe('The inputs as the call will run, secrets masked.'),
    query: jsonObject.describe(
      'Filters, sorts, top and offset of the call, those that it has, secrets masked.',
    ),
    requestedBy: z.string().describe('The userId of the caller.'),
    decidedBy: z.string().nullable().describe('The userId of who approved or rejected it.'),
    expiresAt: timestamp,
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Approval' });

/** An approval. */
export function presentApproval(approval: Approval): z.output<typeof approvalRecord> {
  const status = nameOfValue(APPROVAL_STATUSES, approval.status);
  if (status === undefined) throw new Error('The service sent an approval without its status.');
  return {
    approvalId: approval.approvalId,
    status,
    toolsetId: approval.toolsetId,
    applicationSlug: approval.applicationSlug,
    toolSlug: approval.toolSlug,
    connectionId: approval.connectionId ?? null,
    endUserId: approval.endUserId ?? null,
    fields: approval.fields ?? {},
    query: approval.query ?? {},
    requestedBy: approval.requestedBy,
    decidedBy: approval.decidedBy ?? null,
    expiresAt: presentTime(approval.expiresAt),
    createdAt: presentTime(approval.createdAt),
    updatedAt: presentTime(approval.updatedAt),
  };
}
