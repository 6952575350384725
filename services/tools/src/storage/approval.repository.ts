import type { RequestContext } from '@fairlead/service-kit/context/context';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { listNewestFirst } from '@fairlead/service-kit/mongo/list-part';
import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { isDuplicateKey } from '@fairlead/service-kit/mongo/write-errors';
import type { Filter } from 'mongodb';
import { expiredSince } from '../domain/approval.ts';
import type { Approval, ApprovalStatus } from '../domain/approval.ts';
import type { ApprovalStore } from '../ports/approvals.ts';
import { approvalCollection } from './approval.collection.ts';
import type { ApprovalDocument } from './approval.collection.ts';

const ATTEMPTS = 5;
/** Options for a release, which must happen even if the request was cancelled. */
const RELEASE_TIMEOUT_MS = 5_000;

/** The approvals in MongoDB. */
export function createApprovalRepository(store: MongoStore): ApprovalStore {
  const approvals = store.collection(approvalCollection);

  const countPending = (
    ctx: RequestContext,
    accountId: string,
    requestedBy: string,
    now: Date,
    most: number,
  ): Promise<number> =>
    approvals.countDocuments(
      { accountId, requestedBy, ...withStatus('pending', now) },
      { ...operationOptions(ctx), limit: most },
    );

  /**
   * Joins an open approval of an equal call. If this call requires another user to decide, so does the approval from now on, and its
   * caller's own consent becomes invalid.
   */
  async function joinApproval(
    ctx: RequestContext,
    found: ApprovalDocument,
    { requiresOther, requestedBy }: Pick<Approval, 'requiresOther' | 'requestedBy'>,
    now: Date,
  ): Promise<Approval> {
    if (!requiresOther) return toApproval(found, now);
    const { accountId, _id, status, decidedBy } = found;
    const isOwn = status === 'approved' && decidedBy === requestedBy;
    const reopened = { status: 'pending', decidedBy: null, updatedAt: now } as const;
    const present = await approvals.findOneAndUpdate(
      { accountId, _id, status, decidedBy },
      { $set: { requiresOther: true, ...(isOwn && reopened) } },
      { ...operationOptions(ctx), returnDocument: 'after' },
    );
    // Decided or used concurrently; the retry sees it.
    return toApproval(present ?? found, now);
  }

  return {
    async find(ctx, accountId, approvalId, now) {
      const document = await approvals.findOne({ accountId, _id: approvalId }, operationOptions(ctx));
      return document === null ? undefined : toApproval(document, now);
    },

    async findOfCall(ctx, accountId, fingerprints, now) {
      const document = await approvals.findOne(
        { accountId, fingerprint: { $in: [...fingerprints] }, createdAt: { $gt: expiredSince(now) } },
        { ...operationOptions(ctx), sort: { isOpen: -1, createdAt: -1 } },
      );
      return document === null ? undefined : toApproval(document, now);
    },

    list: (ctx, accountId, { status, page }, now) =>
      listNewestFirst(approvals, ctx, { accountId, ...withStatus(status, now) }, page, {
        toItem: (document) => toApproval(document, now),
      }),

    async open(ctx, accountId, call, request) {
      const { fingerprints, requestedBy, most, now } = call;
      const options = operationOptions(ctx);
      let requested: Approval | undefined;
      const equal = { accountId, fingerprint: { $in: [...fingerprints] }, isOpen: true };
      for (let attempt = 1; ; attempt += 1) {
        const found = await approvals.findOne({ ...equal, createdAt: { $gt: expiredSince(now) } }, options);
        if (found !== null) return await joinApproval(ctx, found, call, now);
        if ((await countPending(ctx, accountId, requestedBy, now, most)) >= most) return 'full';
        requested ??= await request();
        const expired = { ...equal, createdAt: { $lte: expiredSince(now) } };
        await approvals.updateMany(expired, { $set: { isOpen: false } }, options);
        try {
          await approvals.insertOne(toDocument(accountId, requested), options);
        } catch (error) {
          // An equal call has requested its approval concurrently.
          const isTaken = isDuplicateKey(error);
          if (!isTaken || attempt === ATTEMPTS) throw error;
          continue;
        }
        // Counts its own document, so that concurrent requests cannot exceed the maximum together.
        if ((await countPending(ctx, accountId, requestedBy, now, most + 1)) <= most) return requested;
        await approvals.deleteOne({ accountId, _id: requested.approvalId }, options);
        return 'full';
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

    async claim(ctx, accountId, approvalId, { notDecidedBy, now }) {
      const { modifiedCount } = await approvals.updateOne(
        {
          accountId,
          _id: approvalId,
          status: 'approved',
          createdAt: { $gt: expiredSince(now) },
          ...(notDecidedBy !== undefined && { decidedBy: { $ne: notDecidedBy } }),
        },
        { $set: { status: 'used', isOpen: false, updatedAt: now } },
        operationOptions(ctx),
      );
      return modifiedCount === 1;
    },

    async remove(ctx, accountId, approvalId) {
      await approvals.deleteOne({ accountId, _id: approvalId }, operationOptions(ctx));
    },

    async removeOfEndUser(ctx, accountId, endUserId) {
      await approvals.deleteMany({ accountId, endUserId }, operationOptions(ctx));
    },

    async rejectOfToolset(ctx, accountId, toolsetId, { userId, now }) {
      await approvals.updateMany(
        {
          accountId,
          status: { $in: ['pending', 'approved'] },
          createdAt: { $gt: expiredSince(now) },
          toolsetId,
        },
        { $set: { status: 'rejected', isOpen: false, decidedBy: userId, updatedAt: now } },
        operationOptions(ctx),
      );
    },

    async release(accountId, approvalId, now) {
      try {
        await approvals.updateOne(
          { accountId, _id: approvalId, status: 'used' },
          { $set: { status: 'approved', isOpen: true, updatedAt: now } },
          { maxTimeMS: RELEASE_TIMEOUT_MS },
        );
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
    },
  };
}

/** Decodes an approval with its status at `now`. */
export function toApproval(document: ApprovalDocument, now: Date): Approval {
  const {
    _id,
    accountId: _account,
    isOpen: _open,
    status,
    endUserId = null,
    requiresOther = false,
    fields,
    query,
    files = [],
    ...same
  } = document;
  const hasEnded = same.createdAt <= expiredSince(now);
  return {
    ...same,
    approvalId: _id,
    endUserId,
    requiresOther,
    status: hasEnded && (status === 'pending' || status === 'approved') ? 'expired' : status,
    fields: new LazyJson(Buffer.from(fields)),
    query: new LazyJson(Buffer.from(query)),
    files,
  };
}

function toDocument(accountId: string, { approvalId, fields, query, ...same }: Approval): ApprovalDocument {
  return {
    ...same,
    _id: approvalId,
    accountId,
    status: 'pending',
    isOpen: true,
    fields: fields.text,
    query: query.text,
  };
}

/** Filter for approvals with a status at `now`, suitable for an index. */
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
