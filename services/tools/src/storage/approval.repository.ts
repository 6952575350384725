import type { JsonObject } from '@fairlead/connector-model/model';
import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { MongoServerError } from 'mongodb';
import type { Filter } from 'mongodb';
import { expiredSince } from '../domain/approval.ts';
import type { Approval, ApprovalStatus } from '../domain/approval.ts';
import type { ApprovalStore } from '../ports/approvals.ts';
import { approvalCollection } from './approval.collection.ts';
import type { ApprovalDocument } from './approval.collection.ts';

const DUPLICATE_KEY = 11_000;
const ATTEMPTS = 5;
/** For a release, which happens even if the request was cancelled. */
const RELEASE_TIMEOUT_MS = 5_000;

/** The approvals in MongoDB. */
export function createApprovalRepository(store: MongoStore): ApprovalStore {
  const approvals = store.collection(approvalCollection);
  return {
    async find(ctx, accountId, approvalId, now) {
      const document = await approvals.findOne({ accountId, _id: approvalId }, operationOptions(ctx));
      return document === null ? undefined : toApproval(document, now);
    },

    async list(ctx, accountId, { status, page }, now) {
      const filter = { accountId, ...withStatus(status, now) };
      const options = operationOptions(ctx);
      const [documents, totalCount] = await Promise.all([
        approvals
          .find(filter, options)
          .sort({ createdAt: -1, _id: -1 })
          .skip(page.offset)
          .limit(page.top)
          .toArray(),
        approvals.countDocuments(filter, options),
      ]);
      return { items: documents.map((document) => toApproval(document, now)), totalCount };
    },

    async open(ctx, accountId, requested, { fingerprints, most, now }) {
      const options = operationOptions(ctx);
      const equal = { accountId, fingerprint: { $in: [...fingerprints] }, isOpen: true };
      for (let attempt = 1; ; attempt += 1) {
        const found = await approvals.findOne({ ...equal, createdAt: { $gt: expiredSince(now) } }, options);
        if (found !== null) return toApproval(found, now);
        const pending = { accountId, ...withStatus('pending', now) };
        if ((await approvals.countDocuments(pending, { ...options, limit: most })) >= most) return 'full';
        const expired = { ...equal, createdAt: { $lte: expiredSince(now) } };
        await approvals.updateMany(expired, { $set: { isOpen: false } }, options);
        try {
          await approvals.insertOne(toDocument(accountId, requested), options);
          return requested;
        } catch (error) {
          // An equal call has requested its approval at the same time.
          const isTaken = error instanceof MongoServerError && error.code === DUPLICATE_KEY;
          if (!isTaken || attempt === ATTEMPTS) throw error;
        }
      }
    },

    async decide(ctx, accountId, approvalId, { from, to, userId, now }) {
      const document = await approvals.findOneAndUpdate(
        {
          accountId,
          _id: approvalId,
          status: { $in: [...from] },
          createdAt: { $gt: expiredSince(now) },
        },
        { $set: { status: to, isOpen: to === 'approved', decidedBy: userId, updatedAt: now } },
        { ...operationOptions(ctx), returnDocument: 'after' },
      );
      return document === null ? undefined : toApproval(document, now);
    },

    async claim(ctx, accountId, approvalId, now) {
      const { modifiedCount } = await approvals.updateOne(
        { accountId, _id: approvalId, status: 'approved', createdAt: { $gt: expiredSince(now) } },
        { $set: { status: 'used', isOpen: false, updatedAt: now } },
        operationOptions(ctx),
      );
      return modifiedCount === 1;
    },

    async release(accountId, approvalId, now) {
      try {
        await approvals.updateOne(
          { accountId, _id: approvalId, status: 'used' },
          { $set: { status: 'approved', isOpen: true, updatedAt: now } },
          { maxTimeMS: RELEASE_TIMEOUT_MS },
        );
      } catch (error) {
        if (!(error instanceof MongoServerError && error.code === DUPLICATE_KEY)) throw error;
      }
    },
  };
}

/** The approval that a document holds, as it is at `now`. */
export function toApproval(document: ApprovalDocument, now: Date): Approval {
  const {
    _id,
    accountId: _account,
    isOpen: _open,
    status,
    endUserId = null,
    fields,
    query,
    ...same
  } = document;
  const hasEnded = same.createdAt <= expiredSince(now);
  return {
    ...same,
    approvalId: _id,
    endUserId,
    status: hasEnded && (status === 'pending' || status === 'approved') ? 'expired' : status,
    // toDocument wrote them.
    fields: JSON.parse(fields) as JsonObject,
    query: JSON.parse(query) as JsonObject,
  };
}

function toDocument(accountId: string, { approvalId, fields, query, ...same }: Approval): ApprovalDocument {
  return {
    ...same,
    _id: approvalId,
    accountId,
    status: 'pending',
    isOpen: true,
    fields: JSON.stringify(fields),
    query: JSON.stringify(query),
  };
}

/** Those that have a status at `now`, as an index finds them. */
function withStatus(status: ApprovalStatus | undefined, now: Date): Filter<ApprovalDocument> {
  switch (status) {
    case undefined:
      return {};
    case 'expired':
      return { status: { $in: ['pending', 'approved'] }, createdAt: { $lte: expiredSince(now) } };
    case 'pending':
    case 'approved':
      return { status, createdAt: { $gt: expiredSince(now) } };
    case 'rejected':
    case 'used':
      return { status };
  }
}
