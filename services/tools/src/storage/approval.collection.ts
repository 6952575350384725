import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import type { Approval, ApprovalStatus } from '../domain/approval.ts';

/** One approval. Members that are not declared here are stored as they are. */
export interface ApprovalDocument extends Omit<
  Approval,
  'approvalId' | 'status' | 'endUserId' | 'requiresOther' | 'fields' | 'query' | 'files'
> {
  /** The approval id. */
  readonly _id: string;
  readonly accountId: string;
  /** The decision, or `used`; whether it has expired is a matter of time. */
  readonly status: Exclude<ApprovalStatus, 'expired'>;
  /** Whether an equal call shares it: it is pending or approved, and was not found to have expired. */
  readonly isOpen: boolean;
  /** Approvals that were requested before it was stored lack it. */
  readonly endUserId?: string | null;
  /** Absent, as on approvals of earlier releases: false. */
  readonly requiresOther?: boolean;
  /** JSON text, like the next: names of inputs may not be valid in BSON. */
  readonly fields: string;
  readonly query: string;
  /** Absent, as on approvals of earlier releases: none. */
  readonly files?: Approval['files'];
}

const RETENTION_SECONDS = 30 * 24 * 60 * 60;

/** Lists read the first two indexes; those of a user that are pending are counted by the third; equal calls share what the fourth finds; the fifth finds those of a call; the sixth finds those that name an end user; the last removes approvals after 30 days. */
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
      // All have one; the condition keeps lists from considering this index.
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
