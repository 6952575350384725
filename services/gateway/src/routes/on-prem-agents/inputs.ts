import type { MessageInitShape } from '@bufbuild/protobuf';
import type { SettingsChangeSchema } from '@fairlead/contracts/agents/v1/agent_service_pb';
import { z } from 'zod';
import { echoedId } from '@fairlead/rest-kit/fields';
import { LOG_LEVELS, logLevel } from '@fairlead/rest-records/on-prem-agent';

/** The path parameter of one agent. */
export const agentParams = z.object({ id: echoedId });

const number = z.int32().nullish();

/** Settings to change: null restores the default, and an absent member is unchanged. */
export const agentSettings = z
  .object({
    parallelTasks: number.describe(
      'Tasks at the same time, in the range of the application. Null: the default.',
    ),
    pullPeriodSeconds: number.describe(
      'The longest wait of a poll, in the range of the application. Null: the default.',
    ),
    logLevel: logLevel.nullish(),
  })
  .meta({ id: 'OnPremAgentSettingsChange' })
  .transform(
    ({
      parallelTasks,
      pullPeriodSeconds,
      logLevel: level,
    }): MessageInitShape<typeof SettingsChangeSchema> => ({
      ...(parallelTasks !== undefined && { parallelTasks: numberChange(parallelTasks) }),
      ...(pullPeriodSeconds !== undefined && { pullPeriodSeconds: numberChange(pullPeriodSeconds) }),
      ...(level !== undefined && { logLevel: level === null ? {} : { value: LOG_LEVELS[level] } }),
    }),
  );

function numberChange(value: number | null): { readonly value?: number } {
  return value === null ? {} : { value };
}
