import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import type { Approval, ApprovalStatus } from '../domain/approval.ts';

/** An approval document. Undeclared members are those of Approval. */
export interface ApprovalDocument extends Omit<
  Approval,
  'approvalId' | 'status' | 'endUserId' | 'requiresOther' | 'fields' | 'query' | 'files'
> {
  /** The approval id. */
  readonly _id: string;
  readonly accountId: string;
  /** The decision, or `used`; expiry is computed from the time. */
  readonly status: Exclude<ApprovalStatus, 'expired'>;
  /** Whether equal calls share it: it is pending or approved, and not yet found to have expired. */
  readonly isOpen: boolean;
  /** Absent in approvals requested before it was stored. */
  readonly endUserId?: string | null;
  /** Absent in approvals of earlier releases: false. */
  readonly requiresOther?: boolean;
  /** JSON text, like the next: names of inputs may be invalid in BSON. */
  readonly fields: string;
  readonly query: string;
  /** Absent in approvals of earlier releases: none. */
  readonly files?: Approval['files'];
}

const RETENTION_SECONDS = 30 * 24 * 60 * 60;

/**
 * In order: two indexes for lists; a user's pending approvals; the open approval of equal calls; approvals of a call; approvals that name
 * an end user; removal after 30 days.
 */
export const approvalCollection = defineCollection<ApprovalDocument>({
  name: 'approvals',
  indexes: [
    { key: { accountId: 1, createdAt: -1, _id: -1 }, name: 'list' },
    { key: { accountId: 1, status: 1, createdAt: -1, _id: -1 }, name: 'list_of_a_status' },
    { key: { accountId: 1, requestedBy: 1, status: 1, createdAt: -1 }, name: 'of_a_user' },
    {
      key: { accountId: 1, fingerprint: 1 },
      name: 'one_open_a_call',
      unique: true,
      partialFilterExpression: { isOpen: true },
    },
    {
      key: { accountId: 1, fingerprint: 1, isOpen: -1, createdAt: -1 },
      name: 'of_a_call',
      // Always true; the condition prevents lists from using this index.
      partialFilterExpression: { fingerprint: { $exists: true } },
    },
    {
      key: { accountId: 1, endUserId: 1 },
      name: 'of_an_end_user',
      partialFilterExpression: { endUserId: { $gt: '' } },
    },
    { key: { createdAt: 1 }, name: 'retention', expireAfterSeconds: RETENTION_SECONDS },
  ],
});
