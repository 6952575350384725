import type { AccountData } from '@fairlead/service-kit/account-data';
import type { FindOpenAccounts } from '../authentication/accounts.ts';
import type { ModuleResources } from '../module-resources.ts';
import { usageData } from './storage/account-data.ts';
import { usageRepository } from './storage/usage.repository.ts';
import { startUsageFlushing } from './usage-flushing.ts';
import { createUsageMeter } from './usage-meter.ts';
import type { UsageMeter } from './usage-meter.ts';
import { createUsageReports } from './usage-reports.ts';
import type { UsageReports } from './usage-reports.ts';

/** The usage of accounts. */
export interface UsageModule {
  readonly meter: UsageMeter;
  readonly reports: UsageReports;
  readonly accountData: AccountData;
}

/** Opens the usage module: counts calls, writes them about once per second, and reads them by day. */
export function openUsage({
  store,
  clock,
  log,
  closers,
  findOpenAccounts,
  executions,
}: ModuleResources & {
  readonly findOpenAccounts: FindOpenAccounts;
  readonly executions: Parameters<typeof createUsageReports>[0]['executions'];
}): UsageModule {
  const usage = usageRepository(store);
  const meter = createUsageMeter({ counts: usage, findOpenAccounts, clock });
  const flushing = startUsageFlushing({ meter, log });
  closers.push('usage', () => flushing.close());
  return {
    meter,
    reports: createUsageReports({ store: usage, executions, clock }),
    accountData: usageData(store),
  };
}
