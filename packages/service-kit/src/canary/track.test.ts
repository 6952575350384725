import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { prefixedId } from '../ids.ts';
import type { CanaryChange } from './change.ts';
import { digestOfRule } from './rules.ts';
import type { CanaryRule } from './rules.ts';
import { canaryState, trackOf } from './track.ts';
import type { Track } from './track.ts';

const rule: CanaryRule = { mode: 'gateway', weight: 10, accounts: [], headers: [], salt: 'release' };
const routeRule: CanaryRule = {
  ...rule,
  mode: 'route',
  route: { apiVersion: 'gateway.networking.k8s.io/v1', kind: 'GRPCRoute', namespace: 'ns', name: 'tools' },
};

function changeOf(of: CanaryRule, o: Partial<CanaryChange>): CanaryChange {
  const at = '2026-11-29T15:00:00Z';
  return { weight: 50, isAborted: false, by: 'operator', at, of: digestOfRule(of), ...o };
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

const ACCOUNTS = Array.from({ length: 2_000 }, () => prefixedId('acc'));

describe('the share of accounts', () => {
  it('is the weight, within two points', () => {
    const accounts = fc.array(fc.uuid(), { minLength: 2_000, maxLength: 2_000 });
    // With a seed: among very many installations there is one beyond two points.
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
  const cases: readonly [string, Track, Parameters<typeof trackOf>[2] & { value?: string }, number][] = [
    [
      'header before everything: canary',
      'canary',
      { accountId: 'acc_2', credentials: ['key_1'], value: 'true' },
      0,
    ],
    ['its other spelling', 'canary', { accountId: 'acc_2', credentials: ['key_1'], value: 'canary' }, 0],
    [
      'header before the pin',
      'stable',
      { accountId: 'acc_pinned', credentials: ['key_1'], value: 'false' },
      0,
    ],
    [
      'header before the weight',
      'stable',
      { accountId: 'acc_2', credentials: ['key_1'], value: 'stable' },
      100,
    ],
    [
      'header of the operator',
      'canary',
      { accountId: undefined, credentials: ['operator'], value: 'true' },
      0,
    ],
    [
      'header of another credential',
      'stable',
      { accountId: 'acc_2', credentials: ['key_2'], value: 'true' },
      0,
    ],
    ['header without a credential', 'stable', { accountId: 'acc_2', value: 'true' }, 0],
    ['header with another value', 'canary', { accountId: 'acc_2', credentials: ['key_1'], value: 'no' }, 100],
    ['header with no value', 'stable', { accountId: 'acc_2', credentials: ['key_1'] }, 0],
    ['pin before the weight', 'canary', { accountId: 'acc_pinned' }, 0],
    ['weight', 'canary', { accountId: 'acc_2' }, 100],
    ['no account', 'stable', { accountId: undefined }, 100],
  ];
  it.each(cases)('%s: %s', (_case, track, { value, ...subject }, weight) => {
    const header = (name: string): unknown => (name === 'x-canary-tools' ? value : undefined);
    const state = canaryState({ ...rule, ...allowing, weight }, undefined);
    expect(trackOf('tools', state, { ...subject, header })).toBe(track);
  });

  it('the header of another service does not count', () => {
    const header = (name: string): unknown => (name === 'x-canary-catalog' ? 'true' : undefined);
    const state = canaryState({ ...rule, ...allowing, weight: 0 }, undefined);
    expect(trackOf('tools', state, { accountId: 'acc_2', credentials: ['key_1'], header })).toBe('stable');
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
    const header = (): unknown => 'true';
    expect(trackOf('tools', aborted, { accountId: 'acc_1', credentials: ['operator'], header })).toBe(
      'stable',
    );
  });

  it('a rule of weight 0 is open to pinned accounts and headers', () => {
    const state = canaryState({ ...rule, weight: 0, accounts: ['acc_1'] }, undefined);
    expect(trackOf('tools', state, { accountId: 'acc_1' })).toBe('canary');
  });
});
