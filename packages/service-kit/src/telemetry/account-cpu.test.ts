import { expect, test } from 'vitest';
import { captureLog } from '../testing/log-lines.ts';
import { createAccountCpu } from './account-cpu.ts';

const MSG = 'processor time by account';

test('the accounts that used most are logged, and how much all used', () => {
  const { log, lines } = captureLog();
  const cpu = createAccountCpu({ log });
  for (let account = 0; account < 30; account += 1) cpu.charge(`acc_${account}`, account);
  cpu.charge('acc_3', 100.4);
  cpu.close();
  const [line] = lines();
  expect(line).toMatchObject({ level: 'info', msg: MSG, accountCount: 30, totalCpuMs: 535 });
  expect(line?.['accounts']).toHaveLength(20);
  expect((line?.['accounts'] as unknown[] | undefined)?.slice(0, 3)).toEqual([
    { accountId: 'acc_3', cpuMs: 103 },
    { accountId: 'acc_29', cpuMs: 29 },
    { accountId: 'acc_28', cpuMs: 28 },
  ]);
});

test('each line covers the time since the last one, and there is none for nothing', async () => {
  const { log, lines } = captureLog();
  const cpu = createAccountCpu({ log, everyMs: 5 });
  cpu.charge('acc_1', 7);
  await expect.poll(lines).toMatchObject([{ totalCpuMs: 7 }]);
  cpu.charge('acc_2', 8);
  await expect
    .poll(lines)
    .toMatchObject([{}, { accounts: [{ accountId: 'acc_2', cpuMs: 8 }], totalCpuMs: 8 }]);
  cpu.close();
  expect(lines()).toHaveLength(2);
});

test('work is charged with the time it takes, whether or not it fails', () => {
  const { log, lines } = captureLog();
  const cpu = createAccountCpu({ log });
  const spin = (): string => {
    const end = performance.now() + 20;
    while (performance.now() < end);
    return 'done';
  };
  expect(cpu.measure('acc_1', spin)).toBe('done');
  expect(() =>
    cpu.measure('acc_2', () => {
      spin();
      throw new Error('refused');
    }),
  ).toThrow('refused');
  cpu.close();
  const accounts = lines()[0]?.['accounts'] as { cpuMs: number }[];
  expect(accounts).toHaveLength(2);
  for (const { cpuMs } of accounts) expect(cpuMs).toBeGreaterThanOrEqual(20);
});

test('however many accounts there are, only so many are told apart', () => {
  const { log, lines } = captureLog();
  const cpu = createAccountCpu({ log });
  for (let account = 0; account < 20_000; account += 1) cpu.charge(`acc_${account}`, 1);
  cpu.close();
  expect(lines()).toMatchObject([{ accountCount: 10_000, totalCpuMs: 20_000 }]);
});
