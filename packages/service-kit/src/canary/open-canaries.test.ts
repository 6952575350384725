import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { registry } from '../telemetry/service-metrics.ts';
import { captureLog } from '../testing/log-lines.ts';
import { openCanaries } from './open-canaries.ts';

const LIMIT = { timeout: 90_000 };

/** A folder like a mounted ConfigMap: its files are links into a folder that is replaced by one rename. */
function mountedFolder(): { readonly path: string; write(text: string): void } {
  const path = mkdtempSync(join(tmpdir(), 'canary-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  let version = 0;
  return {
    path,
    write(text) {
      version += 1;
      mkdirSync(join(path, `..${version}`));
      writeFileSync(join(path, `..${version}`, 'rules.json'), text);
      symlinkSync(`..${version}`, join(path, '..data_tmp'));
      renameSync(join(path, '..data_tmp'), join(path, '..data'));
      if (version === 1) symlinkSync('..data/rules.json', join(path, 'rules.json'));
    },
  };
}

function rulesText(weight: unknown): string {
  return JSON.stringify({ services: { tools: { mode: 'gateway', weight, salt: 'f' } } });
}

async function open(folder: string) {
  const { log, lines } = captureLog();
  const canaries = await openCanaries(folder, { log, everyMs: 20 });
  onTestFinished(() => canaries.close());
  canaries.follow({ isRead: () => true, of: () => undefined, subscribe: () => () => undefined });
  const weight = (): number | undefined => canaries.current().get('tools')?.weight;
  const refusals = (): number => lines().filter(({ msg }) => String(msg).includes('are refused')).length;
  return { canaries, weight, refusals };
}

it('rules are obeyed from the start, and again after each change', async () => {
  const folder = mountedFolder();
  folder.write(rulesText(10));
  const { weight } = await open(folder.path);
  expect(weight()).toBe(10);
  expect(registry.render()).toMatch(/^canary_rules_refused_total 0$/m);
  folder.write(rulesText(25));
  await vi.waitFor(() => expect(weight()).toBe(25), LIMIT);
  folder.write('{"services":{}}');
  await vi.waitFor(() => expect(weight()).toBeUndefined(), LIMIT);
});

it('broken rules are refused once, and the last good ones stay', async () => {
  const folder = mountedFolder();
  folder.write(rulesText(10));
  const { weight, refusals } = await open(folder.path);
  folder.write(rulesText(1_000));
  await vi.waitFor(() => expect(refusals()).toBe(1), LIMIT);
  expect(weight()).toBe(10);
  folder.write('{');
  await vi.waitFor(() => expect(refusals()).toBe(2), LIMIT);
  expect(weight()).toBe(10);
  folder.write(rulesText(11));
  await vi.waitFor(() => expect(weight()).toBe(11), LIMIT);
  expect(refusals()).toBe(2);
});

it('without a file there is no canary until there is one', async () => {
  const folder = mountedFolder();
  const { canaries, weight, refusals } = await open(folder.path);
  expect(canaries.choose({ accountId: 'acc_1' })).toEqual([]);
  expect(refusals()).toBe(1);
  folder.write(rulesText(100));
  await vi.waitFor(() => expect(weight()).toBe(100), LIMIT);
  expect(canaries.choose({ accountId: 'acc_1' })).toEqual(['tools']);
});

it('before the changes are read, everything goes to stable', async () => {
  const folder = mountedFolder();
  folder.write(rulesText(100));
  const canaries = await openCanaries(folder.path, { log: captureLog().log });
  onTestFinished(() => canaries.close());
  expect(canaries.choose({ accountId: 'acc_1' })).toEqual([]);
  let isRead = false;
  let onChange = (): void => undefined;
  canaries.follow({
    isRead: () => isRead,
    of: () => undefined,
    subscribe(listener) {
      onChange = listener;
      return () => undefined;
    },
  });
  expect(canaries.choose({ accountId: 'acc_1' })).toEqual([]);
  isRead = true;
  onChange();
  expect(canaries.choose({ accountId: 'acc_1' })).toEqual(['tools']);
});
