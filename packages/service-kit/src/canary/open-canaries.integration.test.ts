import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { openNats } from '../lifecycle/open-resources.ts';
import { startService } from '../lifecycle/start-service.ts';
import { randomBase62 } from '../ids.ts';
import { Secret } from '../secret.ts';
import { captureLog } from '../testing/log-lines.ts';
import { openTestNats } from '../testing/nats.ts';
import type { Canaries } from './canaries.ts';
import { openCanaryChanges } from './changes.ts';

const PATIENCE = { timeout: 90_000 };

/** A service with rules for the delivery service. */
interface RunningService {
  readonly canaries: Canaries;
  /** The choice for an account, before the service has served anything. */
  readonly atStart: readonly string[];
  readonly setRule: (rule: object) => void;
}

/** Starts a service with this rule for the delivery service. */
async function startWithRules(rule: object): Promise<RunningService> {
  const folder = mkdtempSync(join(tmpdir(), 'canary-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const setRule = (delivery: object): void =>
    writeFileSync(join(folder, 'rules.json'), JSON.stringify({ services: { delivery } }));
  setRule(rule);
  const config = {
    HOST: '127.0.0.1',
    LOG_LEVEL: 'info',
    CANARY_RULES: folder,
    NATS_URL: new Secret(inject('natsUrl')),
  };
  const app = await startService({ name: 'demo', config, log: captureLog().log }, async (parts) => {
    await openNats(parts, config);
    if (parts.canaries === undefined) throw new Error('The service has no canaries.');
    return { httpUrl: '', canaries: parts.canaries, atStart: parts.canaries.choose({ accountId: 'acc_1' }) };
  });
  onTestFinished(() => app.close());
  return { canaries: app.canaries, atStart: app.atStart, setRule };
}

test('a service obeys its rules once the changes are read, then each change of its rule, until the rule is another', async () => {
  const rule = { mode: 'gateway', weight: 100, salt: randomBase62(12) };
  const { canaries, setRule } = await startWithRules(rule);
  const chosen = () => expect.poll(() => canaries.choose({ accountId: 'acc_1' }), PATIENCE);
  await chosen().toEqual(['delivery']);

  const writer = openCanaryChanges(await openTestNats());
  const of = canaries.current().get('delivery')?.digest ?? '';
  await writer.write('delivery', () => ({ weight: 100, isAborted: true, by: 'operator', of }));
  await chosen().toEqual([]);
  await writer.write('delivery', () => ({ weight: 100, isAborted: false, by: 'operator', of }));
  await chosen().toEqual(['delivery']);
  await writer.write('delivery', () => ({ weight: 0, isAborted: false, by: 'operator', of }));
  await chosen().toEqual([]);

  setRule({ ...rule, image: 'next' });
  await chosen().toEqual(['delivery']);
});

test('a service has read the changes before it serves, so that it chooses as the others do', async () => {
  // Repeated, because a start does not wait for long.
  await expect
    .poll(async () => {
      const { atStart } = await startWithRules({ mode: 'gateway', weight: 100, salt: randomBase62(12) });
      return atStart;
    }, PATIENCE)
    .toEqual(['delivery']);
});
