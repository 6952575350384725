import { guid } from '@fairlead/service-kit/ids';
import type { SealedValue } from '@fairlead/sealing/sealed-value';
import { expect, test } from 'vitest';
import type { NewRun } from '../domain/record.ts';
import type { IdempotencyStore } from '../ports/idempotency-store.ts';

const LONG_MS = 60_000;

/** A call of an account, with a long lease unless `leaseMs` is given. */
export function newRun(
  o: { readonly accountId?: string | undefined; readonly leaseMs?: number } = {},
): NewRun {
  return {
    runId: guid(),
    accountId: 'accountId' in o ? o.accountId : 'acc_a',
    fingerprint: 'fingerprint',
    leaseMs: o.leaseMs ?? LONG_MS,
  };
}

/** Stands in for a sealed value, which is opaque for stores. */
export function sealed(text: string): SealedValue {
  return text as SealedValue;
}

/** The test suite of every IdempotencyStore. `make` creates an empty store whose keys are free again after `retentionMs`. */
export function idempotencyStoreSuite(
  make: (o?: { readonly retentionMs: number }) => IdempotencyStore,
): void {
  const answer = { status: 201, pieces: [sealed('one'), sealed('two'), sealed('three')] };

  test('a free key goes to its first run; whoever comes later learns of it', async () => {
    const store = make();
    const [first, id] = [newRun(), guid()];
    expect(await store.begin(id, first)).toBeUndefined();
    const standing = { kind: 'running', runId: first.runId, fingerprint: first.fingerprint };
    expect(await store.begin(id, newRun())).toEqual(standing);
    expect(await store.begin(guid(), newRun())).toBeUndefined();
  });

  test('of many at once one gets the key', async () => {
    const store = make();
    const id = guid();
    const runs = Array.from({ length: 50 }, () => newRun());
    const standings = await Promise.all(runs.map((run) => store.begin(id, run)));
    const [winner, ...others] = runs.filter((_run, index) => standings[index] === undefined);
    expect(others).toEqual([]);
    expect(new Set(standings.flatMap((standing) => standing?.runId ?? []))).toEqual(new Set([winner?.runId]));
  });

  test('what was kept is found, all of its pieces in order, and no run takes it over', async () => {
    const store = make();
    const [run, id] = [newRun({ leaseMs: 0 }), guid()];
    await store.begin(id, run);
    expect(await store.keep(id, run.runId, answer)).toBe(true);
    const { runId, fingerprint } = run;
    expect(await store.begin(id, newRun())).toEqual({ kind: 'kept', runId, fingerprint, answer });
    expect(await store.takeOver(id, runId, newRun())).toBe(false);
  });

  test('keeping again after an attempt that nobody was told of is harmless', async () => {
    const store = make();
    const [run, id] = [newRun(), guid()];
    await store.begin(id, run);
    await store.keep(id, run.runId, answer);
    expect(await store.keep(id, run.runId, answer)).toBe(true);
    expect(await store.begin(id, newRun())).toMatchObject({ kind: 'kept', answer });
  });

  test('a lease that lasts keeps others out; one that is over lets one of many take over', async () => {
    const store = make();
    const [held, left] = [guid(), guid()];
    const [holder, crashed] = [newRun(), newRun({ leaseMs: 0 })];
    await store.begin(held, holder);
    await store.begin(left, crashed);
    expect(await store.takeOver(held, holder.runId, newRun())).toBe(false);
    const taken = await Promise.all(
      Array.from({ length: 20 }, () => store.takeOver(left, crashed.runId, newRun())),
    );
    expect(taken.filter(Boolean)).toHaveLength(1);
  });

  test('a run whose key was taken over keeps and frees nothing', async () => {
    const store = make();
    const [crashed, next, id] = [newRun({ leaseMs: 0 }), newRun(), guid()];
    await store.begin(id, crashed);
    expect(await store.takeOver(id, crashed.runId, next)).toBe(true);
    expect(await store.keep(id, crashed.runId, answer)).toBe(false);
    await store.release(id, crashed.runId);
    expect(await store.begin(id, newRun())).toMatchObject({ kind: 'running', runId: next.runId });
  });

  test('a released key is free, and not taken over; a kept one is not released', async () => {
    const store = make();
    const [run, again, id] = [newRun({ leaseMs: 0 }), newRun(), guid()];
    await store.begin(id, run);
    await store.release(id, run.runId);
    expect(await store.takeOver(id, run.runId, newRun())).toBe(false);
    expect(await store.begin(id, again)).toBeUndefined();
    await store.keep(id, again.runId, answer);
    await store.release(id, again.runId);
    expect(await store.begin(id, newRun())).toMatchObject({ kind: 'kept' });
  });

  test('after its time a key is free, whatever stands under it', async () => {
    const store = make({ retentionMs: 0 });
    const [run, id] = [newRun(), guid()];
    await store.begin(id, run);
    await store.keep(id, run.runId, answer);
    expect(await store.begin(id, newRun())).toBeUndefined();
    expect(await store.begin(id, newRun())).toBeUndefined();
  });
}
