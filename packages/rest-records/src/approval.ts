import { ApprovalStatus } from '@fairlead/contracts/tools/v1/approval_pb';
import type { Approval, ApprovedFile } from '@fairlead/contracts/tools/v1/approval_pb';
import { nameOfValue } from '@fairlead/connector-model/proto-enums';
import { z } from 'zod';
import { lazyObject, timestamp } from '@fairlead/rest-kit/fields';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
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

const approvedFile = z
  .strictObject({
    field: z.string().describe('The name of the input.'),
    name: z.string(),
    contentType: z.string(),
    sizeBytes: z.int().min(0),
    sha256: z.string().describe('Of the content, in hexadecimal digits.'),
    text: z
      .string()
      .nullable()
      .describe(
        'The content; null: it is no UTF-8 text, is larger than 64 KiB, or has, with the texts before it, more than 1 MiB of JSON.',
      ),
  })
  .meta({ id: 'ApprovedFile' });

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
    fields: lazyObject.describe(
      'The inputs as the call will run; those that the schema marks as secret are masked.',
    ),
    query: lazyObject.describe('Filters, sorts, top and offset of the call, those that it has.'),
    files: z
      .array(approvedFile)
      .describe(
        'The files of the call, whose content it will send: an address was fetched when the approval was requested.',
      ),
    requestedBy: z.string().describe('The userId of the caller.'),
    decidedBy: z.string().nullable().describe('The userId of who approved or rejected it.'),
    expiresAt: timestamp,
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Approval' });

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
    fields: LazyJson.object(approval.fieldsJson),
    query: LazyJson.object(approval.queryJson),
    files: approval.files.map(presentFile),
    requestedBy: approval.requestedBy,
    decidedBy: approval.decidedBy ?? null,
    expiresAt: presentTime(approval.expiresAt),
    createdAt: presentTime(approval.createdAt),
    updatedAt: presentTime(approval.updatedAt),
  };
}

function presentFile(file: ApprovedFile): z.output<typeof approvedFile> {
  const { field, name, contentType, sizeBytes, sha256, text } = file;
  return { field, name, contentType, sizeBytes: Number(sizeBytes), sha256, text: text ?? null };
}
