import { setTimeout as delay } from 'node:timers/promises';
import type { Document } from 'mongodb';
import { repeatInBackground } from '@fairlead/service-kit/lifecycle/background';
import type { BackgroundWork } from '@fairlead/service-kit/lifecycle/background';
import type { Lease } from '@fairlead/service-kit/mongo/lease';
import { registry } from '@fairlead/service-kit/telemetry/service-metrics';
import type { DataKeyRecord } from './data-keys.ts';
import { throwIfUnavailable } from './key-encryption.ts';
import type { ReplacementDocument, ReplacementState } from './replacement-state.ts';
import { resealCollection } from './resealing.ts';
import type { ResealingDeps } from './resealing.ts';
import { SEALS_FOR_MS } from './scope-key-cache.ts';
import { replaceDataKey } from './scope-keys.ts';
import type { SealedCollection } from './sealed-fields.ts';

export interface ReplacingDeps extends ResealingDeps {
  readonly state: ReplacementState;
  /** Every collection with sealed values. */
  readonly sealed: readonly SealedCollection<Document>[];
  /** Held while data keys are replaced, so that one replica does it. */
  readonly lease: Lease;
  /** Pause between two checks for a requested replacement. Default 10 s. */
  readonly everyMs?: number;
  /** Time after which nobody seals with a former key any more. Default two minutes. */
  readonly settleMs?: number;
  /** The longest time from sealing a value with a former key to writing it. Default five minutes. */
  readonly graceMs?: number;
  /** The maximum number of data keys replaced, and of documents sealed anew, in a second. Default 500. */
  readonly perSecond?: number;
}

const EVERY_MS = 10_000;
const SETTLE_MS = 2 * SEALS_FOR_MS;
const GRACE_MS = 5 * 60_000;
const PER_SECOND = 500;
/** The rate limit counts a document that needs no change as less than one. */
const EXAMINED_PER_CHANGED = 10;
const PAGE = 50;
const REPORT_MS = 10_000;
const ATTEMPTS = 3;
/** With more owners of damaged values than this, no former key is removed. */
const MAX_FAILED_SCOPES = 1_000;

const resealedDocuments = registry.counter({
  name: 'sealing_documents_resealed_total',
  help: 'Documents whose values this process sealed anew with a new data key; failed: values that did not open.',
  labels: ['outcome'],
});
// Prometheus sees an increase only of a series that it has read before.
const resealFailures = resealedDocuments.series('failed');

interface Progress {
  readonly former: number;
  readonly passRatio: number;
}

/** More than one only if tests run several in a process. */
const observed = new Map<object, Progress>();
registry.observed({
  name: 'sealing_data_keys_former',
  help: 'Scopes with data keys that were replaced and are still kept; 0 when a replacement is complete.',
  read: () => Math.max(0, ...[...observed.values()].map(({ former }) => former)),
});
registry.observed({
  name: 'sealing_replacement_pass_ratio',
  help: 'Share of the documents that the current pass of a replacement of data keys has examined; 1 if there is none.',
  read: () => Math.min(1, ...[...observed.values()].map(({ passRatio }) => passRatio)),
});

/**
 * Replaces the data keys of a database when that is requested, in the background, at a bounded rate, one replica at a
 * time: issues new keys, seals every value anew, and removes the former keys once a whole pass finds nothing under
 * them. The state is stored after each batch, so whoever holds the lease next continues where a killed process stopped.
 */
export function keepReplacingDataKeys(o: ReplacingDeps): BackgroundWork {
  const self = {};
  const work = repeatInBackground({
    name: 'replacement of data keys',
    everyMs: o.everyMs ?? EVERY_MS,
    log: o.log,
    async work(signal) {
      const state = await o.state.read();
      observed.set(self, { former: await o.store.countFormer(), passRatio: passRatio(state) });
      if (state === undefined || state.phase === 'done') return;
      if (state.phase === 'waiting' && !(await o.state.isDue())) return;
      if (!(await o.lease.hold())) return;
      try {
        await advance(o, signal);
      } finally {
        await o.lease.release();
      }
    },
  });
  return {
    async close() {
      await work.close();
      observed.delete(self);
    },
  };
}

function passRatio(state: ReplacementDocument | undefined): number {
  if (state?.phase !== 'resealing') return 1;
  return state.total === 0 ? 0 : Math.min(1, state.examined / state.total);
}

/** Takes every step that can be taken now. */
async function advance(o: ReplacingDeps, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const state = await o.state.read();
    if (state === undefined || state.phase === 'done') return;
    if (state.phase === 'waiting' && !(await o.state.isDue())) return;
    if (!(await o.lease.hold())) return;
    await step(o, state, signal);
  }
}

async function step(o: ReplacingDeps, state: ReplacementDocument, signal: AbortSignal): Promise<void> {
  const replacement = state.number;
  switch (state.phase) {
    case 'issuing':
      o.log.info({ replacement }, 'replacing data keys');
      if (await issue(o, state, signal)) await o.state.wait(state, 1, o.settleMs ?? SETTLE_MS);
      return;
    case 'waiting':
      return o.state.startPass(state, await countDocuments(o));
    case 'resealing':
      if (await resealAll(o, state, signal)) await endPass(o, state);
      return;
    case 'retiring':
      return retire(o, state);
    case 'done':
  }
}

