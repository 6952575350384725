import type { Json } from '@fairlead/connector-model/json';
import type { Clock } from '@fairlead/service-kit/clock';
import { guid } from '@fairlead/service-kit/ids';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import type { Claim } from '@fairlead/service-kit/sweep/claims';
import type { UpdateFilter } from 'mongodb';
import { FROM_REST } from '../domain/call-origin.ts';
import type { CallOrigin } from '../domain/call-origin.ts';
import { NEW_PROGRESS, RUN_LEASE_MS } from '../domain/workflow-run.ts';
import type { RunChange, RunHead, StepResult } from '../domain/workflow-run.ts';
import type { LeasedRun, RunLease, WorkflowRuns } from '../ports/workflow-runs.ts';
import { workflowRunCollection } from './workflow-run.collection.ts';
import type { WorkflowRunDocument } from './workflow-run.collection.ts';

/** Timeout of writes outside of requests; shorter than a lease. */
const WRITE_MS = 5_000;

/** Runs in MongoDB. A lease is the claim of the sweep that takes over abandoned runs. */
export function createWorkflowRunRepository({
  store,
  clock,
}: {
  readonly store: MongoStore;
  readonly clock: Clock;
}): WorkflowRuns {
  const runs = store.collection(workflowRunCollection);
  const mine = ({ accountId, runId, token }: RunLease) => ({
    accountId,
    _id: runId,
    'due.claim.token': token,
  });
  const leaseEnd = (): Date => new Date(clock.now().getTime() + RUN_LEASE_MS);
  return {
    async insert({ runId, accountId, input: _unmasked, startedAt, ...head }) {
      const token = guid();
      await runs.insertOne(
        {
          _id: runId,
          accountId,
          head: JSON.stringify(head),
          startedAt,
          ...NEW_PROGRESS,
          results: '{}',
          items: null,
          itemResults: [],
          due: { lane: accountId, at: leaseEnd(), claim: { token, since: clock.now() } },
        },
        { maxTimeMS: WRITE_MS },
      );
      return { accountId, runId, token };
    },
    async save(lease, change) {
      const { $set = {}, ...others } = change === undefined ? {} : updateOf(change);
      const update = { ...others, $set: { ...$set, 'due.at': leaseEnd() } };
      const { matchedCount } = await runs.updateOne(mine(lease), update, { maxTimeMS: WRITE_MS });
      return matchedCount === 1;
    },
    async finish(lease) {
      await runs.deleteOne(mine(lease), { maxTimeMS: WRITE_MS });
    },
    async release(lease) {
      const $set = { 'due.at': clock.now(), 'due.claim': null };
      await runs.updateOne(mine(lease), { $set }, { maxTimeMS: WRITE_MS });
    },
  };
}

/** Decodes a run claimed by a sweep. */
export function leasedRun({ document, token }: Claim<WorkflowRunDocument>): LeasedRun {
  const { _id: runId, accountId, head, startedAt, step, call, connectionIds, attempts } = document;
  // The repository wrote the texts; runs of earlier releases have no origin, because they came over REST.
  const stored = JSON.parse(head) as Omit<
    RunHead,
    'runId' | 'accountId' | 'input' | 'startedAt' | 'origin'
  > & {
    readonly origin?: CallOrigin;
  };
  return {
    lease: { accountId, runId, token },
    head: {
      origin: FROM_REST,
      ...stored,
      runId,
      accountId,
      input: stored.maskedInput,
      startedAt,
    },
    progress: {
      step,
      call,
      connectionIds,
      attempts,
      results: JSON.parse(document.results) as Readonly<Record<string, StepResult>>,
      items: document.items === null ? null : (JSON.parse(document.items) as readonly Json[]),
      itemResults: document.itemResults.map((text) => JSON.parse(text) as StepResult),
    },
  };
}

function updateOf(change: RunChange): UpdateFilter<WorkflowRunDocument> {
  switch (change.kind) {
    case 'items':
      return {
        $set: { step: change.step, items: JSON.stringify(change.items), itemResults: [], call: null },
      };
    case 'call':
      return { $set: { step: change.step, call: change.call } };
    case 'itemEnd': {
      const { result, connectionIds, attempts } = change;
      return {
        $push: { itemResults: JSON.stringify(result) },
        $set: { call: null, connectionIds, attempts },
      };
    }
    case 'stepEnd': {
      const { step, results, connectionIds, attempts } = change;
      return {
        $set: {
          step,
          results: JSON.stringify(results),
          items: null,
          itemResults: [],
          call: null,
          connectionIds,
          attempts,
        },
      };
    }
  }
}
