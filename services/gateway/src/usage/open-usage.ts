import type { AccountData } from '@fairlead/service-kit/account-data';
import type { FindOpenAccounts } from '../authentication/accounts.ts';
import type { ModuleResources } from '@fairlead/service-kit/lifecycle/module-resources';
import { createDayMeter } from '@fairlead/service-kit/metering/day-meter';
import type { DayMeter } from '@fairlead/service-kit/metering/day-meter';
import { startMeterFlushing } from '@fairlead/service-kit/metering/meter-flushing';
import { usageData } from './storage/account-data.ts';
import { usageRepository } from './storage/usage.repository.ts';
import { createUsageReports } from './usage-reports.ts';
import type { UsageReports } from './usage-reports.ts';

/** The usage of accounts. */
export interface UsageModule {
  /** Counts admitted calls. */
  readonly meter: DayMeter;
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
  triggers,
}: ModuleResources & {
  readonly findOpenAccounts: FindOpenAccounts;
  readonly executions: Parameters<typeof createUsageReports>[0]['executions'];
  readonly triggers: Parameters<typeof createUsageReports>[0]['triggers'];
}): UsageModule {
  const usage = usageRepository(store);
  const meter = createDayMeter({ counts: usage, findOpenAccounts, clock });
  const flushing = startMeterFlushing({ meter, log });
  closers.push('usage', () => flushing.close());
  return {
    meter,
    reports: createUsageReports({ store: usage, executions, triggers, clock }),
    accountData: usageData(store),
  };
}
