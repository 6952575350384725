import {
  AgentStatus as StatusMessage,
  LogLevel as LevelMessage,
} from '@fairlead/contracts/agents/v1/agent_pb';
import type { SettingsChange as ChangeMessage } from '@fairlead/contracts/agents/v1/agent_service_pb';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { AgentSchema } from '@fairlead/contracts/agents/v1/agent_pb';
import { statusOf } from '../domain/agent.ts';
import type { Agent, AgentStatus } from '../domain/agent.ts';
import { LOG_LEVELS } from '@fairlead/agent-channel/messages';
import type { AgentSettings } from '@fairlead/agent-channel/messages';
import type { SettingsChange } from '../domain/agent-settings.ts';

const STATUSES: Readonly<Record<AgentStatus, StatusMessage>> = {
  WaitingForConnection: StatusMessage.WAITING_FOR_CONNECTION,
  Online: StatusMessage.ONLINE,
  Offline: StatusMessage.OFFLINE,
};

const LEVELS: Readonly<Record<AgentSettings['logLevel'], LevelMessage>> = {
  Trace: LevelMessage.TRACE,
  Debug: LevelMessage.DEBUG,
  Information: LevelMessage.INFORMATION,
  Warning: LevelMessage.WARNING,
  Error: LevelMessage.ERROR,
};

/** Encodes the agent with its status at `now`. */
export function toAgentMessage(agent: Agent, now: Date): MessageInitShape<typeof AgentSchema> {
  const { id, name, applicationSlug, settings, agentVersion, platform, profiles, lastSeenAt, createdAt } =
    agent;
  return {
    id,
    name,
    applicationSlug,
    status: STATUSES[statusOf(agent, now)],
    settings: { ...settings, logLevel: LEVELS[settings.logLevel] },
    agentVersion,
    platform,
    profiles: [...profiles],
    ...(lastSeenAt !== null && { lastSeenAt: timestampFromDate(lastSeenAt) }),
    createdAt: timestampFromDate(createdAt),
  };
}

/** The change in a message; undefined: none. */
export function fromSettingsChange(message: ChangeMessage | undefined): SettingsChange {
  const { parallelTasks, pullPeriodSeconds, logLevel } = message ?? {};
  return {
    ...(parallelTasks !== undefined && { parallelTasks: parallelTasks.value ?? null }),
    ...(pullPeriodSeconds !== undefined && { pullPeriodSeconds: pullPeriodSeconds.value ?? null }),
    ...(logLevel !== undefined && { logLevel: levelOf(logLevel.value) }),
  };
}

/** Null restores the default. */
function levelOf(value: LevelMessage): AgentSettings['logLevel'] | null {
  return LOG_LEVELS.find((level) => LEVELS[level] === value) ?? null;
}
