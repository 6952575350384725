import { guid } from '@fairlead/service-kit/ids';
import type { AgentWithToken } from '../domain/agent.ts';
import { newToken } from '../domain/agent-token.ts';

const NOON = new Date('2026-11-29T12:00:00.000Z');

/** An agent that has never polled and has no connection yet. */
export function newAgent(o: Partial<AgentWithToken> = {}): Omit<AgentWithToken, 'id'> {
  return {
    creationId: guid(),
    token: newToken(),
    name: 'Lab',
    applicationSlug: 'onprem-http',
    settings: { parallelTasks: 10, pullPeriodSeconds: 10, logLevel: 'Information' },
    agentVersion: '',
    platform: '',
    profiles: [],
    lastSeenAt: null,
    hasLeft: false,
    createdAt: NOON,
    updatedAt: NOON,
    ...o,
  };
}
