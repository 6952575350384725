import type { JsonObject } from '@fairlead/connector-model/model';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { isDuplicateKey } from '@fairlead/service-kit/mongo/write-errors';
import type { Filter } from 'mongodb';
import { cutFromPage, expiredSince, shownBytesOf } from '../domain/approval.ts';
import type { Approval, ApprovalStatus } from '../domain/approval.ts';
import type { ApprovalStore } from '../ports/approvals.ts';
import { approvalCollection } from './approval.collection.ts';
import type { ApprovalDocument, CutApprovalDocument } from './approval.collection.ts';

const ATTEMPTS = 5;
/** An approval of an earlier release counts as so large: 256 KiB of fields, escaped, at most. */
const UNKNOWN_BYTES = 512 * 1024;
const CUT = 'Ask for a page with fewer approvals.';
/** For a release, which happens even if the request was cancelled. */
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

  /** An open approval for another equal call. If that requires another user now, so does the approval, and its caller's own consent is void. */
  async function shared(
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
    // Decided or used at the same time: another call finds it so.
    return toApproval(present ?? found, now);
  }

  /** The approvals in the order of `heads`. Only those that are shown whole are read whole: 100 may have 100 MiB together. */
  async function readPage(
    ctx: RequestContext,
    accountId: string,
    heads: readonly Pick<ApprovalDocument, '_id' | 'shownBytes'>[],
    now: Date,
  ): Promise<readonly Approval[]> {
    const cut = cutFromPage(heads.map(({ shownBytes = UNKNOWN_BYTES }) => shownBytes));
    const idsOf = (isCut: boolean): string[] =>
      heads.flatMap(({ _id }, index) => (cut.has(index) === isCut ? _id : []));
    const options = operationOptions(ctx);
    const [whole, parts] = await Promise.all([
      approvals.find({ accountId, _id: { $in: idsOf(false) } }, options).toArray(),
      approvals
        .find({ accountId, _id: { $in: idsOf(true) } }, options)
        .project<CutApprovalDocument>({ fields: 0, query: 0, 'files.text': 0 })
        .toArray(),
    ]);
    const found = new Map([
      ...whole.map((document) => [document._id, toApproval(document, now)] as const),
      ...parts.map((document) => [document._id, toApproval(withCuts(document), now)] as const),
    ]);
    return heads.flatMap(({ _id }) => found.get(_id) ?? []);
  }

  return {
    async find(ctx, accountId, approvalId, now) {
      const document = await approvals.findOne({ accountId, _id: approvalId }, operationOptions(ctx));
      return document === null ? undefined : toApproval(document, now);
    },

    async list(ctx, accountId, { status, page }, now) {
      const filter = { accountId, ...withStatus(status, now) };
      const options = operationOptions(ctx);
      const [heads, totalCount] = await Promise.all([
        approvals
          .find(filter, { ...options, projection: { shownBytes: 1 } })
          .sort({ createdAt: -1, _id: -1 })
          .skip(page.offset)
          .limit(page.top)
          .toArray(),
        approvals.countDocuments(filter, options),
      ]);
      return { items: await readPage(ctx, accountId, heads, now), totalCount };
    },

    async open(ctx, accountId, call, request) {
      const { fingerprints, requestedBy, most, now } = call;
      const options = operationOptions(ctx);
      let requested: Approval | undefined;
      const equal = { accountId, fingerprint: { $in: [...fingerprints] }, isOpen: true };
      for (let attempt = 1; ; attempt += 1) {
        const found = await approvals.findOne({ ...equal, createdAt: { $gt: expiredSince(now) } }, options);
        if (found !== null) return await shared(ctx, found, call, now);
        if ((await countPending(ctx, accountId, requestedBy, now, most)) >= most) return 'full';
        requested ??= await request();
        const expired = { ...equal, createdAt: { $lte: expiredSince(now) } };
        await approvals.updateMany(expired, { $set: { isOpen: false } }, options);
        try {
          await approvals.insertOne(toDocument(accountId, requested), options);
        } catch (error) {
          // An equal call has requested its approval at the same time.
          const isTaken = isDuplicateKey(error);
          if (!isTaken || attempt === ATTEMPTS) throw error;
          continue;
        }
        // Counted with itself, so that requests at the same time cannot all fit.
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

/** The approval that a document holds, as it is at `now`. */
export function toApproval(document: ApprovalDocument, now: Date): Approval {
  const {
    _id,
    accountId: _account,
    isOpen: _open,
    shownBytes: _bytes,
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
    // toDocument wrote them.
    fields: JSON.parse(fields) as JsonObject,
    query: JSON.parse(query) as JsonObject,
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
    fields: JSON.stringify(fields),
    query: JSON.stringify(query),
    shownBytes: shownBytesOf({ fields, query, files: same.files }),
  };
}

function withCuts({ files = [], ...document }: CutApprovalDocument): ApprovalDocument {
  const cut = JSON.stringify({ '[cut]': CUT });
  const shown = files.map((file) => ({ ...file, text: `[cut] ${CUT}` }));
  return { ...document, fields: cut, query: cut, files: shown };
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
