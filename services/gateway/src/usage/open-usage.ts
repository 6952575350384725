import type { RoomDeps } from '../gateway-room.ts';
import type { FindOpenAccounts } from '../operator/storage/open-accounts.ts';
import { usageRepository } from './storage/usage.repository.ts';
import { startUsageFlushing } from './usage-flushing.ts';
import { createUsageMeter } from './usage-meter.ts';
import type { UsageMeter } from './usage-meter.ts';
import { createUsageReports } from './usage-reports.ts';
import type { UsageReports } from './usage-reports.ts';

/** Opens the usage room: calls are counted, written about once a second, and can be read by day. */
export function openUsage({
  store,
  clock,
  log,
  closers,
  findOpenAccounts,
  executions,
}: RoomDeps & {
  readonly findOpenAccounts: FindOpenAccounts;
  readonly executions: Parameters<typeof createUsageReports>[0]['executions'];
}): { readonly meter: UsageMeter; readonly reports: UsageReports } {
  const usage = usageRepository(store);
  const meter = createUsageMeter({ counts: usage, findOpenAccounts, clock });
  const flushing = startUsageFlushing({ meter, log });
  closers.push('usage', () => flushing.close());
  return { meter, reports: createUsageReports({ store: usage, executions, clock }) };
}
