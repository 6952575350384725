import { expect, test } from 'vitest';
import { randomBase62 } from '../ids.ts';
import { openTestNats } from '../testing/nats.ts';
import { openCanaryChanges } from './changes.ts';
import { answerCanaryReports, collectCanaryReports } from './reports.ts';
import { parseCanaryRules } from './rules.ts';
import { canaryState } from './track.ts';

test('a process reports the weight and the change that it obeys', async () => {
  const nats = await openTestNats();
  const [changes, service] = [openCanaryChanges(nats), `test-${randomBase62(8)}`];
  const text = '{"services":{"tools":{"mode":"gateway","weight":10,"salt":"s"}}}';
  const rule = parseCanaryRules(text).get('tools');
  if (rule === undefined) throw new Error('There is no rule.');
  // A separate subject, because all tests share the real one.
  const state = () => canaryState(rule, changes.isRead() ? changes.of(service) : 'unread');
  answerCanaryReports({
    nats,
    service: 'mcp',
    track: 'canary',
    canaries: { current: () => new Map([[service, state()]]), endpoints: () => new Map([[service, 2]]) },
  });
  const caller = await openTestNats();
  const report = async () => {
    const reports = await collectCanaryReports(caller, 300);
    return reports.find(({ services }) => service in services);
  };
  const of = state().digest;
  await expect.poll(report).toMatchObject({
    service: 'mcp',
    track: 'canary',
    services: {
      [service]: {
        weight: 10,
        isAborted: false,
        isOpen: true,
        revision: null,
        at: null,
        of,
        canaryAddresses: 2,
      },
    },
  });
  const stored = await openCanaryChanges(caller).write(service, () => ({
    weight: 25,
    isAborted: true,
    by: 'operator',
    of,
  }));
  await expect.poll(report).toMatchObject({
    services: {
      [service]: {
        weight: 0,
        isAborted: true,
        isOpen: false,
        revision: stored?.revision,
        at: stored?.at,
        of,
      },
    },
  });
});
