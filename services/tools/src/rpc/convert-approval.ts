import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { nameOfValue } from '@fairlead/connector-model/proto-enums';
import { ApprovalStatus as StatusMessage } from '@fairlead/contracts/tools/v1/approval_pb';
import type { ApprovalSchema, ApprovedFileSchema } from '@fairlead/contracts/tools/v1/approval_pb';
import type { ListApprovalsRequest } from '@fairlead/contracts/tools/v1/approval_service_pb';
import { validationError } from '@fairlead/errors/api-error';
import { readPage } from '@fairlead/service-kit/page';
import type { Page } from '@fairlead/service-kit/page';
import { expiryOf } from '../domain/approval.ts';
import type { Approval, ApprovalStatus, ApprovedFile } from '../domain/approval.ts';

const STATUSES = {
  pending: StatusMessage.PENDING,
  approved: StatusMessage.APPROVED,
  rejected: StatusMessage.REJECTED,
  used: StatusMessage.USED,
  expired: StatusMessage.EXPIRED,
} as const satisfies Record<ApprovalStatus, StatusMessage>;

/** The requested list; VALIDATION_ERROR naming the field. */
export function fromListApprovalsRequest({ page, status }: ListApprovalsRequest): {
  readonly page: Page;
  readonly status: ApprovalStatus | undefined;
} {
  const name = status === undefined ? undefined : nameOfValue(STATUSES, status);
  if (status !== undefined && name === undefined)
    throw validationError({ field: 'status', issue: 'is not one that this service knows' });
  return { page: readPage(page), status: name };
}

/** Encodes an approval. */
export function toApproval(approval: Approval): MessageInitShape<typeof ApprovalSchema> {
  const { status, connectionId, endUserId, fields, query, decidedBy, createdAt } = approval;
  return {
    approvalId: approval.approvalId,
    status: STATUSES[status],
    toolsetId: approval.toolsetId,
    applicationSlug: approval.applicationSlug,
    toolSlug: approval.toolSlug,
    ...(connectionId !== null && { connectionId }),
    ...(endUserId !== null && { endUserId }),
    fieldsJson: fields.bytes,
    queryJson: query.bytes,
    files: approval.files.map(toApprovedFile),
    requestedBy: approval.requestedBy,
    ...(decidedBy !== null && { decidedBy }),
    expiresAt: timestampFromDate(expiryOf(createdAt)),
    createdAt: timestampFromDate(createdAt),
    updatedAt: timestampFromDate(approval.updatedAt),
  };
}

function toApprovedFile(file: ApprovedFile): MessageInitShape<typeof ApprovedFileSchema> {
  const { field, name, contentType, sizeBytes, sha256, text } = file;
  return {
    field,
    name,
    contentType,
    sizeBytes: BigInt(sizeBytes),
    sha256,
    ...(text !== null && { text }),
  };
}
