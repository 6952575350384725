import { timestamp } from '@fairlead/rest-kit/fields';
import type { CanaryReport } from '@fairlead/service-kit/canary/reports';
import { z } from 'zod';
import type { ChangedCanary, CanaryOverview } from '@fairlead/service-kit/canary/canary-operations';

const percent = z.number().min(0).max(100);

const processRecord = z
  .strictObject({
    service: z.string(),
    instance: z.string().describe('Host and id of the process.'),
    track: z.enum(['stable', 'canary']),
    weight: percent
      .nullable()
      .describe('The percentage that it obeys; null: it knows no canary of the service.'),
    canaryAddresses: z.int().min(0).nullable().describe('Number of addresses of the canary that it knows.'),
  })
  .meta({ id: 'CanaryProcess' });

/** The canary of a service as the operator sees it. */
export const canaryRecord = z
  .strictObject({
    service: z.string(),
    mode: z.enum(['gateway', 'route']).describe('`route`: the weights of a route of the Gateway API decide.'),
    weight: percent.describe('Percentage of the accounts whose calls go to the canary.'),
    isAborted: z.boolean().describe('Whether everything goes to stable until a weight is set.'),
    image: z.string().nullable().describe('Tag of the canary’s image.'),
    rule: z
      .strictObject({
        weight: percent,
        accounts: z.array(z.string()).describe('Accounts whose calls always go to the canary.'),
        headers: z
          .array(z.string())
          .describe('Callers who may send `x-canary-<service>`: ids of keys, or `operator`.'),
      })
      .describe('The operator’s values.'),
    change: z
      .strictObject({
        by: z.enum(['operator', 'analysis', 'route']),
        at: timestamp,
      })
      .nullable()
      .describe('The change to these values that applies; null: they apply themselves.'),
    processes: z.array(processRecord).describe('All processes that have answered.'),
  })
  .meta({ id: 'Canary' });

/** A canary after a change. */
export const changedCanaryRecord = canaryRecord
  .extend({
    laggingProcesses: z
      .array(processRecord)
      .describe(
        'Processes that did not obey the change within half a minute. Empty: all that have answered do.',
      ),
  })
  .meta({ id: 'ChangedCanary' });

export function presentCanary({ service, state, reports }: CanaryOverview): z.output<typeof canaryRecord> {
  const { rule, change } = state;
  return {
    service,
    mode: rule.mode,
    weight: state.weight,
    isAborted: change?.isAborted ?? false,
    image: rule.image ?? null,
    rule: { weight: rule.weight, accounts: [...rule.accounts], headers: [...rule.headers] },
    change: change === undefined ? null : { by: change.by, at: change.at },
    processes: presentProcesses(reports, service),
  };
}

/** A canary after a change. */
export function presentChangedCanary(changed: ChangedCanary): z.output<typeof changedCanaryRecord> {
  const { service, lagging } = changed;
  return {
    ...presentCanary(changed),
    laggingProcesses: presentProcesses(lagging, service),
  };
}

function presentProcesses(
  reports: readonly CanaryReport[],
  canary: string,
): z.output<typeof processRecord>[] {
  return reports
    .map(({ service, instance, track, services }) => {
      const { weight = null, canaryAddresses = null } = services[canary] ?? {};
      return { service, instance, track, weight, canaryAddresses };
    })
    .toSorted(
      (one, other) => one.service.localeCompare(other.service) || one.instance.localeCompare(other.instance),
    );
}