/** Gives each scope a new data key. Returns false if it was interrupted. */
async function issue(o: ReplacingDeps, state: ReplacementDocument, signal: AbortSignal): Promise<boolean> {
  const limit = paced(o, signal);
  let after = typeof state.position === 'string' ? state.position : '';
  for (;;) {
    const page = await o.store.list(after, PAGE);
    const last = page.at(-1);
    if (last === undefined) return true;
    const outcomes = await Promise.allSettled(page.map((record) => replace(o, record, state.number)));
    const failures = outcomes.filter((outcome) => outcome.status === 'rejected');
    throwIfUnavailable(failures.map(({ reason }): unknown => reason));
    if (failures[0] !== undefined)
      o.log.error({ err: failures[0].reason, failed: failures.length }, 'data keys could not be replaced');
    const issued = outcomes.filter((outcome) => outcome.status === 'fulfilled' && outcome.value).length;
    after = last.scope;
    await o.state.issued(state, after, { issued, failed: failures.length });
    if (!(await limit(page.length))) return false;
  }
}

/** Replaces one data key unless this replacement already has, or the scope is gone. */
async function replace(o: ReplacingDeps, first: DataKeyRecord, number: number): Promise<boolean> {
  let record: DataKeyRecord | undefined = first;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    if (record === undefined || record.replacement === number) return false;
    if (await o.store.replace(record, await replaceDataKey(o.encryption, record, number))) return true;
    // The data key was rewrapped meanwhile.
    record = await o.store.find(first.scope);
  }
  throw new Error(`The data key of ${first.scope} changes all the time.`);
}

async function countDocuments({ mongo, sealed }: ReplacingDeps): Promise<number> {
  const counts = sealed.map(({ definition }) => mongo.collection(definition).estimatedDocumentCount());
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

/** One pass over every sealed value, from the place at which it was interrupted. Returns false if it is interrupted again. */
async function resealAll(
  o: ReplacingDeps,
  state: ReplacementDocument,
  signal: AbortSignal,
): Promise<boolean> {
  const limit = paced(o, signal);
  const { number: replacement, pass, total } = state;
  let { examined, resealed } = state;
  let reportedAt = performance.now();
  const first = o.sealed.findIndex(({ definition }) => definition.name === state.collection);
  for (const sealed of o.sealed.slice(Math.max(0, first))) {
    const collection = sealed.definition.name;
    const after = collection === state.collection ? state.position : undefined;
    for await (const batch of resealCollection(o, sealed, after)) {
      await o.state.resealed(state, collection, batch);
      resealedDocuments.series('ok').add(batch.resealed);
      resealFailures.add(batch.failed);
      examined += batch.examined;
      resealed += batch.resealed;
      if (!(await limit(Math.max(batch.resealed, batch.examined / EXAMINED_PER_CHANGED)))) return false;
      if (performance.now() - reportedAt < REPORT_MS) continue;
      reportedAt = performance.now();
      o.log.info({ replacement, pass, collection, examined, total, resealed }, 'sealing values anew');
    }
  }
  return true;
}

/** Retires the former keys if the pass found nothing under them; otherwise there will be another pass. */
async function endPass(o: ReplacingDeps, { pass }: ReplacementDocument): Promise<void> {
  const state = await o.state.read();
  if (state?.phase !== 'resealing' || state.pass !== pass) return;
  const { number: replacement, examined, found, resealed, failed, unreadable } = state;
  o.log.info(
    { replacement, pass, examined, found, resealed, failed, unreadable },
    'a pass of sealed values ended',
  );
  // The first pass may have been ahead of a write that was under way.
  if (found === 0 && pass > 1) await o.state.retire(state);
  else await o.state.wait(state, pass + 1, o.graceMs ?? GRACE_MS);
}

async function retire(o: ReplacingDeps, state: ReplacementDocument): Promise<void> {
  const { number: replacement, issued, resealed, failed, unreadable, failedScopes } = state;
  const result = { replacement, issued, resealed, failed, unreadable };
  if (failedScopes.length < MAX_FAILED_SCOPES) await o.store.removeFormer(replacement, failedScopes);
  if (failed > 0)
    o.log.error(result, 'data keys were replaced, but values do not open: their former keys stay');
  else o.log.info(result, 'data keys were replaced and the former ones removed');
  await o.state.finish(state);
}

/** Waits after this much work to keep the rate. Returns false if the work must stop, because of the signal or the lease. */
function paced(o: ReplacingDeps, signal: AbortSignal): (work: number) => Promise<boolean> {
  let endedAt = performance.now();
  return async (work) => {
    const dueAt = endedAt + (work * 1000) / (o.perSecond ?? PER_SECOND);
    const restMs = Math.max(0, dueAt - performance.now());
    await delay(restMs, undefined, { signal, ref: false }).catch(() => undefined);
    endedAt = performance.now();
    return !signal.aborted && o.lease.hold();
  };
}
