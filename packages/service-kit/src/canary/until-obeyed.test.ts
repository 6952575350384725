import type { CanaryReport } from './reports.ts';
import { expect, test } from 'vitest';
import { untilApplied } from './until-obeyed.ts';

const CHANGE = { by: 'operator', at: '2026-11-29T12:00:00.000Z', of: 'digest', revision: 1 } as const;
const opened = { ...CHANGE, weight: 25, isAborted: false };
const closed = { ...CHANGE, weight: 25, isAborted: true };

const obeying = (at: string | null, weight = 25, of = 'digest', isOpen = weight > 0) => ({
  tools: { weight, isAborted: false, isOpen, revision: 1, at, of, canaryAddresses: 0 },
});

function report(services: CanaryReport['services']): CanaryReport {
  return { service: 'mcp', instance: 'mcp-1', track: 'stable', services };
}

test.each([
  ['the change', opened, obeying(CHANGE.at), true],
  ['a later change', opened, obeying('2026-11-29T12:00:00.001Z', 50), true],
  ['an earlier change', opened, obeying('2026-11-29T11:59:59.999Z'), false],
  ['no change', opened, obeying(null), false],
  ['another rule', opened, obeying(CHANGE.at, 25, 'other'), false],
  ['no rule', opened, {}, false],
  ['no rule, which is enough for an abort', closed, {}, true],
  ['another rule that is closed, which is enough for an abort', closed, obeying(null, 0, 'other'), true],
  ['a rule of weight 0 with pinned accounts, for an abort', closed, obeying(null, 0, 'digest', true), false],
  ['another rule, for an abort', closed, obeying(null, 10, 'other'), false],
])('a process that obeys %s', async (_name, change, services, isObeying) => {
  const collect = () => Promise.resolve([report(services)]);
  const wait = { service: 'tools', change, collect, present: [], limitMs: 0 };
  const { lagging } = await untilApplied(wait);
  expect(lagging).toHaveLength(isObeying ? 0 : 1);
});

test('a process that answered before the change and no more is waited for', async () => {
  const present = [report(obeying(null))];
  const wait = { service: 'tools', change: opened, collect: () => Promise.resolve([]), present, limitMs: 0 };
  expect((await untilApplied(wait)).lagging).toEqual(present);
});
