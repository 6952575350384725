import type { CallEnd, CallName, DetachedCall } from '../domain/detached-call.ts';
import type { DetachedCalls, RunningCallStore } from '../ports/detached-calls.ts';

const NOON = new Date('2026-11-29T12:00:00.000Z');

/** A stored open call, unless overridden. */
export function detachedCall(o: Partial<DetachedCall> = {}): DetachedCall {
  const times = { createdAt: NOON, updatedAt: NOON, expiresAt: new Date(NOON.getTime() + 3_600_000) };
  return { callId: 'call_1', toolName: 'echo', requests: [], end: undefined, ...times, ...o };
}

export class MemoryCalls implements DetachedCalls, RunningCallStore {
  readonly calls = new Map<string, DetachedCall & { readonly owner: string }>();
  readonly beats: string[] = [];
  isFull = false;
  /** Whether storing outcomes fails. */
  isAway = false;

  insert: DetachedCalls['insert'] = (_ctx, { callId, owner, toolName, requests }) => {
    if (this.isFull) return Promise.resolve(undefined);
    const call = detachedCall({ callId, toolName, requests });
    this.calls.set(callId, { ...call, owner });
    return Promise.resolve(call);
  };

  find: DetachedCalls['find'] = (_ctx, name) => Promise.resolve(this.#of(name));

  list: DetachedCalls['list'] = (_ctx, { owner }, { after, limit }) => {
    const own = [...this.calls.values()].filter((call) => call.owner === owner);
    const from = after === undefined ? 0 : own.findIndex(({ callId }) => callId === after) + 1;
    return Promise.resolve(
      own.slice(from, from + limit).map(({ end, ...call }) => ({
        ...call,
        end: end?.kind,
        isFailed: end?.kind === 'outcome' && end.isFailed,
      })),
    );
  };

  cancel: DetachedCalls['cancel'] = (_ctx, name) => Promise.resolve(this.#end(name, { kind: 'cancelled' }));

  removeRequests: DetachedCalls['removeRequests'] = (_ctx, name, keys) => {
    for (const key of keys) this.#setRequests(name, (all) => all.filter((it) => it.key !== key));
    return Promise.resolve();
  };

  addRequest: RunningCallStore['addRequest'] = (name, request) => {
    this.#setRequests(name, (all) => [...all, request]);
    return Promise.resolve();
  };

  removeRequest: RunningCallStore['removeRequest'] = (name, key) => {
    this.#setRequests(name, (all) => all.filter((it) => it.key !== key));
    return Promise.resolve();
  };

  end: RunningCallStore['end'] = (name, end) => {
    if (this.isAway) return Promise.reject(new Error('away'));
    this.#end(name, end);
    return Promise.resolve();
  };

  open: RunningCallStore['open'] = (_accountId, callIds) =>
    Promise.resolve(
      new Set(callIds.filter((id) => this.calls.has(id) && this.calls.get(id)?.end === undefined)),
    );

  beat: RunningCallStore['beat'] = (holder) => {
    this.beats.push(holder);
    return Promise.resolve();
  };

  #of({ callId, owner }: CallName): (DetachedCall & { readonly owner: string }) | undefined {
    const call = this.calls.get(callId);
    return call?.owner === owner ? call : undefined;
  }

  #setRequests(name: CallName, of: (all: DetachedCall['requests']) => DetachedCall['requests']): void {
    const call = this.#of(name);
    if (call === undefined || call.end !== undefined) return;
    this.calls.set(name.callId, { ...call, requests: of(call.requests) });
  }

  #end(name: CallName, end: CallEnd): boolean {
    const call = this.#of(name);
    if (call === undefined || call.end !== undefined) return false;
    this.calls.set(name.callId, { ...call, end, requests: [] });
    return true;
  }
}
