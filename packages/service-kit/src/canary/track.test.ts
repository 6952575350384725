import type { Track } from '@fairlead/connect-fast/endpoint';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StoredChange } from './changes.ts';
import { digestOfRule } from './rules.ts';
import type { CanaryRule } from './rules.ts';
import { canaryState, trackOf } from './track.ts';

const rule: CanaryRule = { mode: 'gateway', weight: 10, accounts: [], headers: [], salt: 'release' };
const routeRule: CanaryRule = {
  ...rule,
  mode: 'route',
  route: { apiVersion: 'gateway.networking.k8s.io/v1', kind: 'GRPCRoute', namespace: 'ns', name: 'tools' },
};

function changeOf(of: CanaryRule, o: Partial<StoredChange>): StoredChange {
  const at = '2026-11-29T15:00:00.000Z';
  return { weight: 50, isAborted: false, by: 'operator', at, revision: 1, of: digestOfRule(of), ...o };
}

function onCanary(
  accounts: readonly string[],
  o: Partial<Pick<CanaryRule, 'weight' | 'salt'>>,
  service = 'tools',
): Set<string> {
  const state = canaryState({ ...rule, ...o }, undefined);
  return new Set(accounts.filter((accountId) => trackOf(service, state, { accountId }) === 'canary'));
}

function notIn(more: ReadonlySet<string>, fewer: ReadonlySet<string>): string[] {
  return [...fewer].filter((accountId) => !more.has(accountId));
}

// Seeded, because among very many runs there is one whose share is far from the weight.
const ACCOUNTS = Array.from({ length: 2_000 }, (_account, at) => `acc_${String(at)}`);

describe('the share of accounts', () => {
  it('is the weight, within two points', () => {
    const accounts = fc.array(fc.uuid(), { minLength: 2_000, maxLength: 2_000 });
    // Seeded, because among very many random installations there is one whose share is more than two points off.
    fc.assert(
      fc.property(accounts, fc.string({ minLength: 1 }), (ids, salt) => {
        const share = (onCanary(ids, { salt }).size / ids.length) * 100;
        expect(share).toBeGreaterThanOrEqual(8);
        expect(share).toBeLessThanOrEqual(12);
      }),
      { numRuns: 20, seed: 30 },
    );
  });

  it('0 is none, 100 is all', () => {
    expect(onCanary(ACCOUNTS, { weight: 0 }).size).toBe(0);
    expect(onCanary(ACCOUNTS, { weight: 100 }).size).toBe(ACCOUNTS.length);
  });

  it('only grows with the weight: no account moves back', () => {
    const weight = fc.double({ min: 0, max: 100, noNaN: true });
    fc.assert(
      fc.property(weight, weight, (a, b) => {
        const fewer = onCanary(ACCOUNTS, { weight: Math.min(a, b) });
        expect(notIn(onCanary(ACCOUNTS, { weight: Math.max(a, b) }), fewer)).toEqual([]);
      }),
      { numRuns: 20 },
    );
    const [ten, more] = [onCanary(ACCOUNTS, { weight: 10 }), onCanary(ACCOUNTS, { weight: 25 })];
    expect(notIn(more, ten)).toEqual([]);
    expect(more.size).toBeGreaterThan(ten.size);
  });

  it('falls on other accounts for another service or salt', () => {
    const chosen = onCanary(ACCOUNTS, { weight: 50 });
    expect(chosen).not.toEqual(onCanary(ACCOUNTS, { weight: 50 }, 'catalog'));
    expect(chosen).not.toEqual(onCanary(ACCOUNTS, { weight: 50, salt: 'other' }));
  });
});

describe('precedence', () => {
  const allowing = { accounts: ['acc_pinned'], headers: ['key_1', 'operator'] };
  const trackFor = (
    weight: number,
    o: { account?: string; holds?: string; headers?: Record<string, string> },
  ): Track => {
    const { account = 'acc_2', holds, headers } = o;
    const subject = {
      accountId: account === '' ? undefined : account,
      ...(headers && { headers }),
      ...(holds !== undefined && { holds: (credential: string) => credential === holds }),
    };
    return trackOf('tools', canaryState({ ...rule, ...allowing, weight }, undefined), subject);
  };
  const named = (value: string) => ({ headers: { 'x-canary-tools': value } });

  it.each<[string, Track, number, Parameters<typeof trackFor>[1]]>([
    ['header before everything', 'canary', 0, { holds: 'key_1', ...named('true') }],
    ['its other spelling', 'canary', 0, { holds: 'key_1', ...named('canary') }],
    ['header before the pin', 'stable', 0, { account: 'acc_pinned', holds: 'key_1', ...named('false') }],
    ['header before the weight', 'stable', 100, { holds: 'key_1', ...named('stable') }],
    ['header of the operator', 'canary', 0, { account: '', holds: 'operator', ...named('true') }],
    ['header of another credential', 'stable', 0, { holds: 'key_2', ...named('true') }],
    ['header without a credential', 'stable', 0, named('true')],
    ['header with another value', 'canary', 100, { holds: 'key_1', ...named('no') }],
    ['header with no value', 'stable', 0, { holds: 'key_1', headers: {} }],
    ['header of another service', 'stable', 0, { holds: 'key_1', headers: { 'x-canary-catalog': 'true' } }],
    ['pin before the weight', 'canary', 0, { account: 'acc_pinned' }],
    ['weight', 'canary', 100, {}],
    ['no account', 'stable', 100, { account: '' }],
  ])('%s: %s', (_case, track, weight, o) => {
    expect(trackFor(weight, o)).toBe(track);
  });
});

describe('the state of a canary', () => {
  it('is the rule without a change, and a change of this very rule', () => {
    expect(canaryState(rule, undefined)).toMatchObject({ weight: 10, isOpen: true });
    expect(canaryState(rule, changeOf(rule, {}))).toMatchObject({ weight: 50, isOpen: true });
    expect(canaryState(rule, changeOf({ ...rule, weight: 11 }, {}))).toMatchObject({
      weight: 10,
      isOpen: true,
    });
  });

  it('is closed while changes are unread, after an abort, at a change to 0, and before a route says a weight', () => {
    const closed = { weight: 0, isOpen: false };
    expect(canaryState(rule, 'unread')).toMatchObject(closed);
    expect(canaryState(rule, changeOf(rule, { isAborted: true }))).toMatchObject(closed);
    expect(canaryState(rule, changeOf(rule, { weight: 0 }))).toMatchObject(closed);
    expect(canaryState(routeRule, undefined)).toMatchObject(closed);
    expect(canaryState(routeRule, changeOf(rule, {}))).toMatchObject(closed);
    expect(canaryState(routeRule, changeOf(routeRule, { by: 'route' }))).toMatchObject({
      weight: 50,
      isOpen: true,
    });
  });

  it('closed: neither pinned accounts nor headers reach the canary', () => {
    const open = { ...rule, accounts: ['acc_1'], headers: ['operator'] };
    const aborted = canaryState(open, changeOf(open, { isAborted: true }));
    const operator = { accountId: 'acc_1', headers: { 'x-canary-tools': 'true' }, holds: () => true };
    expect(trackOf('tools', canaryState(open, undefined), operator)).toBe('canary');
    expect(trackOf('tools', aborted, operator)).toBe('stable');
  });

  it('a rule of weight 0 is open to pinned accounts and headers', () => {
    const state = canaryState({ ...rule, weight: 0, accounts: ['acc_1'] }, undefined);
    expect(trackOf('tools', state, { accountId: 'acc_1' })).toBe('canary');
  });
});
