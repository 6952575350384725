import { AgentStatus, LogLevel } from '@fairlead/contracts/agents/v1/agent_pb';
import type { Agent } from '@fairlead/contracts/agents/v1/agent_pb';
import { z } from 'zod';
import { timestamp } from '@fairlead/rest-kit/fields';
import { nameOf, namesOf } from './enums.ts';
import { presentTime, required } from './values.ts';

/** REST names of the statuses of agents. */
const AGENT_STATUSES = {
  WaitingForConnection: AgentStatus.WAITING_FOR_CONNECTION,
  Online: AgentStatus.ONLINE,
  Offline: AgentStatus.OFFLINE,
} as const;

/** REST names of the levels that agents log. */
export const LOG_LEVELS = {
  Trace: LogLevel.TRACE,
  Debug: LogLevel.DEBUG,
  Information: LogLevel.INFORMATION,
  Warning: LogLevel.WARNING,
  Error: LogLevel.ERROR,
} as const;

/** The lowest level that an agent logs. */
export const logLevel = z.enum(namesOf(LOG_LEVELS)).describe('The agent logs this level and above.');

export const onPremAgentRecord = z
  .strictObject({
    id: z.int32(),
    name: z.string(),
    applicationSlug: z.string(),
    status: z
      .enum(namesOf(AGENT_STATUSES))
      .describe(
        'WaitingForConnection: it has never connected. Offline: it has said goodbye, has been silent for three poll periods, or its token was replaced.',
      ),
    settings: z
      .strictObject({
        parallelTasks: z.int32().describe('Tasks at the same time.'),
        pullPeriodSeconds: z
          .int32()
          .describe('The longest wait of a poll. A task starts at once all the same.'),
        logLevel,
      })
      .meta({ id: 'OnPremAgentSettings' }),
    agentVersion: z.string().nullable().describe('Null: it has never connected.'),
    platform: z.string().nullable().describe('Such as linux-x64. Null: it has never connected.'),
    profiles: z
      .array(z.strictObject({ name: z.string(), type: z.string() }).meta({ id: 'OnPremAgentProfile' }))
      .describe(
        'Names and types of the credentials in the agent’s own configuration, which tools name as `profile`. Their values stay there.',
      ),
    lastSeenAt: timestamp.nullable().describe('Null: it has never connected.'),
    createdAt: timestamp,
  })
  .meta({ id: 'OnPremAgent' });

/** An agent without its token. */
export function presentOnPremAgent(agent: Agent): z.output<typeof onPremAgentRecord> {
  const { id, name, applicationSlug, status, agentVersion, platform, profiles, lastSeenAt, createdAt } =
    agent;
  const { parallelTasks, pullPeriodSeconds, logLevel: level } = required(agent.settings);
  return {
    id,
    name,
    applicationSlug,
    status: nameOf(AGENT_STATUSES, status),
    settings: { parallelTasks, pullPeriodSeconds, logLevel: nameOf(LOG_LEVELS, level) },
    agentVersion: agentVersion === '' ? null : agentVersion,
    platform: platform === '' ? null : platform,
    profiles: profiles.map((profile) => ({ name: profile.name, type: profile.type })),
    lastSeenAt: lastSeenAt === undefined ? null : presentTime(lastSeenAt),
    createdAt: presentTime(required(createdAt)),
  };
}
